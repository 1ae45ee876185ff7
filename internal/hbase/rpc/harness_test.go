package rpc

// A raw client for the tests: it writes bytes, and reads frames with google's
// decoder.

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
	"github.com/basaltdb/basalt/internal/kv"
)

const keyValueCodecClass = "org.apache.hadoop.hbase.codec.KeyValueCodec"

// fakeLog is a log whose synced mark the test moves.
type fakeLog struct {
	mu     sync.Mutex
	cond   *sync.Cond
	synced kv.Mark
	err    error
}

func newFakeLog() *fakeLog {
	l := new(fakeLog)
	l.cond = sync.NewCond(&l.mu)
	return l
}

func (l *fakeLog) Synced() kv.Mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.synced
}

func (l *fakeLog) WaitSynced(ctx context.Context, m kv.Mark) error {
	stop := context.AfterFunc(ctx, l.cond.Broadcast)
	defer stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.synced < m && l.err == nil && ctx.Err() == nil {
		l.cond.Wait()
	}
	if l.err != nil {
		return l.err
	}
	return ctx.Err()
}

func (l *fakeLog) sync(m kv.Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.synced = m
	l.cond.Broadcast()
}

func (l *fakeLog) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
	l.cond.Broadcast()
}

// observed is a Metrics that remembers.
type observed struct {
	mu    sync.Mutex
	calls []string // service.method:class
}

func (o *observed) Observe(service, method string, d time.Duration, class string, in, out int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if d < 0 || in <= 0 || out <= 0 {
		class += "(bad numbers)"
	}
	o.calls = append(o.calls, service+"."+method+":"+class)
}

func (o *observed) list() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.calls, " ")
}

type testServer struct {
	*Server
	addr string
	t    testing.TB
}

// start runs a server on loopback. Echo answers with its parameter and cells.
// Unless the test says otherwise no call loses the lead, so that replies of calls
// that the leader runs come in order.
func start(t testing.TB, cfg Config, methods Service) *testServer {
	t.Helper()
	if methods == nil {
		methods = Service{}
	}
	methods["Echo"] = Method{Handle: func(_ context.Context, c *Call, r *Reply) error {
		r.Message, r.Cells = append(r.Message, c.Param...), append(r.Cells, c.Cells...)
		return nil
	}}
	cfg.Services = map[string]Service{"ClientService": methods}
	cfg.ClusterID = "the-cluster"
	if cfg.InlineBudget == 0 {
		cfg.InlineBudget = time.Hour
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{NewServer(cfg), l.Addr().String(), t}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-done; err != ErrServerClosed {
			t.Errorf("Serve: %v", err)
		}
		if st := s.Stats(); st.QueuedBytes != 0 || st.RunningCalls != 0 || st.Connections != 0 {
			t.Errorf("after Close: %+v", st)
		}
	})
	return s
}

type client struct {
	t testing.TB
	net.Conn
}

// dial opens a socket and says nothing.
func (s *testServer) dial() *client {
	s.t.Helper()
	nc, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { nc.Close() })
	if err := nc.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		s.t.Fatal(err)
	}
	return &client{s.t, nc}
}

// connect opens a connection that is ready for calls.
func (s *testServer) connect() *client {
	s.t.Helper()
	c := s.dial()
	c.write("HBas\x00\x50" + header(javaHeader()))
	return c
}

func javaHeader() *pbtest.ConnectionHeader {
	return &pbtest.ConnectionHeader{
		UserInfo:            &pbtest.UserInformation{EffectiveUser: proto.String("ann")},
		ServiceName:         proto.String("ClientService"),
		CellBlockCodecClass: proto.String(keyValueCodecClass),
		VersionInfo:         &pbtest.VersionInfo{Version: proto.String("2.6.1"), VersionMajor: proto.Uint32(2), VersionMinor: proto.Uint32(6)},
	}
}

func mustMarshal(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

func header(h *pbtest.ConnectionHeader) string { return framed(mustMarshal(h)) }

func framed(b []byte) string {
	return string(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
}

func request(id uint32, method, param, cells string) string {
	return requestWith(&pbtest.RequestHeader{CallId: &id, MethodName: &method, RequestParam: proto.Bool(true)}, param, cells)
}

func requestWith(h *pbtest.RequestHeader, param, cells string) string {
	if cells != "" {
		h.CellBlockMeta = &pbtest.CellBlockMeta{Length: proto.Uint32(uint32(len(cells)))}
	}
	b := protowire.AppendBytes(nil, mustMarshal(h))
	if h.GetRequestParam() {
		b = protowire.AppendString(b, param)
	}
	return framed(append(b, cells...))
}

func (c *client) write(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c, s); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

type response struct {
	*pbtest.ResponseHeader
	message, cells string
}

func (r *response) class() string { return r.GetException().GetExceptionClassName() }

// read reads a response; nil at the end of the connection.
func (c *client) read() *response {
	c.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		if err == io.EOF || strings.Contains(err.Error(), "reset") {
			return nil
		}
		c.t.Fatalf("read: %v", err)
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(c, b); err != nil {
		c.t.Fatalf("read a frame of %d: %v", len(b), err)
	}
	h, n := protowire.ConsumeBytes(b)
	r := &response{ResponseHeader: new(pbtest.ResponseHeader)}
	if n < 0 {
		c.t.Fatalf("no header in % x", b)
	}
	if err := proto.Unmarshal(h, r.ResponseHeader); err != nil {
		c.t.Fatal(err)
	}
	if b = b[n:]; r.Exception != nil {
		if len(b) > 0 {
			c.t.Fatalf("% x behind an exception", b)
		}
		return r
	}
	m, n := protowire.ConsumeBytes(b)
	if n < 0 {
		c.t.Fatalf("no message behind the header: % x", b)
	}
	r.message, r.cells = string(m), string(b[n:])
	if len(r.cells) != int(r.GetCellBlockMeta().GetLength()) {
		c.t.Fatalf("%d bytes of cells, the header says %d", len(r.cells), r.GetCellBlockMeta().GetLength())
	}
	return r
}

// want reads a response to a call, with a message or an exception's class.
func (c *client) want(id uint32, message, class string) *response {
	c.t.Helper()
	r := c.read()
	if r == nil {
		c.t.Fatalf("the connection ended before the answer to call %d", int32(id))
	}
	if r.GetCallId() != id || r.message != message || r.class() != class {
		c.t.Fatalf("call %d: message %q, exception %v; want call %d, %q, %s", int32(r.GetCallId()), r.message, r.GetException(), int32(id), message, class)
	}
	if class != "" && !strings.HasPrefix(r.GetException().GetStackTrace(), class+": ") {
		c.t.Errorf("stack trace %q", r.GetException().GetStackTrace())
	}
	return r
}

func (c *client) wantEnd() {
	c.t.Helper()
	if r := c.read(); r != nil {
		c.t.Fatalf("not the end but %v %q", r.ResponseHeader, r.message)
	}
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// testLogger shows the log of a failed test.
func testLogger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}
