package general

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"

	"github.com/basaltdb/basalt/internal/rel/row"
)

// Number is a session variable as a number; booleans are 0 and 1.
func (s *Session) Number(name string) (int64, bool) {
	v, err := s.Variable(name)
	if err != nil {
		return 0, false
	}
	if text, ok := v.(string); ok {
		switch strings.ToUpper(text) {
		case "ON":
			return 1, true
		case "OFF":
			return 0, true
		}
	}
	return toInt(v)
}

// Text is a session variable as text.
func (s *Session) Text(name string) (string, bool) {
	v, err := s.Variable(name)
	if err != nil {
		return "", false
	}
	text, ok := v.(string)
	return text, ok
}

// SetNames makes a collation, by its number, that of the connection, and its
// character set that of all that client and server exchange. Unknown ones leave
// the defaults, as in MySQL.
func (s *Session) SetNames(collation uint16) {
	c := sql.CollationID(collation)
	if Collation(collation) == nil {
		return
	}
	for name, v := range map[string]string{
		"character_set_client":     c.CharacterSet().Name(),
		"character_set_connection": c.CharacterSet().Name(),
		"character_set_results":    c.CharacterSet().Name(),
		"collation_connection":     c.Name(),
	} {
		_ = s.SetVariable(name, v)
	}
}

// SetNamesCollate is SET NAMES with a collation.
func (s *Session) SetNamesCollate(charset, collation string) error {
	c, err := sql.ParseCollation(charset, collation, false)
	if err != nil {
		return s.MapError(context.Background(), err)
	}
	s.SetNames(uint16(c))
	return nil
}

// SetGlobalTransaction is SET GLOBAL TRANSACTION.
func (s *Session) SetGlobalTransaction(isolation string, readOnly *bool) error {
	c := sql.NewContext(context.Background(), sql.WithSession(s))
	if isolation != "" {
		if err := sql.SystemVariables.SetGlobal(c, "transaction_isolation", isolation); err != nil {
			return s.MapError(c, err)
		}
	}
	if readOnly != nil {
		if err := sql.SystemVariables.SetGlobal(c, "transaction_read_only", *readOnly); err != nil {
			return s.MapError(c, err)
		}
	}
	return nil
}

// PrepareText is the text that PREPARE is given, by itself or in a variable.
func (s *Session) PrepareText(n *sqlparser.Prepare) (string, error) {
	name, ok := strings.CutPrefix(n.Expr, "@")
	if !ok {
		return n.Expr, nil
	}
	_, v, err := s.GetUserVariable(sql.NewContext(context.Background(), sql.WithSession(s)), name)
	if err != nil {
		return "", s.MapError(context.Background(), err)
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case nil:
		return "NULL", nil
	}
	return fmt.Sprint(v), nil
}

// UserVariables are the values of variables that EXECUTE is given.
func (s *Session) UserVariables(names []string) ([]row.Value, error) {
	c := sql.NewContext(context.Background(), sql.WithSession(s))
	out := make([]row.Value, len(names))
	for i, n := range names {
		_, v, err := s.GetUserVariable(c, strings.TrimPrefix(n, "@"))
		if err != nil {
			return nil, s.MapError(c, err)
		}
		switch v := v.(type) {
		case nil:
		case string:
			out[i] = row.BytesValue([]byte(v))
		case []byte:
			out[i] = row.BytesValue(v)
		case float64:
			out[i] = row.DoubleValue(v)
		case float32:
			out[i] = row.FloatValue(v)
		case uint64:
			out[i] = row.UintValue(v)
		case decimal.Decimal:
			out[i] = row.BytesValue([]byte(v.String()))
		case time.Time:
			out[i] = row.DateTimeValue(civil(v))
		case types.Timespan:
			out[i] = row.Value{Kind: row.Time, Num: uint64(int64(v))}
		default:
			n, ok := toInt(v)
			if !ok {
				return nil, notSupported(fmt.Sprintf("a variable of type %T in EXECUTE", v))
			}
			out[i] = row.IntValue(n)
		}
	}
	return out, nil
}

// Like matches SQL's LIKE wildcards, without regard to case.
func Like(pattern, s string) bool { return like(pattern, s) }
