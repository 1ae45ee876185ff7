package rel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// buildBatchBytes bounds what a build of an index holds in memory.
const buildBatchBytes = 1 << 20

// CreateTable makes a table. Its ids are given here.
func (s *Store) CreateTable(def *catalog.SQLTable) error {
	ids, err := s.catalog.NewDataIDs(2 + len(def.Indexes))
	if err != nil {
		return err
	}
	def.ID, def.Primary.DataID = ids[0], ids[1]
	for i := range def.Indexes {
		def.Indexes[i].DataID = ids[2+i]
	}
	if _, err := s.compile(def); err != nil {
		s.catalog.DiscardData(ids)
		return err
	}
	change := &catalog.SQLChange{}
	change.Replace(nil, def)
	if _, err := s.catalog.ChangeSQL(change); err != nil {
		s.catalog.DiscardData(ids)
		return err
	}
	return nil
}

// locked is a set of tables that no transaction uses.
type locked struct {
	s      *Store
	kv     kv.Txn
	tables []*Table
}

// lockTables waits until no transaction uses the tables, for at most wait each.
func (s *Store) lockTables(ctx context.Context, wait time.Duration, names ...catalog.TableName) (*locked, error) {
	x, err := s.engine.Begin(ctx, kv.TxnOptions{})
	if err != nil {
		return nil, err
	}
	l := &locked{s: s, kv: x}
	for _, name := range names {
		for {
			t, err := s.Lookup(name)
			if err == nil && t == nil {
				err = &NoTableError{name}
			}
			if err == nil {
				_, err = x.Lock(ctx, kv.LockExclusive, kv.LockWait{Timeout: wait}, t.lockName)
			}
			if err != nil {
				x.Rollback()
				return nil, err
			}
			if !t.Def.Retired() {
				l.tables = append(l.tables, t)
				break
			}
		}
	}
	return l, nil
}

// commit makes a change of locked tables, and gives the locks up.
func (l *locked) commit(change *catalog.SQLChange) error {
	s := l.s
	// Before the change is visible, and after what was written for it: whoever
	// reads the new version has a snapshot with that, or knows that it has not.
	seq := s.ddl.Add(1)
	s.mu.Lock()
	for _, t := range l.tables {
		s.changed[t.Def.ID] = seq
	}
	s.mu.Unlock()
	dropped, err := s.catalog.ChangeSQL(change)
	l.kv.Rollback()
	if err != nil {
		return err
	}
	for i, t := range l.tables {
		s.tables.Delete(t.Def)
		if i < len(change.New) && change.New[i] == nil {
			s.mu.Lock()
			delete(s.counters, t.Def.ID)
			delete(s.changed, t.Def.ID)
			s.mu.Unlock()
		}
	}
	s.catalog.DiscardData(dropped)
	return nil
}

// DropTables drops tables, all or none, and databases with them if there are
// any in the change.
func (s *Store) DropTables(ctx context.Context, wait time.Duration, names []catalog.TableName, databases ...string) error {
	l, err := s.lockTables(ctx, wait, names...)
	if err != nil {
		return err
	}
	change := &catalog.SQLChange{DropDatabases: databases}
	b := s.engine.NewBatch()
	for _, t := range l.tables {
		change.Replace(t.Def, nil)
		b.Delete(keys.AppendRelCounter(nil, t.Def.ID))
	}
	if err := l.commit(change); err != nil {
		return err
	}
	// A counter that stays behind after a crash is a few bytes under an id that
	// is never used again.
	if b.Count() > 0 {
		_, err = s.engine.Apply(b, kv.DurabilityAsync, nil)
	}
	return err
}

