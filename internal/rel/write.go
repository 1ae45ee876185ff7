package rel

import (
	"bytes"
	"context"
	"fmt"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// Exclusive is how rows are locked that are going to be changed.
var Exclusive = Lock{Locking: true, Mode: kv.LockExclusive}

func (x *Txn) put(key, value []byte) error {
	x.writes++
	return x.kv.Put(key, value)
}

func (x *Txn) delete(key []byte) error {
	x.writes++
	return x.kv.Delete(key)
}

// checkNulls refuses NULL where a column allows none.
func (t *Table) checkNulls(values []row.Value) error {
	for i := range t.Def.Columns {
		if c := &t.Def.Columns[i]; c.NotNull && values[i].Kind == row.Null && !c.Virtual {
			return &NullError{c.Name}
		}
	}
	return nil
}

// Insert adds a row: one value for each column. It returns the row's key, valid
// until the transaction's next call. Nothing is written if it fails.
func (x *Txn) Insert(ctx context.Context, t *Table, values []row.Value) ([]byte, error) {
	if err := x.writable(t); err != nil {
		return nil, err
	}
	if err := t.checkNulls(values); err != nil {
		return nil, err
	}
	pk := t.appendPrimaryKey(x.key[:0], values)
	x.key = pk
	if t.Hidden() {
		n, err := t.nextHidden()
		if err != nil {
			return nil, err
		}
		pk = keys.AppendUvarint(pk, n)
		x.key = pk
	} else if err := x.checkFree(ctx, t, t.Primary, pk, pk, values); err != nil {
		return nil, err
	}
	if err := x.checkUnique(ctx, t, values, nil, pk); err != nil {
		return nil, err
	}
	if err := x.checkParents(ctx, t, values, nil, nil); err != nil {
		return nil, err
	}
	return pk, x.putRow(t, pk, values)
}

// putRow writes a row and all its entries.
func (x *Txn) putRow(t *Table, pk []byte, values []row.Value) error {
	x.value = t.layout.Append(x.value[:0], values)
	if err := x.put(pk, x.value); err != nil {
		return err
	}
	for _, i := range t.Indexes {
		x.entry, x.value, _ = t.appendEntry(x.entry[:0], x.value[:0], i, values, pk)
		if err := x.put(x.entry, x.value); err != nil {
			return err
		}
	}
	return nil
}

// checkFree locks a key of a unique index and refuses if it is taken by a row
// other than own.
func (x *Txn) checkFree(ctx context.Context, t *Table, i *Index, key, own []byte, values []row.Value) error {
	found, _, err := x.lockRow(ctx, key, Exclusive)
	if err != nil || found == nil {
		return err
	}
	e := &DuplicateKeyError{Table: t, Index: i, New: values, Key: bytes.Clone(key)}
	if !i.primary {
		if e.Key, err = t.primaryOf(nil, i, key, found); err != nil {
			return err
		}
		if bytes.Equal(e.Key, own) {
			return nil
		}
		if found, _, err = x.lockRow(ctx, e.Key, Exclusive); err != nil {
			return err
		}
		if found == nil {
			return fmt.Errorf("rel: index %s of %s has an entry for no row, at %x: %w", i.Def.Name, t.Def.Name, key, kv.ErrCorrupt)
		}
	}
	e.Existing = make([]row.Value, len(t.Def.Columns))
	if err := t.Decode(e.Existing, bytes.Clone(found), nil); err != nil {
		return err
	}
	return e
}

// checkUnique locks and checks the unique entries that a row needs and the old
// version of it (or nil) has not.
func (x *Txn) checkUnique(ctx context.Context, t *Table, values, old []row.Value, pk []byte) error {
	for _, i := range t.Indexes {
		if !i.Def.Unique {
			continue
		}
		var free bool
		x.entry, x.value, free = t.appendEntry(x.entry[:0], x.value[:0], i, values, pk)
		if free {
			continue
		}
		if old != nil {
			if before, null := i.appendColumns(append([]byte(nil), i.prefix...), old); !null && bytes.Equal(before, x.entry) {
				continue
			}
		}
		if err := x.checkFree(ctx, t, i, x.entry, pk, values); err != nil {
			return err
		}
	}
	return nil
}

// Update changes a row that the transaction has locked and read: old is its
// newest version and pk its key. It returns its key afterwards, valid until the
// transaction's next call.
func (x *Txn) Update(ctx context.Context, t *Table, pk []byte, old, values []row.Value) ([]byte, error) {
	return x.update(ctx, t, pk, old, values, 0, nil)
}

// update is Update, depth cascades deep. followed is the foreign key that the
// change follows: its parent is about to have the new values.
func (x *Txn) update(ctx context.Context, t *Table, pk []byte, old, values []row.Value, depth int,
	followed *catalog.SQLForeignKey) ([]byte, error) {
	if err := x.writable(t); err != nil {
		return nil, err
	}
	if err := t.checkNulls(values); err != nil {
		return nil, err
	}
	moved := pk
	if !t.Hidden() {
		if moved = t.PrimaryKey(values); !bytes.Equal(moved, pk) {
			if err := x.checkFree(ctx, t, t.Primary, moved, pk, values); err != nil {
				return nil, err
			}
		} else {
			moved = pk
		}
	}
	if err := x.checkUnique(ctx, t, values, old, pk); err != nil {
		return nil, err
	}
	if err := x.checkParents(ctx, t, values, old, followed); err != nil {
		return nil, err
	}
	if err := x.changeChildren(ctx, t, pk, old, values, depth); err != nil {
		return nil, err
	}
	same := bytes.Equal(moved, pk)
	if !same {
		if err := x.delete(pk); err != nil {
			return nil, err
		}
	}
	x.value = t.layout.Append(x.value[:0], values)
	if err := x.put(moved, x.value); err != nil {
		return nil, err
	}
	var before, beforeValue []byte
	for _, i := range t.Indexes {
		before, beforeValue, _ = t.appendEntry(before[:0], beforeValue[:0], i, old, pk)
		x.entry, x.value, _ = t.appendEntry(x.entry[:0], x.value[:0], i, values, moved)
		if bytes.Equal(before, x.entry) && bytes.Equal(beforeValue, x.value) {
			continue
		}
		if !bytes.Equal(before, x.entry) {
			if err := x.delete(before); err != nil {
				return nil, err
			}
		}
		if err := x.put(x.entry, x.value); err != nil {
			return nil, err
		}
	}
	return moved, nil
}

// Delete removes a row that the transaction has locked and read.
func (x *Txn) Delete(ctx context.Context, t *Table, pk []byte, old []row.Value) error {
	return x.remove(ctx, t, pk, old, 0)
}

func (x *Txn) remove(ctx context.Context, t *Table, pk []byte, old []row.Value, depth int) error {
	if err := x.writable(t); err != nil {
		return err
	}
	if err := x.changeChildren(ctx, t, pk, old, nil, depth); err != nil {
		return err
	}
	if err := x.delete(pk); err != nil {
		return err
	}
	for _, i := range t.Indexes {
		x.entry, x.value, _ = t.appendEntry(x.entry[:0], x.value[:0], i, old, pk)
		if err := x.delete(x.entry); err != nil {
			return err
		}
	}
	return nil
}

// LockRow locks the row with a key and reads its newest version into dst. Bytes
// are the caller's. ok is false if there is no such row now.
func (x *Txn) LockRow(ctx context.Context, t *Table, pk []byte, l Lock, dst []row.Value) (ok bool, err error) {
	value, skip, err := x.lockRow(ctx, pk, l)
	if err != nil || skip || value == nil {
		return false, err
	}
	return true, t.Decode(dst, value, nil)
}

// columnPlaces are the places of columns by name.
func columnPlaces(def *catalog.SQLTable, names []string) ([]int, bool) {
	places := make([]int, len(names))
	for i, n := range names {
		if places[i] = def.Column(n); places[i] < 0 {
			return nil, false
		}
	}
	return places, true
}
