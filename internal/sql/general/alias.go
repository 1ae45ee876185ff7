package general

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// noteTable notes of a table expression its alias, if that has capital letters,
// and whether it is of information_schema.
func (st *Statement) noteTable(n sqlparser.SQLNode) {
	t, ok := n.(*sqlparser.AliasedTableExpr)
	if !ok {
		return
	}
	if name, ok := t.Expr.(sqlparser.TableName); ok && strings.EqualFold(name.DbQualifier.String(), "information_schema") {
		st.describes = true
	}
	alias := t.As.String()
	lower := strings.ToLower(alias)
	if alias == lower {
		return
	}
	if st.aliases == nil {
		st.aliases = make(map[string]string)
	}
	st.aliases[lower] = alias
}