// RenameTables gives tables new names, all or none; a name may be one that
// another of them gives up.
func (s *Store) RenameTables(ctx context.Context, wait time.Duration, from, to []catalog.TableName) error {
	l, err := s.lockTables(ctx, wait, from...)
	if err != nil {
		return err
	}
	change := &catalog.SQLChange{}
	moved := map[catalog.TableName]catalog.TableName{}
	for i, t := range l.tables {
		next := t.Def.Clone()
		next.Name = to[i]
		next.Version++
		moved[from[i]] = to[i]
		change.Replace(t.Def, next)
	}
	// Foreign keys follow their parents.
	for _, def := range s.catalog.View().SQLTables {
		if _, mine := moved[def.Name]; !mine && refersTo(def, moved) {
			next := def.Clone()
			next.Version++
			change.Replace(def, next)
		}
	}
	for _, next := range change.New {
		for i := range next.ForeignKeys {
			f := &next.ForeignKeys[i]
			if name, ok := moved[catalog.TableName{Namespace: f.ParentSchema, Qualifier: f.Parent}]; ok {
				f.ParentSchema, f.Parent = name.Namespace, name.Qualifier
			}
		}
	}
	return l.commit(change)
}

func refersTo(def *catalog.SQLTable, names map[catalog.TableName]catalog.TableName) bool {
	for _, f := range def.ForeignKeys {
		if _, ok := names[catalog.TableName{Namespace: f.ParentSchema, Qualifier: f.Parent}]; ok {
			return true
		}
	}
	return false
}

// Truncate drops all rows of a table and lets AUTO_INCREMENT begin again.
func (s *Store) Truncate(ctx context.Context, wait time.Duration, name catalog.TableName) error {
	l, err := s.lockTables(ctx, wait, name)
	if err != nil {
		return err
	}
	old := l.tables[0].Def
	next := old.Clone()
	next.Version++
	next.AutoFloor = 0
	ids, err := s.catalog.NewDataIDs(1 + len(next.Indexes))
	if err != nil {
		l.kv.Rollback()
		return err
	}
	next.Primary.DataID = ids[0]
	for i := range next.Indexes {
		next.Indexes[i].DataID = ids[1+i]
	}
	change := &catalog.SQLChange{}
	change.Replace(old, next)
	c := l.tables[0].auto
	c.mu.Lock()
	if err = c.load(s, old); err == nil {
		c.auto, c.savedAuto = 1, 0
		err = c.save(s, next)
	}
	c.mu.Unlock()
	if err != nil {
		l.kv.Rollback()
		return err
	}
	return l.commit(change)
}

// Convert makes a row of the new version of a table from one of the old.
type Convert func(old []row.Value) ([]row.Value, error)

// Alter replaces a version of a table. base is the version that next was made
// from: if it is not the newest any more, catalog.ErrSQLChanged. Indexes of next
// without a data id are built; if the primary has none, all rows are written
// anew, through convert (or column by column if that is nil).
func (s *Store) Alter(ctx context.Context, wait time.Duration, base, next *catalog.SQLTable, convert Convert) error {
	l, err := s.lockTables(ctx, wait, base.Name)
	if err != nil {
		return err
	}
	old := l.tables[0]
	if old.Def != base {
		l.kv.Rollback()
		return catalog.ErrSQLChanged
	}
	next.Version = base.Version + 1
	ids, err := s.alterData(ctx, old, next, convert)
	if err != nil {
		l.kv.Rollback()
		s.catalog.DiscardData(ids)
		return err
	}
	change := &catalog.SQLChange{}
	change.Replace(base, next)
	return l.commit(change)
}

