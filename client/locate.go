package client

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

const (
	metaTable        = "hbase:meta"
	metaRegionName   = "hbase:meta,,1"
	defaultNamespace = "default"

	// metaPriority is the priority that HBase gives to requests to hbase:meta.
	metaPriority = 200
	// metaPrefetch is how many regions are read ahead where more than one is
	// likely to be wanted.
	metaPrefetch = 100
	// lookups is how many questions about one table go to hbase:meta at a time.
	// Many callers miss the same few regions together.
	lookups = 4
)

// metaLocation caches where hbase:meta is.
type metaLocation struct {
	region atomic.Pointer[region]
	lock   chan struct{} // held by who asks the registry
}

// metaRegion returns the region of hbase:meta.
func (c *Client) metaRegion(ctx context.Context) (*region, error) {
	if r := c.meta.region.Load(); r != nil {
		return r, nil
	}
	select {
	case c.meta.lock <- struct{}{}:
		defer func() { <-c.meta.lock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r := c.meta.region.Load(); r != nil {
		return r, nil
	}
	addr, err := c.registry.meta(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.server(addr)
	if err != nil {
		return nil, err
	}
	r := &region{Region: Region{Table: metaTable, Name: []byte(metaRegionName), ID: 1, Server: addr}, server: s}
	c.meta.region.Store(r)
	return r, nil
}

// locate returns the region of a row, from the cache or from hbase:meta. With
// ahead, regions that follow are looked up along with one that is not cached.
func (t *Table) locate(ctx context.Context, row []byte, ahead bool) (*region, error) {
	if r := t.cache.find(row); r != nil {
		return r, nil
	}
	return t.lookUp(ctx, func() *region { return t.cache.find(row) }, func(ctx context.Context) (*region, error) {
		return t.askMeta(ctx, metaKey(t.name, row, lastID), row, ahead)
	})
}

// locateBefore returns the region that ends at key, or the table's last one when
// key is empty.
func (t *Table) locateBefore(ctx context.Context, key []byte) (*region, error) {
	if r := t.cache.before(key); r != nil {
		return r, nil
	}
	return t.lookUp(ctx, func() *region { return t.cache.before(key) }, func(ctx context.Context) (*region, error) {
		from := metaKey(t.name, key, firstID)
		if len(key) == 0 {
			// In meta's order the table's name and a zero byte come after all
			// of its regions.
			from = metaKey(t.name+"\x00", nil, firstID)
		}
		r, err := t.askMeta(ctx, from, nil, false)
		if err == nil && !bytes.Equal(r.End, key) {
			return nil, fmt.Errorf("%w: no region of %s ends at %q", ErrUnavailable, t.name, key)
		}
		return r, err
	})
}

// lookUp asks hbase:meta, unless another caller's question has filled the cache.
func (t *Table) lookUp(ctx context.Context, cached func() *region, ask func(context.Context) (*region, error)) (*region, error) {
	if t.name == metaTable {
		r, err := t.c.metaRegion(ctx)
		if err == nil {
			t.cache.add(r)
		}
		return r, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.c.ctx, cancel)()
	select {
	case t.lookups <- struct{}{}:
		defer func() { <-t.lookups }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r := cached(); r != nil {
		return r, nil
	}
	return ask(ctx)
}

// regionError is ErrUnavailable of a region that no server has.
type regionError struct {
	g   *region
	why string
}

func (e *regionError) Error() string {
	return fmt.Sprintf("%v: region %s %s", ErrUnavailable, e.g.Name, e.why)
}

func (e *regionError) Is(target error) bool { return target == ErrUnavailable }

// The ids of regions in keys of hbase:meta, before and after all that are.
const (
	firstID = "00000000000000"
	lastID  = "99999999999999"
)

// metaKey is a key of hbase:meta: table, start key and id, with commas between.
// It is a row key itself, and may be no longer than one: no region starts with
// more than what is left of a key that would be.
func metaKey(table string, start []byte, id string) []byte {
	start = start[:min(len(start), max(maxRowBytes-len(table)-len(id)-2, 0))]
	k := make([]byte, 0, len(table)+len(start)+len(id)+2)
	k = append(append(k, table...), ',')
	k = append(append(k, start...), ',')
	return append(k, id...)
}

// askMeta reads the region at or before a key of hbase:meta into the cache. It
// must have the row, if there is one.
func (t *Table) askMeta(ctx context.Context, from, row []byte, ahead bool) (*region, error) {
	found, err := t.scanMeta(ctx, &pb.Scan{
		StartRow: from, StopRow: metaKey(t.name, nil, ""), IncludeStop: true, Reversed: true,
	}, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].Table != t.name {
		return nil, fmt.Errorf("%w: %s", ErrTableNotFound, t.name)
	}
	r := found[0]
	switch {
	case row != nil && !r.has(row):
		return nil, fmt.Errorf("%w: no region of %s has row %.80q", ErrUnavailable, t.name, row)
	case r.Offline:
		return nil, &regionError{r, "is offline"}
	case r.server == nil:
		return nil, &regionError{r, "is on no server"}
	}
	t.cache.add(r)
	if ahead && len(r.End) > 0 {
		return r, t.readAhead(ctx, r.End)
	}
	return r, nil
}

// readAhead caches the regions that follow a key.
func (t *Table) readAhead(ctx context.Context, key []byte) error {
	next, err := t.scanMeta(ctx, t.metaRange(key), metaPrefetch)
	for _, n := range next {
		if n.server != nil && !n.Offline && t.cache.find(n.Start) == nil {
			t.cache.add(n)
		}
	}
	return err
}

// metaRange scans the rows of the table's regions from a start key on. A space
// sorts before the comma, and in meta's order after all rows of the table.
func (t *Table) metaRange(from []byte) *pb.Scan {
	return &pb.Scan{StartRow: metaKey(t.name, from, ""), StopRow: []byte(t.name + " ,,")}
}

var familyInfo = []pb.Column{{Family: []byte("info")}}

// scanMeta reads at most limit rows of hbase:meta in one call, the regions that
// they describe.
func (t *Table) scanMeta(ctx context.Context, scan *pb.Scan, limit int) ([]*region, error) {
	t.c.lookups.Add(1)
	meta, err := t.c.metaRegion(ctx)
	if err != nil {
		return nil, err
	}
	scan.Columns, scan.MaxVersions, scan.CacheBlocks = familyInfo, 1, true
	if !scan.HasIncludeStart {
		scan.IncludeStart, scan.HasIncludeStart = true, true
	}
	scan.HasIncludeStop = true
	scan.ReadType, scan.Caching, scan.HasCaching = pb.ReadPread, uint32(limit), true
	request := pb.ScanRequest{
		Region: pb.Region{Value: meta.Name}, HasRegion: true, Scan: *scan, HasScan: true,
		NumberOfRows: uint32(limit), HasNumberOfRows: true, CloseScanner: true,
	}
	r := rpc.Request{
		Method: "Scan", Message: pb.AppendScanRequest(nil, &request), Priority: metaPriority,
		Deadline: time.Now().Add(t.c.config.RPCTimeout),
	}
	regions, err := t.c.callMeta(ctx, meta, &r)
	if err != nil {
		// Another may have hbase:meta by now.
		t.c.meta.region.CompareAndSwap(meta, nil)
	}
	return regions, err
}

func (c *Client) callMeta(ctx context.Context, meta *region, r *rpc.Request) ([]*region, error) {
	conn, err := meta.server.client.Get(ctx)
	if err != nil {
		return nil, err
	}
	response, err := conn.Do(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", metaTable, fromRPC(err, meta.Server))
	}
	var header pb.ScanResponse
	results, err := decodeScan(response, &header)
	if err != nil {
		return nil, err
	}
	var regions []*region
	for i := range results {
		g, err := c.metaRow(&results[i])
		if err != nil {
			return nil, err
		}
		if g != nil {
			regions = append(regions, g)
		}
	}
	return regions, nil
}

// metaRow reads a row of hbase:meta; nil for one that is no region's.
func (c *Client) metaRow(r *Result) (*region, error) {
	info := r.Value("info", []byte("regioninfo"))
	if len(info) == 0 {
		return nil, nil
	}
	g, err := parseRegion(r.Row(), info)
	if err != nil {
		return nil, fmt.Errorf("%w: %s row %q: %w", errMalformed, metaTable, r.Row(), err)
	}
	if v := r.Value("info", []byte("serverstartcode")); len(v) == 8 {
		g.StartCode = int64(binary.BigEndian.Uint64(v))
	}
	if g.Server = string(r.Value("info", []byte("server"))); g.Server != "" {
		if g.server, err = c.server(g.Server); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Regions reads the table's regions from hbase:meta, in order, into the cache
// too.
func (t *Table) Regions(ctx context.Context) ([]Region, error) {
	var all []Region
	err := t.c.retry(ctx, "regions of "+t.name, func(ctx context.Context) error {
		all = all[:0]
		if t.name == metaTable {
			r, err := t.c.metaRegion(ctx)
			if err == nil {
				all = append(all, r.Region)
			}
			return err
		}
		for scan := t.metaRange(nil); ; {
			next, err := t.scanMeta(ctx, scan, metaPrefetch)
			if err != nil {
				return err
			}
			for _, r := range next {
				if r.Table != t.name || r.Offline {
					continue
				}
				all = append(all, r.Region)
				if r.server != nil {
					t.cache.add(r)
				}
			}
			if len(next) < metaPrefetch {
				break
			}
			scan = t.metaRange(nil)
			scan.StartRow, scan.IncludeStart, scan.HasIncludeStart = next[len(next)-1].Name, false, true
		}
		if len(all) == 0 {
			return fmt.Errorf("%w: %s", ErrTableNotFound, t.name)
		}
		return nil
	}, nil)
	return all, err
}

// Warm looks up all regions of the table and opens all connections to their
// servers, so that what follows waits for neither.
func (t *Table) Warm(ctx context.Context) error {
	if _, err := t.Regions(ctx); err != nil {
		return err
	}
	seen := make(map[*server]bool)
	for _, r := range t.cache.regions() {
		if !seen[r.server] {
			seen[r.server] = true
			if err := r.server.client.Open(ctx); err != nil {
				return &OpError{Op: "warm", Table: t.name, Err: err}
			}
		}
	}
	return nil
}

// failedAt does what the failure of a call to a region calls for, but for
// trying again.
func (t *Table) failedAt(g *region, r reaction, err error) {
	if r.relocate {
		t.moved(g, err)
	}
	if r.serverGone {
		g.server.client.Retire()
	}
}

// moved is what is done about a region that did not serve.
func (t *Table) moved(r *region, err error) {
	t.cache.drop(r)
	if t.name == metaTable {
		t.c.meta.region.CompareAndSwap(r, nil)
	}
	remote, ok := asRemote(err)
	if !ok {
		return
	}
	t.c.moves.Add(1)
	if remote.host == "" || remote.port <= 0 {
		return
	}
	// The server says where the region went.
	addr := joinHostPort(remote.host, uint32(remote.port))
	if s, err := t.c.server(addr); err == nil && addr != r.Server {
		g := *r
		g.Server, g.StartCode, g.server = addr, 0, s
		t.cache.add(&g)
	}
}

// compareCells orders the cells of one row as servers send them.
func compareCells(a, b *Cell) int {
	if c := bytes.Compare(a.Family, b.Family); c != 0 {
		return c
	}
	if c := bytes.Compare(a.Qualifier, b.Qualifier); c != 0 {
		return c
	}
	return cell.CompareVersion(a.Timestamp, cell.Type(a.Type), b.Timestamp, cell.Type(b.Type))
}
