package meta

import (
	"bytes"
	"sync"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// Row is one row. It is immutable and lives as long as anyone holds it.
type Row struct {
	Key   []byte
	Cells []cell.Cell // sorted as HBase sorts the cells of a row, all puts
}

// Table is one of the two tables as of one catalog.View. It is immutable.
type Table struct {
	// Table describes it: families and the one region over all rows.
	*catalog.Table
	Rows []Row // sorted by Compare
	// Compare is the table's row order.
	Compare func(a, b []byte) int
}

// Region is the table's one region.
func (t *Table) Region() *catalog.Region { return t.Regions[0] }

// Meta makes the tables. It is safe for concurrent use.
type Meta struct {
	catalog *catalog.Catalog
	server  ServerName
	created int64

	namespace *catalog.Table

	mu   sync.Mutex
	made *made
}

// made is what was made of one View.
type made struct {
	view            *catalog.View
	meta, namespace *Table
	rows            map[*catalog.Table][]Row // of hbase:meta, by the table they are about
}

// New makes the tables of a catalog whose regions are all on one server.
func New(c *catalog.Catalog, server ServerName) *Meta {
	m := &Meta{catalog: c, server: server, created: c.CreatedMs()}
	m.namespace = catalog.NewVirtual(namespaceSchema(), m.created, nil, "")
	return m
}

// Tables are the descriptions of both tables, sorted by name. That of
// hbase:meta changes with the number of its replicas.
func (m *Meta) Tables() []*catalog.Table {
	return []*catalog.Table{m.now().meta.Table, m.namespace}
}

// Describe finds a description by name, or nil.
func (m *Meta) Describe(name catalog.TableName) *catalog.Table {
	for _, t := range m.Tables() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Region finds one of the two regions by its full or its encoded name, or nil.
// The replicas of hbase:meta have only a full name.
func (m *Meta) Region(name []byte) *catalog.Region {
	for _, t := range m.Tables() {
		if r := t.Regions[0]; string(r.Name) == string(name) || r.Encoded == string(name) {
			return r
		}
	}
	if !bytes.HasPrefix(name, []byte(metaRegionName)) {
		return nil
	}
	t := m.now().meta.Table
	for replica := 1; replica < t.Replicas; replica++ {
		if string(name) == metaRegionName+catalog.ReplicaSuffix(replica) {
			return t.Regions[0]
		}
	}
	return nil
}

// Table is one of the two tables as of now, or nil for any other name. Its
// rows are made anew when the catalog has changed.
func (m *Meta) Table(name catalog.TableName) *Table {
	switch name {
	case catalog.MetaTable:
		return m.now().meta
	case catalog.NamespaceTable:
		return m.now().namespace
	}
	return nil
}

// metaDescription describes hbase:meta. m.mu is held.
func (m *Meta) metaDescription(replicas int) *catalog.Table {
	if m.made != nil && m.made.meta.Replicas == replicas {
		return m.made.meta.Table
	}
	return catalog.NewVirtual(metaSchema(replicas), 1, []byte(metaRegionName), metaEncodedName)
}

func (m *Meta) now() *made {
	m.mu.Lock()
	defer m.mu.Unlock()
	// The View is taken under the lock: two callers must not make two Views in
	// turn and see time go backwards.
	v := m.catalog.View()
	if m.made == nil || m.made.view != v {
		next := &made{view: v, namespace: m.namespaceTable(v)}
		var before map[*catalog.Table][]Row
		if m.made != nil {
			before = m.made.rows
		}
		next.meta, next.rows = m.metaTable(v, before)
		next.meta.Table = m.metaDescription(v.MetaReplicas)
		m.made = next
	}
	return m.made
}