// alterData gives new indexes their ids and fills them.
func (s *Store) alterData(ctx context.Context, old *Table, next *catalog.SQLTable, convert Convert) (ids []uint64, err error) {
	rewrite := next.Primary.DataID == 0
	if rewrite {
		for i := range next.Indexes {
			next.Indexes[i].DataID = 0
		}
	}
	n := 0
	for _, id := range next.DataIDs() {
		if id == 0 {
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	if ids, err = s.catalog.NewDataIDs(n); err != nil {
		return nil, err
	}
	give := ids
	take := func(x *catalog.SQLIndex) bool {
		if x.DataID != 0 {
			return false
		}
		x.DataID, give = give[0], give[1:]
		return true
	}
	take(&next.Primary)
	var building []int
	for i := range next.Indexes {
		if take(&next.Indexes[i]) {
			building = append(building, i)
		}
	}
	t, err := s.compile(next)
	if err != nil {
		return ids, err
	}
	b := &builder{s: s, batch: s.engine.NewBatch(), seen: map[string]bool{}, t: t}
	for _, i := range building {
		b.indexes = append(b.indexes, t.Indexes[i])
	}
	if !rewrite {
		return ids, b.run(ctx, old, nil)
	}
	if convert == nil {
		convert = byColumn(old.Def, next)
	}
	return ids, b.run(ctx, old, convert)
}

// byColumn copies the columns that both versions have.
func byColumn(old, next *catalog.SQLTable) Convert {
	from := make([]int, len(next.Columns))
	for i := range next.Columns {
		from[i] = old.ColumnByID(next.Columns[i].ID)
	}
	return func(in []row.Value) ([]row.Value, error) {
		out := make([]row.Value, len(from))
		for i, f := range from {
			if f >= 0 {
				out[i] = in[f]
			}
		}
		return out, nil
	}
}

// builder fills the indexes of a new version of a table that nobody uses yet.
type builder struct {
	s       *Store
	t       *Table
	indexes []*Index
	batch   kv.Batch
	// seen are the unique keys in the batch, which the engine does not show yet.
	seen map[string]bool
}

// run goes through all rows of old. Without convert the rows stay where they
// are.
func (b *builder) run(ctx context.Context, old *Table, convert Convert) error {
	start, end := old.Primary.All()
	it, err := b.s.engine.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: start, End: end}, NoCache: true})
	if err != nil {
		return err
	}
	defer it.Close()
	values := make([]row.Value, len(old.Def.Columns))
	var pk, entry, value []byte
	for ok := it.First(); ok; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		stored, err := it.Value()
		if err != nil {
			return err
		}
		if err := old.Decode(values, stored, nil); err != nil {
			return err
		}
		out := values
		pk = append(pk[:0], it.Key()...)
		if convert != nil {
			if out, err = convert(values); err != nil {
				return err
			}
			if err := b.t.checkNulls(out); err != nil {
				return err
			}
			if pk, err = b.rowKey(pk[:0], old, it.Key(), out); err != nil {
				return err
			}
			value = b.t.layout.Append(value[:0], out)
			b.batch.Put(pk, value)
		}
		for _, i := range b.indexes {
			var free bool
			entry, value, free = b.t.appendEntry(entry[:0], value[:0], i, out, pk)
			if i.Def.Unique && !free {
				if err := b.claim(i, entry, out); err != nil {
					return err
				}
			}
			b.batch.Put(entry, value)
		}
		if b.batch.Len() >= buildBatchBytes {
			if err := b.flush(); err != nil {
				return err
			}
		}
	}
	if err := it.Error(); err != nil {
		return err
	}
	return b.flush()
}

// rowKey is the key of a row that is written anew.
func (b *builder) rowKey(dst []byte, old *Table, oldKey []byte, values []row.Value) ([]byte, error) {
	if !b.t.Hidden() {
		dst = b.t.appendPrimaryKey(dst, values)
		return dst, b.claim(b.t.Primary, dst, values)
	}
	dst = append(dst, b.t.Primary.prefix...)
	if old.Hidden() {
		return append(dst, oldKey[len(old.Primary.prefix):]...), nil
	}
	n, err := b.t.nextHidden()
	return keys.AppendUvarint(dst, n), err
}

// claim refuses a unique key that another row has.
func (b *builder) claim(i *Index, key []byte, values []row.Value) error {
	if !b.seen[string(key)] {
		_, err := b.s.engine.Get(nil, key)
		if errors.Is(err, kv.ErrNotFound) {
			b.seen[string(key)] = true
			return nil
		}
		if err != nil {
			return err
		}
	}
	return &DuplicateKeyError{Table: b.t, Index: i, New: cloneValues(values), Key: bytes.Clone(key)}
}

func (b *builder) flush() error {
	if b.batch.Count() == 0 {
		return nil
	}
	// Not synced: the change of the catalog comes later in the same log.
	if _, err := b.s.engine.Apply(b.batch, kv.DurabilityAsync, nil); err != nil {
		return fmt.Errorf("rel: building %s: %w", b.t.Def.Name, err)
	}
	b.batch.Reset()
	clear(b.seen)
	return nil
}
