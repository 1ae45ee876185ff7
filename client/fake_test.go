package client_test

// A cluster made of nothing but sockets, for what a real one does too rarely to
// wait for: its servers answer what a test tells them to.

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// fake is the cluster: servers, of which the first has hbase:meta and the
// registry, and the regions of table t.
type fake struct {
	t       testing.TB
	servers []*fakeServer

	mu        sync.Mutex
	regions   []fakeRegion
	metaDelay time.Duration
	metaRows  int // at most, of an answer; 0: what is asked for
}

type fakeRegion struct {
	start, end string
	server     int // -1: none
}

func (r fakeRegion) name() string {
	return fmt.Sprintf("t,%s,1.0123456789abcdef0123456789abcdef.", r.start)
}

// fakeCall is a request. Its slices are its own.
type fakeCall struct {
	server *fakeServer
	conn   net.Conn
	header pb.RequestHeader
	method string
	param  []byte
	cells  []byte
}

// handler answers a call to a region server.
type handler func(c *fakeCall)

type fakeServer struct {
	f    *fake
	l    net.Listener
	addr string

	mu      sync.Mutex
	handle  handler
	conns   map[net.Conn]bool
	methods []string // of all calls to regions
	// hello is called with a connection before anything is read of it; false
	// means that it has seen to it.
	hello func(net.Conn) bool
}

// newFake starts a cluster of n servers, whose regions are cut at splits and
// dealt out in turn.
func newFake(t testing.TB, n int, splits ...string) *fake {
	f := &fake{t: t}
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &fakeServer{f: f, l: l, addr: l.Addr().String(), conns: make(map[net.Conn]bool)}
		f.servers = append(f.servers, s)
		var accepting sync.WaitGroup
		accepting.Go(s.accept)
		t.Cleanup(func() {
			l.Close()
			s.cut()
			accepting.Wait()
		})
	}
	bounds := append(append([]string{""}, splits...), "")
	for i := range bounds[1:] {
		f.regions = append(f.regions, fakeRegion{bounds[i], bounds[i+1], i % n})
	}
	return f
}

func (f *fake) target() string { return "rpc://" + f.servers[0].addr }

func (f *fake) move(region, server int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.regions[region].server = server
}

// handle sets the handler of all servers.
func (f *fake) handle(h handler) {
	for _, s := range f.servers {
		s.set(h)
	}
}

func (s *fakeServer) set(h handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = h
}

// cut closes all connections.
func (s *fakeServer) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

// count is how many calls to regions came.
func (s *fakeServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.methods)
}

func (s *fakeServer) accept() {
	var serving sync.WaitGroup
	defer serving.Wait()
	for {
		nc, err := s.l.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[nc] = true
		hello := s.hello
		s.mu.Unlock()
		if hello != nil && !hello(nc) {
			continue
		}
		serving.Go(func() { s.serve(nc) })
	}
}

