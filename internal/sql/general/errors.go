package general

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// Errorf makes an error with a MySQL code; the state follows from it.
func Errorf(code uint16, format string, args ...any) *answer.Error {
	state := states[code]
	if state == "" {
		state = "HY000"
	}
	return &answer.Error{Code: code, State: state, Message: fmt.Sprintf(format, args...)}
}

func notSupported(what string) error {
	return Errorf(1235, "This version of Basalt doesn't yet support '%s'", what)
}

// states are the SQLSTATEs that are not HY000.
var states = map[uint16]string{
	1022: "23000", 1037: "HY001", 1040: "08004", 1042: "08S01", 1043: "08S01", 1044: "42000", 1045: "28000",
	1046: "3D000", 1047: "08S01", 1048: "23000", 1049: "42000", 1050: "42S01", 1051: "42S02", 1052: "23000",
	1053: "08S01", 1054: "42S22", 1055: "42000", 1056: "42000", 1058: "21S01", 1059: "42000", 1060: "42S21",
	1061: "42000", 1062: "23000", 1063: "42000", 1064: "42000", 1065: "42000", 1066: "42000", 1067: "42000",
	1068: "42000", 1069: "42000", 1070: "42000", 1071: "42000", 1072: "42000", 1073: "42000", 1074: "42000",
	1075: "42000", 1090: "42000", 1091: "42000", 1101: "42000", 1102: "42000", 1103: "42000", 1104: "42000",
	1106: "42000", 1107: "42000", 1109: "42S02", 1110: "42000", 1111: "HY000", 1112: "42000", 1113: "42000",
	1115: "42000", 1118: "42000", 1120: "42000", 1121: "42000", 1131: "42000", 1132: "42000", 1133: "42000",
	1136: "21S01", 1138: "22004", 1139: "42000", 1140: "42000", 1141: "42000", 1142: "42000", 1143: "42000",
	1144: "42000", 1145: "42000", 1146: "42S02", 1147: "42000", 1148: "42000", 1149: "42000", 1153: "08S01",
	1161: "08S01", 1162: "42000", 1163: "42000", 1164: "42000", 1166: "42000", 1167: "42000", 1169: "23000",
	1170: "42000", 1171: "42000", 1172: "42000", 1173: "42000", 1176: "42000", 1177: "42000", 1178: "42000",
	1179: "25000", 1203: "42000", 1207: "25000", 1211: "42000", 1213: "40001", 1216: "23000", 1217: "23000",
	1222: "21000", 1226: "42000", 1227: "42000", 1230: "42000", 1231: "42000", 1232: "42000", 1234: "42000",
	1235: "42000", 1239: "42000", 1241: "21000", 1242: "21000", 1247: "42S22", 1248: "42000", 1250: "42000",
	1261: "01000", 1262: "01000", 1263: "22004", 1264: "22003", 1265: "01000", 1280: "42000", 1281: "42000",
	1286: "42000", 1292: "22007", 1303: "2F003", 1304: "42000", 1305: "42000", 1308: "42000", 1309: "42000",
	1310: "42000", 1312: "0A000", 1313: "42000", 1317: "70100", 1318: "42000", 1319: "42000", 1322: "42000",
	1323: "42000", 1324: "42000", 1325: "24000", 1326: "24000", 1327: "42000", 1329: "02000", 1330: "42000",
	1331: "42000", 1332: "42000", 1333: "42000", 1336: "42000", 1337: "42000", 1338: "42000", 1339: "20000",
	1363: "HY000", 1365: "22012", 1367: "22007", 1370: "42000", 1397: "XAE04", 1398: "XAE05", 1399: "XAE07",
	1401: "XAE03", 1406: "22001", 1407: "42000", 1410: "42000", 1413: "42000", 1415: "0A000", 1416: "22003",
	1425: "42000", 1426: "42000", 1427: "42000", 1437: "42000", 1439: "42000", 1440: "XAE08", 1441: "22008",
	1451: "23000", 1452: "23000", 1453: "42000", 1458: "42000", 1460: "42000", 1461: "42000", 1463: "42000",
	1557: "23000", 1568: "25001", 1582: "42000", 1583: "42000", 1584: "42000", 1586: "23000", 1630: "42000",
	1690: "22003", 1701: "42000", 1792: "25006", 3140: "22032", 3141: "22032", 3572: "HY000",
}

