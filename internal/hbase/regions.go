package hbase

import (
	"bytes"
	"errors"
	"sync/atomic"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/wide"
)

// maxRelookups is how often an operation looks its region up again because the
// table was replaced under it. Changes of one table come seconds apart.
const maxRelookups = 5

// again tells whether an operation that failed with err is to look its region
// up once more: nothing has happened yet.
func again(err error, try int) bool {
	return try < maxRelookups && errors.Is(err, wide.ErrRetired)
}

// region finds the region that a specifier names, by its value alone: clients
// get the type wrong. Regions of tables that are not enabled are not served.
func (s *Service) region(specifier []byte) (*catalog.Region, error) {
	v := s.catalog.View()
	r := v.ByName[string(specifier)]
	if r == nil {
		if r = s.meta.Region(specifier); r != nil {
			return r, nil
		}
		r = v.ByEncoded[string(encodedName(specifier))]
	}
	if r == nil || r.Table.State != catalog.Enabled {
		return nil, s.notServing(specifier)
	}
	return r, nil
}

// encodedName is the 32 hex digits of a region name that ends in them and a
// dot, else the bytes as they are.
func encodedName(specifier []byte) []byte {
	const digits = 32
	if n := len(specifier); n > digits && specifier[n-1] == '.' {
		return specifier[n-1-digits : n-1]
	}
	return specifier
}

// isVirtual tells whether a region is one of a table made from the catalog.
func isVirtual(r *catalog.Region) bool { return r.Table.Name.IsSystem() }

// readOnlyTable is the answer to a write to such a table.
func readOnlyTable(r *catalog.Region) *rpc.Error {
	return refuse("%s is made from the catalog and cannot be written", r.Table.Name)
}

// virtualTables keeps the last rows of each table in the form that wide reads.
type virtualTables struct{ meta, namespace atomic.Pointer[virtualRows] }

type virtualRows struct {
	of   *meta.Table
	rows wide.Virtual
}

// virtual are the rows of a virtual table as of now.
func (s *Service) virtual(r *catalog.Region) *wide.Virtual {
	slot := &s.virtuals.meta
	if r.Table.Name == catalog.NamespaceTable {
		slot = &s.virtuals.namespace
	}
	t := s.meta.Table(r.Table.Name)
	if v := slot.Load(); v != nil && v.of == t {
		return &v.rows
	}
	v := &virtualRows{of: t, rows: wide.Virtual{
		Name: t.Name.String(), Compare: t.Compare, Families: familyNames(t.Table), Rows: make([]wide.VirtualRow, len(t.Rows)),
	}}
	for i, row := range t.Rows {
		v.rows.Rows[i] = wide.VirtualRow(row)
	}
	slot.Store(v)
	return &v.rows
}

func familyNames(t *catalog.Table) [][]byte {
	names := make([][]byte, len(t.Families))
	for i, f := range t.Families {
		names[i] = f.Name
	}
	return names
}

// gone tells whether the region that a scanner reads is not the one that is
// served now. The client then opens a new scanner behind the last row it has.
func (s *Service) gone(r *catalog.Region) bool {
	return !isVirtual(r) && (r.Table.Retired() || r.Table.State != catalog.Enabled)
}

// sameTable tells whether two rows of hbase:meta are of one table: what stands
// before the first comma.
func sameTable(a, b []byte) bool {
	a, _, _ = bytes.Cut(a, []byte{','})
	b, _, _ = bytes.Cut(b, []byte{','})
	return bytes.Equal(a, b)
}