func (s *fakeServer) serve(nc net.Conn) {
	defer func() {
		nc.Close()
		s.mu.Lock()
		delete(s.conns, nc)
		s.mu.Unlock()
	}()
	var head [10]byte
	if _, err := io.ReadFull(nc, head[:]); err != nil {
		return
	}
	b := make([]byte, binary.BigEndian.Uint32(head[6:]))
	if _, err := io.ReadFull(nc, b); err != nil {
		return
	}
	var hello pb.ConnectionHeader
	if err := hello.Decode(b); err != nil || string(head[:6]) != "HBas\x00P" {
		s.f.t.Errorf("bad preamble %q: %v", head, err)
		return
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	for {
		if _, err := io.ReadFull(nc, head[:4]); err != nil {
			return
		}
		frame := make([]byte, binary.BigEndian.Uint32(head[:4]))
		if _, err := io.ReadFull(nc, frame); err != nil {
			return
		}
		c := &fakeCall{server: s, conn: nc}
		var err error
		if c.param, c.cells, err = wire.ParseRequest(frame, &c.header); err != nil {
			s.f.t.Error(err)
			return
		}
		c.method = string(c.header.Method)
		answering.Go(func() { s.dispatch(hello.Service, c) })
	}
}

func (s *fakeServer) dispatch(service string, c *fakeCall) {
	switch {
	case service == "ClientMetaService":
		c.registry()
	case c.method == "Scan" && c.region() == "hbase:meta,,1":
		s.f.meta(c)
	case c.method == "Get" && c.region() == "hbase:meta,,1":
		c.ok() // the state of no table is known
	default:
		s.mu.Lock()
		s.methods = append(s.methods, c.method)
		handle := s.handle
		s.mu.Unlock()
		handle(c)
	}
}

// region is the region that a request names, of any kind of request.
func (c *fakeCall) region() string {
	switch c.method {
	case "Multi":
		return ""
	case "Scan":
		var r pb.ScanRequest
		_ = r.Decode(c.param)
		return string(r.Region.Value)
	case "Get":
		var r pb.GetRequest
		_ = r.Decode(c.param)
		return string(r.Region.Value)
	}
	var r pb.MutateRequest
	_ = r.Decode(c.param)
	return string(r.Region.Value)
}

func (c *fakeCall) reply(message, cells []byte) {
	_, _ = c.conn.Write(wire.AppendResponse(nil, c.header.CallID, message, cells))
}

func (c *fakeCall) fail(e pb.Exception) {
	if e.StackTrace == "" {
		e.StackTrace = e.Class + ": no\n\tat java"
	}
	_, _ = c.conn.Write(wire.AppendException(nil, c.header.CallID, &e))
}

// ok is the answer to a Get of an empty row, a Mutate that was done, or a Multi
// of which every action was.
func (c *fakeCall) ok() {
	switch c.method {
	case "Get":
		c.reply(pb.AppendGetResponse(nil, &pb.Result{}), nil)
	case "Mutate":
		c.reply(pb.AppendMutateResponse(nil, nil, true), nil)
	case "Multi":
		c.reply(c.multi(func(string, *pb.Action) error { return nil }), nil)
	default:
		c.reply(nil, nil)
	}
}

// multi answers the actions of a Multi one by one; the error's text is a class.
func (c *fakeCall) multi(do func(region string, a *pb.Action) error) []byte {
	var r pb.MultiRequest
	if err := r.Decode(c.param); err != nil {
		c.server.f.t.Error(err)
	}
	var ra pb.RegionAction
	var a pb.Action
	var out []byte
	for ras := r.RegionActions(); ras.Next(&ra); {
		var m pb.Mark
		out, m = pb.BeginRegionActionResult(out)
		for as := ra.Actions(); as.Next(&a); {
			if err := do(string(ra.Region.Value), &a); err != nil {
				out = pb.AppendActionException(out, a.Index, err.Error(), err.Error()+": no")
			} else {
				out = pb.AppendActionResult(out, a.Index, &pb.Result{})
			}
		}
		out = pb.End(out, m)
	}
	return out
}

// rows are the rows of a request's cell block.
func (c *fakeCall) rows() []string {
	var rows []string
	var x cell.Cell
	for all := wire.NewCells(wire.KeyValueCodec, c.cells); all.Next(&x); {
		rows = append(rows, string(x.Row))
	}
	return rows
}

func (c *fakeCall) registry() {
	host, port, _ := net.SplitHostPort(c.server.f.servers[0].addr)
	var n uint32
	fmt.Sscan(port, &n)
	name := &adminpb.ServerName{HostName: &host, Port: &n, StartCode: proto.Uint64(1)}
	var m proto.Message
	switch c.method {
	case "GetMetaRegionLocations":
		m = &adminpb.GetMetaRegionLocationsResponse{MetaLocations: []*adminpb.RegionLocation{{
			RegionInfo: &adminpb.RegionInfo{RegionId: proto.Uint64(1)}, ServerName: name,
		}}}
	case "GetActiveMaster":
		m = &adminpb.GetActiveMasterResponse{ServerName: name}
	default:
		m = &adminpb.GetClusterIdResponse{ClusterId: proto.String("fake")}
	}
	b, _ := proto.Marshal(m)
	c.reply(b, nil)
}

// meta answers a scan of hbase:meta.
func (f *fake) meta(c *fakeCall) {
	var r pb.ScanRequest
	if err := r.Decode(c.param); err != nil {
		f.t.Error(err)
		return
	}
	f.mu.Lock()
	regions := slices.Clone(f.regions)
	delay, limit := f.metaDelay, int(r.NumberOfRows)
	if f.metaRows > 0 {
		limit = min(limit, f.metaRows)
	}
	f.mu.Unlock()
	time.Sleep(delay)
	key := string(r.Scan.StartRow)
	table, rest, _ := strings.Cut(key, ",")
	start := rest[:max(strings.LastIndexByte(rest, ','), 0)]
	var found []fakeRegion
	if table == "t" || table == "t\x00" {
		for _, g := range regions {
			if r.Scan.Reversed {
				// At or before the row; the id of a lookup is after all ids,
				// or before them.
				before := g.start < start || g.start == start && !strings.HasSuffix(key, "00000000000000")
				if before || table == "t\x00" {
					found = append([]fakeRegion{g}, found...)
				}
			} else if g.start >= start {
				found = append(found, g)
			}
		}
	}
	resp := pb.ScanResponse{ScannerID: 1, HasScannerID: true, MoreResults: true, HasMoreResults: true}
	var cells []byte
	for _, g := range found[:min(len(found), limit)] {
		n := uint32(1)
		info := pb.AppendRegionInfo([]byte(pb.PBUF), &pb.RegionInfo{
			ID: 1, Namespace: b("default"), Qualifier: b("t"), StartKey: b(g.start), EndKey: b(g.end),
		})
		add := func(q string, v []byte) {
			cells = wire.AppendKeyValue(cells, &cell.Cell{
				Row: b(g.name()), Family: b("info"), Qualifier: b(q), Value: v, Timestamp: 1, Type: cell.Put,
			}, false)
		}
		add("regioninfo", info)
		if g.server >= 0 {
			add("server", b(f.servers[g.server].addr))
			n++
		}
		resp.CellsPerResult = append(resp.CellsPerResult, n)
		resp.PartialPerResult = append(resp.PartialPerResult, false)
	}
	c.reply(pb.AppendScanResponse(nil, &resp), cells)
}

// quick is a configuration for tests that wait for retries.
func quick() client.Config {
	return client.Config{
		Pause: 10 * time.Millisecond, PauseOverloaded: 30 * time.Millisecond,
		OperationTimeout: 5 * time.Second, RPCTimeout: 2 * time.Second, DialTimeout: time.Second,
	}
}
