package general

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// noteAliases adds the alias of a table expression, if it has one with capital
// letters.
func (st *Statement) noteAliases(n sqlparser.SQLNode) {
	t, ok := n.(*sqlparser.AliasedTableExpr)
	if !ok {
		return
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
