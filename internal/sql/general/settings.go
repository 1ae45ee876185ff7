package general

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// both is the scope of variables that a session has and a server.
var both = sql.GetMysqlScope(sql.SystemVariableScope_Both)

// settings are variables that the engine lacks, or has otherwise than MySQL 8.
var settings = []sql.SystemVariable{
	&sql.MysqlSystemVariable{
		Name: "innodb_lock_wait_timeout", Scope: both, Dynamic: true,
		Type: types.NewSystemIntType("innodb_lock_wait_timeout", 1, 1073741824, false), Default: int64(50),
	},
	&sql.MysqlSystemVariable{
		Name: "max_allowed_packet", Scope: both, Dynamic: true,
		Type: types.NewSystemUintType("max_allowed_packet", 1024, 1073741824), Default: uint64(67108864),
	},
}

// settleVariables sets those variables to MySQL 8's values that drivers look at
// and the engine has otherwise.
func settleVariables(version string) error {
	sql.SystemVariables.AddSystemVariables(settings)
	values := map[string]any{
		"version":                       version,
		"version_comment":               "Basalt",
		"collation_server":              defaultCollation.Name(),
		"collation_connection":          defaultCollation.Name(),
		"collation_database":            defaultCollation.Name(),
		"default_collation_for_utf8mb4": defaultCollation.Name(),
		"sql_mode": "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE," +
			"ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
		"performance_schema": 0,
	}
	for name, v := range values {
		if err := sql.SystemVariables.AssignValues(map[string]any{name: v}); err != nil {
			if sql.ErrUnknownSystemVariable.Is(err) {
				continue
			}
			return fmt.Errorf("general: setting %s: %w", name, err)
		}
	}
	return nil
}