// kindCodes are codes of the engine's kinds of errors that it does not give
// itself.
var kindCodes = []struct {
	kind *kinds.Kind
	code uint16
}{
	{sql.ErrSyntaxError, 1064}, {sql.ErrInvalidSyntax, 1064}, {sql.ErrUnsupportedSyntax, 1235},
	{sql.ErrUnsupportedFeature, 1235}, {sql.ErrTableAlreadyExists, 1050}, {sql.ErrUnknownTable, 1051},
	{sql.ErrTableColumnNotFound, 1054}, {sql.ErrColumnNotFound, 1054}, {sql.ErrMisusedAlias, 1054},
	{sql.ErrAmbiguousColumnName, 1052}, {sql.ErrAmbiguousColumnOrAliasName, 1052}, {sql.ErrAmbiguousColumnInOrderBy, 1052},
	{sql.ErrColumnExists, 1060}, {sql.ErrDuplicateColumn, 1060}, {sql.ErrDuplicateAliasOrTable, 1066},
	{sql.ErrDuplicateKey, 1061}, {sql.ErrInvalidColumnDefaultValue, 1067}, {sql.ErrIncompatibleDefaultType, 1067},
	{sql.ErrUnknownSystemVariable, 1193}, {sql.ErrSystemVariableReadOnly, 1238}, {sql.ErrSystemVariableSessionOnly, 1228},
	{sql.ErrSystemVariableGlobalOnly, 1229}, {sql.ErrInvalidSystemVariableValue, 1231},
	{sql.ErrUnknownPreparedStatement, 1243}, {sql.ErrColValCountMismatch, 1136}, {sql.ErrInsertIntoMismatchValueCount, 1136},
	{sql.ErrColumnCountMismatch, 1353}, {sql.ErrInsertIntoNonNullableDefaultNullColumn, 1364},
	{sql.ErrCheckConstraintViolated, 3819}, {sql.ErrValueOutOfRange, 1264}, {types.ErrLengthBeyondLimit, 1406},
	{types.ErrConvertingToTime, 1292}, {types.ErrConvertingToTimeType, 1292}, {types.ErrConvertingToEnum, 1265}, {types.ErrConvertingToYear, 1264},
	{types.ErrConvertToDecimalLimit, 1264}, {types.ErrConvertingToDecimal, 1366}, {sql.ErrConvertingToSet, 1265}, {sql.ErrInvalidSetValue, 1265},
	{sql.ErrFunctionNotFound, 1305}, {sql.ErrInvalidArgumentNumber, 1582}, {sql.ErrNoDatabaseSelected, 1046},
	{sql.ErrSavepointDoesNotExist, 1305}, {sql.ErrStoredProcedureDoesNotExist, 1305}, {sql.ErrStoredProcedureAlreadyExists, 1304},
	{sql.ErrTriggerDoesNotExist, 1360}, {sql.ErrExistingView, 1050}, {sql.ErrViewDoesNotExist, 1051},
	{sql.ErrExpectedTableFoundView, 1347}, {sql.ErrColumnNumberDoesNotMatch, 1222}, {sql.ErrMoreThanOneRow, 1172},
	{sql.ErrDatabaseAccessDeniedForUser, 1044}, {sql.ErrTableAccessDeniedForUser, 1142}, {sql.ErrPrivilegeCheckFailed, 1227},
	{sql.ErrUserCreationFailure, 1396}, {sql.ErrUserAlterFailure, 1396}, {sql.ErrUserDeletionFailure, 1396},
	{sql.ErrRoleCreationFailure, 1396}, {sql.ErrRoleDeletionFailure, 1396}, {sql.ErrGrantUserDoesNotExist, 1410},
	{sql.ErrShowGrantsUserDoesNotExist, 1141}, {sql.ErrRevokeUserDoesNotExist, 1141},
	{sql.ErrInvalidJson, 3140}, {sql.ErrInvalidBlobTextKey, 1170}, {sql.ErrKeyTooLong, 1071}, {sql.ErrInvalidIndexPrefix, 1089},
	{sql.ErrUnknownIndexColumn, 1072}, {sql.ErrInvalidAutoIncCols, 1075}, {sql.ErrForeignKeyMissingReferenceIndex, 6125},
	{sql.ErrForeignKeyColumnTypeMismatch, 3780}, {sql.ErrForeignKeyDuplicateName, 1826}, {sql.ErrForeignKeyDropTable, 3730},
	{sql.ErrForeignKeyDropColumn, 1828}, {sql.ErrForeignKeyDropIndex, 1553}, {sql.ErrForeignKeyNotFound, 1091},
	{sql.ErrUnknownConstraint, 3940}, {sql.ErrGeneratedColumnValue, 3105}, {sql.ErrCollationIllegalMix, 1267},
	{sql.ErrCollationUnknown, 1273}, {sql.ErrCharSetUnknown, 1115}, {sql.ErrCollationInvalidForCharSet, 1253},
	{sql.ErrEventAlreadyExists, 1537}, {sql.ErrEventDoesNotExist, 1539}, {sql.ErrTruncateReferencedFromForeignKey, 1701},
	{sql.ErrColumnDefaultReturnedNull, 1048}, {sql.ErrNoTablesUsed, 1096}, {sql.ErrInvalidTypeForLimit, 1210},
	{sql.ErrCteRecursionLimitExceeded, 3636}, {sql.ErrLoadDataCannotOpen, 29}, {sql.ErrForeignKeyDepthLimit, 3008},
}

