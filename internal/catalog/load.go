package catalog

import (
	"bytes"
	"fmt"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// loaded is what the engine holds.
type loaded struct {
	store      *storeRecord // nil: a new engine
	tables     map[TableName]*Table
	namespaces map[string]*Namespace
	switches   map[string]bool
	trash      []uint64
	sqlTables  map[TableName]*SQLTable
	sqlObjects map[SQLObjectName]*SQLObject
	blobs      map[string][]byte
}

// load reads all of the catalog's space in one pass.
func load(engine kv.Engine) (*loaded, error) {
	l := &loaded{
		tables:     map[TableName]*Table{},
		namespaces: map[string]*Namespace{},
		switches:   map[string]bool{},
		sqlTables:  map[TableName]*SQLTable{},
		sqlObjects: map[SQLObjectName]*SQLObject{},
		blobs:      map[string][]byte{},
	}
	regions := map[TableName][]span{}
	it, err := engine.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{
		Start: []byte{keys.SpaceCatalog}, End: []byte{keys.SpaceCatalog + 1},
	}})
	if err != nil {
		return nil, fmt.Errorf("catalog: reading: %w", err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.Value()
		if err != nil {
			return nil, fmt.Errorf("catalog: reading key %x: %w", it.Key(), err)
		}
		if err := l.add(it.Key(), value, regions); err != nil {
			return nil, err
		}
	}
	if err := it.Error(); err != nil {
		return nil, fmt.Errorf("catalog: reading: %w", err)
	}
	for name, t := range l.tables {
		if err := checkCover(regions[name]); err != nil {
			return nil, fmt.Errorf("catalog: table %s: %v: %w", name, err, kv.ErrCorrupt)
		}
		t.setRegions(regions[name])
		delete(regions, name)
	}
	for name := range regions {
		return nil, fmt.Errorf("catalog: regions of unknown table %s: %w", name, kv.ErrCorrupt)
	}
	return l, nil
}

// add takes one record. key and value are not kept.
func (l *loaded) add(key, value []byte, regions map[TableName][]span) error {
	malformed := fmt.Errorf("catalog: malformed key %x: %w", key, kv.ErrCorrupt)
	if len(key) < 2 {
		return malformed
	}
	rest := key[2:]
	switch key[1] {
	case kindStore:
		l.store = new(storeRecord)
		return decode(key, value, l.store)
	case kindNamespace:
		var r namespaceRecord
		if err := decode(key, value, &r); err != nil {
			return err
		}
		l.namespaces[string(rest)] = &Namespace{string(rest), stringPairs(r.Configuration)}
	case kindSwitch:
		var r switchRecord
		if err := decode(key, value, &r); err != nil {
			return err
		}
		l.switches[string(rest)] = r.On
	case kindTrash:
		id, n := keys.Uvarint(rest)
		if n == 0 || n != len(rest) {
			return malformed
		}
		l.trash = append(l.trash, id)
	case kindTable:
		name, ok := parseTableKey(rest)
		if !ok {
			return malformed
		}
		var r tableRecord
		if err := decode(key, value, &r); err != nil {
			return err
		}
		t, err := r.table(name)
		if err != nil {
			return err
		}
		l.tables[name] = t
	case kindRegion:
		name, start, ok := parseRegionKey(rest)
		if !ok {
			return malformed
		}
		var r regionRecord
		if err := decode(key, value, &r); err != nil {
			return err
		}
		regions[name] = append(regions[name], span{start: start, end: append([]byte{}, r.End...), id: r.ID})
	case kindSQLTable, kindSQLObject, kindBlob:
		return l.addSQL(key, value)
	default:
		// A newer version may know more kinds, but then it says so in the
		// format of the data directory; here it is damage.
		return malformed
	}
	return nil
}

// checkCover tells whether spans, sorted by start, cover all rows once.
func checkCover(spans []span) error {
	at := []byte{}
	for i, s := range spans {
		if !bytes.Equal(s.start, at) {
			return fmt.Errorf("regions leave a hole or overlap at %x", at)
		}
		at = s.end
		if (len(at) == 0) != (i == len(spans)-1) {
			return fmt.Errorf("regions end at %x", at)
		}
	}
	if len(spans) == 0 {
		return fmt.Errorf("no regions")
	}
	return nil
}
