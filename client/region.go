package client

import (
	"bytes"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// Region is a part of a table, from a start key up to, and without, an end key.
type Region struct {
	Table string
	// Name is the full name, which requests carry.
	Name []byte
	// ID is the time of its making, in ms.
	ID uint64
	// Start and End bound its rows; an empty end is that of the table.
	Start, End []byte
	// Server is the HOST:PORT that serves it; empty while nobody does.
	Server string
	// StartCode tells a server from an earlier one at the same address.
	StartCode int64
	Offline   bool
}

// Encoded is the hash at the end of the region's name, by which logs and admin
// tools call it.
func (r *Region) Encoded() string {
	if string(r.Name) == metaRegionName {
		return "1588230740"
	}
	n := bytes.TrimSuffix(r.Name, []byte("."))
	return string(n[bytes.LastIndexByte(n, '.')+1:])
}

// region is a Region in the cache; it does not change.
type region struct {
	Region
	server *server
}

func (r *region) has(row []byte) bool {
	return bytes.Compare(r.Start, row) <= 0 && (len(r.End) == 0 || bytes.Compare(row, r.End) < 0)
}

// overlaps tells whether two regions share rows.
func (r *region) overlaps(o *region) bool {
	return (len(o.End) == 0 || bytes.Compare(r.Start, o.End) < 0) && (len(r.End) == 0 || bytes.Compare(o.Start, r.End) < 0)
}

// regionCache holds what is known of one table's regions. Readers take no lock:
// changes replace the list.
type regionCache struct {
	list atomic.Pointer[[]*region] // by start key, none overlaps another

	mu sync.Mutex // orders changes
}

func (rc *regionCache) regions() []*region {
	if l := rc.list.Load(); l != nil {
		return *l
	}
	return nil
}

// find returns the region of a row; nil when it is not known.
func (rc *regionCache) find(row []byte) *region {
	l := rc.regions()
	// The last region that starts at or before the row.
	lo, hi := 0, len(l)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bytes.Compare(l[mid].Start, row) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 || !l[lo-1].has(row) {
		return nil
	}
	return l[lo-1]
}

// before returns the region that ends at key; with an empty key the last one.
func (rc *regionCache) before(key []byte) *region {
	l := rc.regions()
	i := len(l)
	if len(key) > 0 {
		i = sort.Search(len(l), func(i int) bool { return bytes.Compare(l[i].Start, key) >= 0 })
	}
	if i == 0 || !bytes.Equal(l[i-1].End, key) {
		return nil
	}
	return l[i-1]
}

// add puts a region in place of those it overlaps.
func (rc *regionCache) add(r *region) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	l := rc.regions()
	from := sort.Search(len(l), func(i int) bool { return len(l[i].End) == 0 || bytes.Compare(l[i].End, r.Start) > 0 })
	to := from
	for to < len(l) && l[to].overlaps(r) {
		to++
	}
	changed := slices.Concat(l[:from], []*region{r}, l[to:])
	rc.list.Store(&changed)
}

// drop forgets a region, unless it was replaced meanwhile.
func (rc *regionCache) drop(r *region) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	l := rc.regions()
	if i := slices.Index(l, r); i >= 0 {
		changed := slices.Concat(l[:i], l[i+1:])
		rc.list.Store(&changed)
	}
}

// parseRegion reads the regioninfo of a row of hbase:meta.
//
//	"PBUF" | RegionInfo
func parseRegion(name, value []byte) (*region, error) {
	b, ok := bytes.CutPrefix(value, []byte(pb.PBUF))
	var info pb.RegionInfo
	if !ok {
		return nil, errMalformed
	}
	if err := info.Decode(b); err != nil {
		return nil, err
	}
	table := string(info.Qualifier)
	if ns := string(info.Namespace); ns != "" && ns != defaultNamespace {
		table = ns + ":" + table
	}
	return &region{Region: Region{
		Table: table, Name: bytes.Clone(name), ID: info.ID,
		Start: bytes.Clone(info.StartKey), End: bytes.Clone(info.EndKey), Offline: info.Offline || info.Split,
	}}, nil
}
