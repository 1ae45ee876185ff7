package catalog

import (
	"errors"
	"fmt"
	"slices"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// ErrSQLChanged: a change was made on a version of a table that is not the
// newest any more.
var ErrSQLChanged = errors.New("catalog: the table was changed by another")

// SQLChange is a change of what the MySQL door sees. It happens as one.
type SQLChange struct {
	// Old and New are versions of tables, side by side: nil Old makes a table,
	// nil New drops it, and another Name renames it. Old must be the newest.
	Old, New []*SQLTable

	PutDatabases  []*Namespace
	DropDatabases []string
	PutObjects    []*SQLObject
	DropObjects   []SQLObjectName
	// Blobs are records of any kind by name (accounts, persisted variables).
	Blobs map[string][]byte
}

// Replace adds a table's change.
func (s *SQLChange) Replace(old, next *SQLTable) {
	s.Old, s.New = append(s.Old, old), append(s.New, next)
}

// NewDataIDs gives ids that were never used. Until a change uses them they count
// as dropped: what is written under them before a crash is deleted at start.
func (c *Catalog) NewDataIDs(n int) ([]uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.begin()
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = u.nextDataID()
	}
	u.putTrash(ids)
	return ids, u.commit()
}

// DiscardData deletes the data of ids that no table uses.
func (c *Catalog) DiscardData(ids []uint64) {
	for _, id := range ids {
		if err := c.sweep(id); err != nil {
			c.log.Error("dropped data is left for the next start", "data", id, "error", err)
		}
	}
}

// ChangeSQL makes a change durable and visible. dropped are the data ids that no
// table uses any more: the caller gives them to DiscardData once no statement
// can use them. It returns the View after the change.
func (c *Catalog) ChangeSQL(s *SQLChange) (dropped []uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	view := c.View()
	u := c.begin()
	u.sqlTables = map[TableName]*SQLTable{}
	u.sqlObjects = map[SQLObjectName]*SQLObject{}
	u.blobs = s.Blobs
	used := map[uint64]bool{}
	var before []uint64
	for i, old := range s.Old {
		if old == nil {
			continue
		}
		if view.SQLTables[old.Name] != old {
			return nil, ErrSQLChanged
		}
		before = append(before, old.DataIDs()...)
		u.batch.Delete(sqlTableKey(old.Name))
		u.sqlTables[old.Name] = nil
		u.frees = u.frees || s.New[i] == nil
	}
	for i, t := range s.New {
		if t == nil {
			continue
		}
		if _, moved := u.sqlTables[t.Name]; !moved && (view.SQLTables[t.Name] != nil || view.Tables[t.Name] != nil) {
			return nil, &ExistsError{t.Name}
		}
		if view.Namespaces[t.Name.Namespace] == nil {
			return nil, &NamespaceNotFoundError{t.Name.Namespace}
		}
		if s.Old[i] == nil && len(view.SQLTables)+len(view.Tables) >= c.limits.MaxTables {
			return nil, argumentErrorf("There are %d tables, no more are allowed", c.limits.MaxTables)
		}
		for _, id := range t.DataIDs() {
			used[id] = true
			if !slices.Contains(before, id) {
				u.batch.Delete(trashKey(id))
			}
		}
		u.batch.Put(sqlTableKey(t.Name), encode(t))
		u.sqlTables[t.Name] = t
	}
	for _, id := range before {
		if !used[id] {
			dropped = append(dropped, id)
		}
	}
	u.putTrash(dropped)
	for _, n := range s.PutDatabases {
		u.putNamespace(n)
	}
	for _, name := range s.DropDatabases {
		if err := u.dropDatabase(view, name); err != nil {
			return nil, err
		}
	}
	for _, o := range s.PutObjects {
		u.batch.Put(sqlObjectKey(o.Name), encode(o))
		u.sqlObjects[o.Name] = o
	}
	for _, n := range s.DropObjects {
		u.batch.Delete(sqlObjectKey(n))
		u.sqlObjects[n] = nil
	}
	for name, b := range s.Blobs {
		u.batch.Put(blobKey(name), append([]byte{recordVersion}, b...))
	}
	return dropped, u.commit()
}

// dropDatabase drops a namespace that the change itself leaves empty.
func (u *update) dropDatabase(view *View, name string) error {
	if view.Namespaces[name] == nil {
		return &NamespaceNotFoundError{name}
	}
	if name == DefaultNamespace || name == SystemNamespace {
		return &ConstraintError{"Reserved namespace " + name + " cannot be removed."}
	}
	for n := range view.Tables {
		if n.Namespace == name {
			return &ConstraintError{"Namespace " + name + " has HBase tables; drop them first"}
		}
	}
	for n := range view.SQLTables {
		if t, changed := u.sqlTables[n]; n.Namespace == name && (!changed || t != nil) {
			return ErrSQLChanged
		}
	}
	for n := range view.SQLObjects {
		if n.Database == name {
			u.batch.Delete(sqlObjectKey(n))
			u.sqlObjects[n] = nil
		}
	}
	u.batch.Delete(namespaceKey(name))
	u.namespaces[name] = nil
	u.frees = true
	return nil
}

func sqlTableKey(n TableName) []byte {
	k := keys.AppendEscaped([]byte{keys.SpaceCatalog, kindSQLTable}, []byte(n.Namespace))
	return append(k, n.Qualifier...)
}

func sqlObjectKey(n SQLObjectName) []byte {
	k := keys.AppendEscaped([]byte{keys.SpaceCatalog, kindSQLObject}, []byte(n.Database))
	return append(append(k, byte(n.Kind)), n.Name...)
}

func blobKey(name string) []byte {
	return append([]byte{keys.SpaceCatalog, kindBlob}, name...)
}

// addSQL takes one record of the kinds that are SQL's.
func (l *loaded) addSQL(key, value []byte) error {
	malformed := fmt.Errorf("catalog: malformed key %x: %w", key, kv.ErrCorrupt)
	rest := key[2:]
	switch key[1] {
	case kindSQLTable:
		name, ok := parseTableKey(rest)
		if !ok {
			return malformed
		}
		t := &SQLTable{Name: name}
		if err := decode(key, value, t); err != nil {
			return err
		}
		if t.ID == 0 || t.Primary.DataID == 0 {
			return fmt.Errorf("catalog: table %s has no ids: %w", name, kv.ErrCorrupt)
		}
		l.sqlTables[name] = t
	case kindSQLObject:
		db, n := keys.Unescape(nil, rest)
		if n == 0 || n == len(rest) {
			return malformed
		}
		o := &SQLObject{Name: SQLObjectName{string(db), SQLObjectKind(rest[n]), string(rest[n+1:])}}
		if err := decode(key, value, o); err != nil {
			return err
		}
		l.sqlObjects[o.Name] = o
	case kindBlob:
		if len(value) == 0 || value[0] != recordVersion {
			return malformed
		}
		l.blobs[string(rest)] = append([]byte{}, value[1:]...)
	}
	return nil
}
