package meta

import (
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
	// Table describes it: families and the one region over all rows. It is the
	// same for the life of the process.
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

	meta, namespace *catalog.Table

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
	m.meta = catalog.NewVirtual(metaSchema(), 1, []byte(metaRegionName), metaEncodedName)
	m.namespace = catalog.NewVirtual(namespaceSchema(), m.created, nil, "")
	return m
}

// Tables are the descriptions of both tables, sorted by name. They stay the
// same for the life of the process.
func (m *Meta) Tables() []*catalog.Table { return []*catalog.Table{m.meta, m.namespace} }

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
func (m *Meta) Region(name []byte) *catalog.Region {
	for _, t := range m.Tables() {
		if r := t.Regions[0]; string(r.Name) == string(name) || r.Encoded == string(name) {
			return r
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
		m.made = next
	}
	return m.made
}
