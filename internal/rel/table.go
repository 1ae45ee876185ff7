package rel

import (
	"fmt"
	"strings"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// Table is one version of a table, ready for use. It is immutable.
type Table struct {
	Def     *catalog.SQLTable
	Primary *Index
	// Indexes are the others, in the order of Def.Indexes.
	Indexes []*Index

	store    *Store
	layout   *row.Layout
	lockName []byte
	auto     *counter
	// autoColumn is the place of the AUTO_INCREMENT column, or -1.
	autoColumn int
	// seq is what Store.ddl was when this version was made, 0 for before the start.
	seq uint64
}

// Index is an index of a Table.
type Index struct {
	Def     *catalog.SQLIndex
	Columns []row.KeyColumn
	primary bool
	prefix  []byte // of all keys
	end     []byte // behind all keys
	// places are those of the columns, for decoding only them.
	places []int
}

// IsPrimary tells whether rows live in the index.
func (x *Index) IsPrimary() bool { return x.primary }

// Unique tells whether no two rows have the same values in its columns.
func (x *Index) Unique() bool { return x.primary || x.Def.Unique }

// Hidden tells whether the primary key is a hidden row number.
func (t *Table) Hidden() bool { return len(t.Def.Primary.Columns) == 0 }

// AutoColumn is the place of the AUTO_INCREMENT column, or -1.
func (t *Table) AutoColumn() int { return t.autoColumn }

func (s *Store) compile(def *catalog.SQLTable) (*Table, error) {
	t := &Table{Def: def, store: s, autoColumn: -1, lockName: keys.AppendRelLock(nil, def.ID), auto: s.counter(def.ID)}
	var err error
	if t.layout, err = row.NewLayout(def); err != nil {
		return nil, err
	}
	for i := range def.Columns {
		if def.Columns[i].AutoIncrement {
			t.autoColumn = i
		}
	}
	if t.Primary, err = s.compileIndex(def, &def.Primary); err != nil {
		return nil, err
	}
	t.Primary.primary = true
	for i := range def.Indexes {
		x, err := s.compileIndex(def, &def.Indexes[i])
		if err != nil {
			return nil, err
		}
		t.Indexes = append(t.Indexes, x)
	}
	return t, nil
}

func (s *Store) compileIndex(def *catalog.SQLTable, d *catalog.SQLIndex) (*Index, error) {
	x := &Index{Def: d, prefix: keys.AppendRel(nil, d.DataID), end: keys.AppendRelEnd(nil, d.DataID)}
	for _, c := range d.Columns {
		at := def.ColumnByID(c.Column)
		if at < 0 {
			return nil, fmt.Errorf("rel: index %s of %s has an unknown column %d", d.Name, def.Name, c.Column)
		}
		k := row.KeyColumn{Column: &def.Columns[at], Place: at, Prefix: c.Prefix, Desc: c.Desc}
		if k.Column.Kind == catalog.SQLText {
			if k.Collation = s.collations(k.Column.Collation); k.Collation == nil {
				return nil, fmt.Errorf("rel: column %s of %s has an unknown collation %d", k.Column.Name, def.Name, k.Column.Collation)
			}
		}
		x.Columns = append(x.Columns, k)
		x.places = append(x.places, at)
	}
	return x, nil
}

// AppendPrefix appends the key prefix of the rows whose first columns in the
// index have these values.
func (x *Index) AppendPrefix(dst []byte, values ...row.Value) []byte {
	dst = append(dst, x.prefix...)
	for i := range values {
		dst = row.AppendKey(dst, &x.Columns[i], values[i])
	}
	return dst
}

// All is the range of all keys.
func (x *Index) All() (start, end []byte) { return x.prefix, x.end }

// appendColumns appends the index's columns of a row. null is set if one of them
// is NULL.
func (x *Index) appendColumns(dst []byte, values []row.Value) (_ []byte, null bool) {
	for i := range x.Columns {
		k := &x.Columns[i]
		v := values[k.Place]
		null = null || v.Kind == row.Null
		dst = row.AppendKey(dst, k, v)
	}
	return dst, null
}

// appendPrimaryKey appends the row's key. Tables with hidden keys have none
// before the row is inserted.
func (t *Table) appendPrimaryKey(dst []byte, values []row.Value) []byte {
	dst, _ = t.Primary.appendColumns(append(dst, t.Primary.prefix...), values)
	return dst
}

// PrimaryKey is the key of the row with these values; the values of the primary
// key's columns are all that is looked at.
func (t *Table) PrimaryKey(values []row.Value) []byte { return t.appendPrimaryKey(nil, values) }

// appendEntry appends the key of a row's entry in a secondary index, and returns
// its value appended to value. pk is the row's key. free says that the entry
// may stand beside others of the same columns.
func (t *Table) appendEntry(dst, value []byte, x *Index, values []row.Value, pk []byte) (_, _ []byte, free bool) {
	dst, null := x.appendColumns(append(dst, x.prefix...), values)
	suffix := pk[len(t.Primary.prefix):]
	if !x.Def.Unique {
		return append(dst, suffix...), keys.AppendUvarint(value, uint64(len(suffix))), true
	}
	if null {
		dst = append(dst, suffix...)
	}
	return dst, append(value, suffix...), null
}

// primaryOf appends the row's key that an entry of a secondary index names.
func (t *Table) primaryOf(dst []byte, x *Index, key, value []byte) ([]byte, error) {
	dst = append(dst, t.Primary.prefix...)
	if x.Def.Unique {
		return append(dst, value...), nil
	}
	n, used := keys.Uvarint(value)
	if used == 0 || used != len(value) || n > uint64(len(key)-len(x.prefix)) {
		return nil, fmt.Errorf("entry of index %s of %s at %x: %w", x.Def.Name, t.Def.Name, key, row.ErrMalformed)
	}
	return append(dst, key[len(key)-int(n):]...), nil
}

// Decode reads a stored row. Bytes are parts of b.
func (t *Table) Decode(dst []row.Value, b []byte, places []int) error {
	if err := t.layout.Decode(dst, b, places); err != nil {
		return fmt.Errorf("row of %s: %w", t.Def.Name, err)
	}
	return nil
}

// FindIndex finds an index by its name, the primary as PRIMARY. Nil: none.
func (t *Table) FindIndex(name string) *Index {
	if strings.EqualFold(name, "PRIMARY") {
		return t.Primary
	}
	if i := t.Def.Index(name); i >= 0 {
		return t.Indexes[i]
	}
	return nil
}

// Encode appends a row as it is stored.
func (t *Table) Encode(dst []byte, values []row.Value) []byte { return t.layout.Append(dst, values) }
