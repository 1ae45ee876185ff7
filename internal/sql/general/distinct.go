package general

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// distinct is the engine's node for DISTINCT, with texts equal by their
// collation, where the engine's own compares bytes.
type distinct struct {
	plan.UnaryNode
	s *Session
}

var (
	_ sql.ExecSourceRel = (*distinct)(nil)
	_ sql.Node          = (*distinct)(nil)
)

// byCollation replaces the nodes for DISTINCT.
func (s *Session) byCollation(n sql.Node) (sql.Node, error) {
	out, _, err := transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if d, ok := n.(*plan.Distinct); ok && hasText(d.Schema()) {
			return &distinct{plan.UnaryNode{Child: d.Child}, s}, transform.NewTree, nil
		}
		return n, transform.SameTree, nil
	})
	return out, err
}

func hasText(schema sql.Schema) bool {
	for _, c := range schema {
		if _, ok := c.Type.(sql.StringType); ok {
			return true
		}
	}
	return false
}

func (d *distinct) String() string   { return "Distinct" }
func (d *distinct) IsReadOnly() bool { return d.Child.IsReadOnly() }
func (d *distinct) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 1)
	}
	return &distinct{plan.UnaryNode{Child: children[0]}, d.s}, nil
}

// RowIter implements the engine's node.
func (d *distinct) RowIter(ctx *sql.Context, r sql.Row) (sql.RowIter, error) {
	iter, err := d.s.engine.gms.Analyzer.ExecBuilder.Build(ctx, d.Child, r)
	if err != nil {
		return nil, err
	}
	it := &distinctIter{RowIter: iter, encoders: d.s.encoders(ctx, d.Schema()), seen: map[string]bool{}}
	for _, c := range d.Schema() {
		def := &catalog.SQLColumn{Kind: catalog.SQLBinary}
		k := row.KeyColumn{Column: def}
		if t, ok := c.Type.(sql.StringType); ok && t.Collation() != sql.Collation_binary {
			if k.Collation = Collation(uint16(t.Collation())); k.Collation != nil {
				def.Kind = catalog.SQLText
			}
		}
		it.columns = append(it.columns, k)
	}
	return it, nil
}

type distinctIter struct {
	sql.RowIter
	encoders []encoder
	columns  []row.KeyColumn
	seen     map[string]bool
	key      []byte
}

func (it *distinctIter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		r, err := it.RowIter.Next(ctx)
		if err != nil {
			return nil, err
		}
		it.key = it.key[:0]
		for i := range r {
			v, err := it.encoders[i](r[i])
			if err != nil {
				return nil, err
			}
			if v.Kind == row.Bytes || v.Kind == row.Null {
				it.key = row.AppendKey(append(it.key, byte(v.Kind)), &it.columns[i], v)
				continue
			}
			it.key = keys.AppendUvarint(append(it.key, byte(v.Kind)), v.Num)
		}
		if !it.seen[string(it.key)] {
			it.seen[string(it.key)] = true
			return r, nil
		}
	}
}
