package general

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// showRows makes the rows of SHOW statements MySQL's where the engine's differ.
func showRows(node sql.Node, iter sql.RowIter) sql.RowIter {
	if n, ok := node.(*plan.ShowColumns); ok {
		return &columnRows{RowIter: iter, n: n}
	}
	return iter
}

// columnRows are the rows of SHOW COLUMNS: types without their collation, and
// defaults without quotes.
type columnRows struct {
	sql.RowIter
	n *plan.ShowColumns
}

func (r *columnRows) Next(ctx *sql.Context) (sql.Row, error) {
	in, err := r.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	out := append(sql.Row{}, in...)
	if t, ok := out[1].(string); ok {
		out[1] = bareType(t)
	}
	value := 4
	if r.n.Full {
		value = 5
		name, _ := out[0].(string)
		if i := r.n.TargetSchema().IndexOfColName(name); i >= 0 && out[2] != nil {
			if t, ok := r.n.TargetSchema()[i].Type.(sql.TypeWithCollation); ok && types.IsTextOnly(r.n.TargetSchema()[i].Type) {
				out[2] = t.Collation().Name()
			}
		}
		out[7] = "select,insert,update,references"
	}
	if d, ok := out[value].(string); ok {
		out[value] = bareDefault(d)
	}
	return out, nil
}

// bareType is a type without its character set and collation.
func bareType(t string) string {
	for _, word := range []string{" CHARACTER SET ", " COLLATE "} {
		if i := strings.Index(t, word); i >= 0 {
			t = t[:i]
		}
	}
	return t
}

// bareDefault is a default without the quotes of a literal.
func bareDefault(d string) any {
	if d == "NULL" {
		return nil
	}
	if len(d) >= 2 && d[0] == '\'' && d[len(d)-1] == '\'' {
		return strings.ReplaceAll(d[1:len(d)-1], "''", "'")
	}
	return d
}