// MapError turns any error of a statement into what clients are told.
func (s *Session) MapError(ctx context.Context, err error) error {
	var known *answer.Error
	if errors.As(err, &known) {
		return known
	}
	for {
		if w, ok := err.(sql.WrappedInsertError); ok {
			err = w.Cause
		} else if w, ok := err.(sql.WrappedTypeConversionError); ok {
			err = w.Err
		} else {
			break
		}
	}
	if e := storeError(ctx, err); e != nil {
		return e
	}
	if dup := s.duplicate; dup != nil && (sql.ErrPrimaryKeyViolation.Is(err) || sql.ErrUniqueKeyViolation.Is(err)) {
		return duplicateError(dup)
	}
	text := err.Error()
	for _, k := range kindCodes {
		if k.kind.Is(err) {
			return Errorf(k.code, "%s", mysqlText(k.code, text))
		}
	}
	e := sql.CastSQLError(err)
	if e.Num == 1105 && strings.HasPrefix(text, "syntax error") {
		return Errorf(1064, "You have an error in your SQL syntax; %s", text)
	}
	if strings.HasPrefix(text, "local_infile needs") {
		off := Errorf(3948, "Loading local data is disabled; this must be enabled on both the client and server sides")
		off.State = "42000"
		return off
	}
	out := Errorf(uint16(e.Num), "%s", mysqlText(uint16(e.Num), e.Message))
	if out.State == "HY000" && e.State != "" {
		out.State = e.State
	}
	return out
}

// worded gives an error the code or the names that it has in its statement.
func (s *Session) worded(st *Statement, err error) error {
	e, ok := err.(*answer.Error)
	if !ok {
		return err
	}
	drop := false
	switch n := st.AST.(type) {
	case *sqlparser.DDL:
		drop = n.Action == sqlparser.DropStr
	case *sqlparser.DBDDL:
		if n.Action == sqlparser.DropStr && e.Code == 1049 {
			return Errorf(1008, "Can't drop database '%s'; database doesn't exist", n.DBName)
		}
	}
	name, found := strings.CutPrefix(e.Message, "Table '")
	if e.Code != 1146 || !found {
		return err
	}
	name, _, _ = strings.Cut(name, "'")
	if !strings.Contains(name, ".") {
		name = s.GetCurrentDatabase() + "." + name
	}
	if drop {
		return Errorf(1051, "Unknown table '%s'", name)
	}
	return Errorf(1146, "Table '%s' doesn't exist", name)
}

// mysqlText words a message as MySQL does where programs look into it.
func mysqlText(code uint16, text string) string {
	quoted := func(before string) string {
		name := strings.TrimPrefix(text, before)
		return strings.Trim(name, "\"'`")
	}
	switch code {
	case 1064:
		return "You have an error in your SQL syntax; " + strings.TrimPrefix(text, "syntax error: ")
	case 1049:
		return "Unknown database '" + quoted("database not found: ") + "'"
	case 1146:
		return "Table '" + quoted("table not found: ") + "' doesn't exist"
	case 1050:
		name := strings.TrimSuffix(strings.TrimPrefix(text, "table with name "), " already exists")
		return "Table '" + name + "' already exists"
	case 1007:
		name := strings.TrimSuffix(strings.TrimPrefix(text, "can't create database "), "; database exists")
		return "Can't create database '" + name + "'; database exists"
	case 3819:
		return strings.Replace(strings.ReplaceAll(text, "\"", "'"), " violated", " is violated.", 1)
	case 1046:
		return "No database selected"
	case 1048:
		if name, ok := strings.CutPrefix(text, "column name '"); ok {
			name, _, _ = strings.Cut(name, "'")
			return "Column '" + name + "' cannot be null"
		}
	case 1054:
		if name, ok := strings.CutPrefix(text, "column \""); ok {
			name, _, _ = strings.Cut(name, "\"")
			return "Unknown column '" + name + "' in 'field list'"
		}
	case 1136:
		if !strings.HasPrefix(text, "Column count") {
			return "Column count doesn't match value count at row 1"
		}
	}
	return text
}

// storeError is the client's error for those of the layers below, or nil.
func storeError(ctx context.Context, err error) *answer.Error {
	var (
		dup     *rel.DuplicateKeyError
		null    *rel.NullError
		foreign *rel.ForeignKeyError
		missing *rel.NoTableError
		held    *rel.NotHeldError
		exists  *catalog.ExistsError
		noSpace *catalog.NamespaceNotFoundError
		limit   *catalog.ArgumentError
		reserve *catalog.ConstraintError
	)
	switch {
	case errors.As(err, &dup):
		return duplicateError(dup)
	case errors.As(err, &null):
		return Errorf(1048, "Column '%s' cannot be null", null.Column)
	case errors.As(err, &foreign):
		return foreignError(foreign)
	case errors.As(err, &missing):
		return Errorf(1146, "Table '%s.%s' doesn't exist", missing.Name.Namespace, missing.Name.Qualifier)
	case errors.As(err, &held):
		if held.Read {
			return Errorf(1099, "Table '%s' was locked with a READ lock and can't be updated", held.Name.Qualifier)
		}
		return Errorf(1100, "Table '%s' was not locked with LOCK TABLES", held.Name.Qualifier)
	case errors.As(err, &exists):
		return Errorf(1050, "Table '%s' already exists", exists.Table.Qualifier)
	case errors.As(err, &noSpace):
		return Errorf(1049, "Unknown database '%s'", noSpace.Name)
	case errors.As(err, &limit):
		return Errorf(1105, "%s", limit.Text)
	case errors.As(err, &reserve):
		return Errorf(3552, "%s", reserve.Text)
	case errors.Is(err, rel.ErrAutoIncrement):
		return Errorf(1467, "Failed to read auto-increment value from storage engine")
	case errors.Is(err, rel.ErrSchemaChanged), errors.Is(err, catalog.ErrSQLChanged):
		return Errorf(1412, "Table definition has changed, please retry transaction")
	case errors.Is(err, kv.ErrLockTimeout):
		if ctx.Err() != nil {
			return Errorf(1317, "Query execution was interrupted")
		}
		return Errorf(1205, "Lock wait timeout exceeded; try restarting transaction")
	case errors.Is(err, kv.ErrDeadlock), errors.Is(err, kv.ErrConflict):
		return Errorf(1213, "Deadlock found when trying to get lock; try restarting transaction")
	case errors.Is(err, kv.ErrLocked):
		return Errorf(3572, "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
	case errors.Is(err, kv.ErrTxnTooLarge):
		return Errorf(1197, "Multi-statement transaction required more storage than is allowed; split it into smaller ones")
	case errors.Is(err, kv.ErrTooLarge):
		return Errorf(1118, "Row size too large")
	case errors.Is(err, kv.ErrUnavailable):
		return Errorf(1021, "Disk full or server closing: %s", err)
	case errors.Is(err, kv.ErrUndetermined):
		return Errorf(1180, "Got error during COMMIT: its outcome is not known: %s", err)
	case errors.Is(err, kv.ErrClosed):
		return Errorf(1053, "Server shutdown in progress")
	case errors.Is(err, context.Canceled):
		return Errorf(1317, "Query execution was interrupted")
	case errors.Is(err, context.DeadlineExceeded):
		return Errorf(3024, "Query execution was interrupted, maximum statement execution time exceeded")
	}
	return nil
}

func duplicateError(e *rel.DuplicateKeyError) *answer.Error {
	var values []string
	for i := range e.Index.Columns {
		k := &e.Index.Columns[i]
		v := text(k.Column, e.New[k.Place])
		if k.Prefix > 0 && len(v) > k.Prefix {
			v = v[:k.Prefix]
		}
		values = append(values, v)
	}
	name := e.Index.Def.Name
	if e.Index.IsPrimary() {
		name = "PRIMARY"
	}
	return Errorf(1062, "Duplicate entry '%s' for key '%s.%s'", strings.Join(values, "-"), e.Table.Def.Name.Qualifier, name)
}

func foreignError(e *rel.ForeignKeyError) *answer.Error {
	quote := func(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }
	f := e.Key
	detail := fmt.Sprintf("(`%s`.`%s`, CONSTRAINT `%s` FOREIGN KEY (%s) REFERENCES `%s` (%s)", e.Child.Name.Namespace,
		e.Child.Name.Qualifier, f.Name, quote(f.Columns), f.Parent, quote(f.ParentColumns))
	if f.OnDelete != "" {
		detail += " ON DELETE " + f.OnDelete
	}
	if f.OnUpdate != "" {
		detail += " ON UPDATE " + f.OnUpdate
	}
	if e.Parent {
		return Errorf(1451, "Cannot delete or update a parent row: a foreign key constraint fails %s)", detail)
	}
	return Errorf(1452, "Cannot add or update a child row: a foreign key constraint fails %s)", detail)
}
