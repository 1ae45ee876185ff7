// Shows the endpoint's bytes with hand-made frames, its answers with a real
// ZooKeeper client, and its bounds.
package zk

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	gozk "github.com/go-zookeeper/zk"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
)

const testZxid = 1700000000123

func testTree() *Znodes {
	users := &catalog.Table{Name: catalog.TableName{Namespace: "app", Qualifier: "users"}, State: catalog.Disabled}
	plain := &catalog.Table{Name: catalog.TableName{Namespace: "default", Qualifier: "t"}}
	view := &catalog.View{
		Namespaces: map[string]*catalog.Namespace{
			"default": {Name: "default"},
			"hbase":   {Name: "hbase"},
			"app":     {Name: "app", Configuration: []catalog.StringPair{{Name: "k", Value: "v"}}},
		},
		Tables: map[catalog.TableName]*catalog.Table{users.Name: users, plain.Name: plain},
		Sorted: []*catalog.Table{users, plain},
	}
	return NewZnodes(ZnodesConfig{
		Parent:       "/hbase",
		ClusterID:    "c-1",
		Master:       meta.ServerName{Host: "h", Port: 16000, StartCode: 5},
		RegionServer: meta.ServerName{Host: "h", Port: 16020, StartCode: 5},
		InfoPort:     16010,
		View:         func() *catalog.View { return view },
	})
}

// start runs a server on a loopback port and returns its address.
func start(t testing.TB, limit int) (*Server, string) {
	t.Helper()
	s := NewServer(Config{
		Tree: testTree(), Zxid: testZxid, StartMs: testZxid, MaxConnections: limit,
		HandshakeTimeout: 300 * time.Millisecond, Version: "test", Logger: slog.New(slog.DiscardHandler),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error("shutdown:", err)
		}
		if err := <-done; err != nil {
			t.Error("serve:", err)
		}
	})
	return s, l.Addr().String()
}

// raw is a client that sends and expects bytes.
type raw struct {
	t *testing.T
	net.Conn
}

func dial(t *testing.T, addr string) raw {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(5 * time.Second))
	t.Cleanup(func() { c.Close() })
	return raw{t, c}
}

// send writes hex digits (spaces ignored) as one frame.
func (r raw) send(body string) {
	r.t.Helper()
	b := unhex(r.t, body)
	if _, err := r.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)); err != nil {
		r.t.Fatal(err)
	}
}

func (r raw) receive() []byte {
	r.t.Helper()
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		r.t.Fatal(err)
	}
	b := make([]byte, binary.BigEndian.Uint32(n[:]))
	if _, err := io.ReadFull(r, b); err != nil {
		r.t.Fatal(err)
	}
	return b
}

func (r raw) expect(body string) {
	r.t.Helper()
	if got, want := r.receive(), unhex(r.t, body); !bytes.Equal(got, want) {
		r.t.Fatalf("got  %x\nwant %x", got, want)
	}
}

// closed expects that the server ends the connection without another byte.
func (r raw) closed() {
	r.t.Helper()
	var b [1]byte
	n, err := r.Read(b[:])
	var timeout net.Error
	if n != 0 || err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		r.t.Fatalf("want a closed connection, got %d bytes, %v", n, err)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	zxidHex   = "0000018bcfe5687b"
	password  = "00000010 11111111111111111111111111111111"
	handshake = "00000000 0000000000000000 00015f90 00000000000000aa" + password
)

func (r raw) connect() {
	r.t.Helper()
	r.send(handshake + "00")
	r.expect("00000000 00015f90 00000000000000aa" + password + "00")
}

func TestConnect(t *testing.T) {
	_, addr := start(t, 10)
	t.Run("with readOnly", func(t *testing.T) { dial(t, addr).connect() })
	t.Run("without readOnly", func(t *testing.T) {
		c := dial(t, addr)
		c.send(handshake)
		c.expect("00000000 00015f90 00000000000000aa" + password)
	})
	t.Run("new sessions differ", func(t *testing.T) {
		var ids [2]int64
		for i := range ids {
			c := dial(t, addr)
			c.send("00000000 0000000000000000 00015f90 0000000000000000" + password)
			b := c.receive()
			if len(b) != 4+4+8+4+16 {
				t.Fatalf("%d bytes", len(b))
			}
			ids[i] = int64(binary.BigEndian.Uint64(b[8:]))
		}
		if ids[0] == 0 || ids[0] == ids[1] {
			t.Fatalf("session ids %v", ids)
		}
	})
	t.Run("timeouts are bounded", func(t *testing.T) {
		for asked, want := range map[string]string{"00000000": "000007d0", "ffffffff": "000007d0", "7fffffff": "000927c0"} {
			c := dial(t, addr)
			c.send("00000000 0000000000000000" + asked + "00000000000000aa" + password)
			c.expect("00000000" + want + "00000000000000aa" + password)
		}
	})
}

func TestRequests(t *testing.T) {
	_, addr := start(t, 10)
	const (
		ok     = zxidHex + "00000000"
		path   = "0000000e 2f68626173652f68626173656964 01" // /hbase/hbaseid, watch
		absent = "00000002 2f78 00"                         // /x
	)
	path14 := "0000000e" + hex.EncodeToString([]byte("/hbase/hbaseid"))
	value := "ff 00000006 626173616c74 50425546 0a03 632d31" // header, PBUF, cluster id c-1
	stat := zxidHex + zxidHex + zxidHex + zxidHex + "00000000 00000000 00000000 0000000000000000 00000014 00000000" + zxidHex
	for _, f := range []struct{ name, request, reply string }{
		{"ping", "fffffffe 0000000b", "fffffffe" + ok},
		{"auth", "fffffffc 00000064 00000000 00000006 646967657374 00000003 613a62", "fffffffc" + ok},
		{"getData", "00000001 00000004" + path14 + "01", "00000001" + ok + "00000014" + value + stat},
		{"exists", "00000002 00000003" + path14 + "00", "00000002" + ok + stat},
		{"exists not", "00000003 00000003" + absent, "00000003" + zxidHex + "ffffff9b"},
		{"getData not", "00000004 00000004" + absent, "00000004" + zxidHex + "ffffff9b"},
		{"getChildren", "00000005 00000008 00000009 2f68626173652f7273 00",
			"00000005" + ok + "00000001 00000009 682c31363032302c35"},
		{"getChildren2", "00000006 0000000c 00000009 2f68626173652f7273 00",
			"00000006" + ok + "00000001 00000009 682c31363032302c35" + strings.Replace(stat, "00000014 00000000", "00000000 00000001", 1)},
		{"sync", "00000007 00000009 00000002 2f78", "00000007" + ok + "00000002 2f78"},
		{"create", "00000008 00000001 00000002 2f78", "00000008" + zxidHex + "ffffff9a"},
		{"multi", "00000009 0000000e", "00000009" + zxidHex + "ffffff9a"},
		{"sasl", "0000000a 00000066 00000000", "0000000a" + zxidHex + "fffffffa"},
		{"unknown", "0000000b 00001234", "0000000b" + zxidHex + "fffffffa"},
		{"null path", "0000000c 00000004 ffffffff 00", "0000000c" + zxidHex + "ffffff9b"},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := dial(t, addr)
			c.connect()
			c.send(f.request)
			c.expect(f.reply)
		})
	}
	t.Run("close", func(t *testing.T) {
		c := dial(t, addr)
		c.connect()
		c.send("00000001 fffffff5")
		c.expect("00000001" + ok)
		c.closed()
	})
	t.Run("pipelined, in order", func(t *testing.T) {
		c := dial(t, addr)
		var all []byte
		for _, f := range []string{handshake, "00000001 00000003" + absent, "fffffffe 0000000b", "00000002 00000004" + path} {
			b := unhex(t, f)
			all = append(binary.BigEndian.AppendUint32(all, uint32(len(b))), b...)
		}
		c.Write(all)
		c.receive()
		c.expect("00000001" + zxidHex + "ffffff9b")
		c.expect("fffffffe" + ok)
		if b := c.receive(); b[3] != 2 {
			t.Fatalf("%x", b)
		}
	})
	t.Run("malformed requests end the connection", func(t *testing.T) {
		for _, f := range []string{
			"", "00000001", "00000001 00000004", "00000001 00000004 00000009 2f", "00000001 00000004 fffffffe 2f",
			"00000001 00000065 0000000000000000 7fffffff",
		} {
			c := dial(t, addr)
			c.connect()
			c.send(f)
			c.closed()
		}
	})
	t.Run("malformed handshakes end the connection", func(t *testing.T) {
		for _, f := range []string{"", "00000000", "00000000 0000000000000000 00015f90 00000000000000aa 00000041"} {
			c := dial(t, addr)
			c.send(f)
			c.closed()
		}
	})
}

// A client that comes back after a restart brings its watches; they tell it that
// the process is another one.
func TestSetWatches(t *testing.T) {
	_, addr := start(t, 10)
	vector := func(paths ...string) string {
		return hex.EncodeToString(appendStrings(nil, paths))
	}
	event := func(typ int32, path string) string {
		return hex.EncodeToString(appendNotification(nil, typ, path))
	}
	const meta, gone = "/hbase/meta-region-server", "/gone"
	header := "fffffff8" + zxidHex + "00000000"
	c := dial(t, addr)
	c.connect()
	c.send("fffffff8 00000065 0000000000000001" + vector(meta, gone) + vector(meta, gone) + vector("/hbase", gone))
	for _, e := range []string{
		event(eventDataChanged, meta), event(eventDeleted, gone),
		event(eventCreated, meta),
		event(eventChildrenChanged, "/hbase"), event(eventDeleted, gone), header,
	} {
		c.expect(e)
	}
	// Nothing is new to a client of this run.
	c.send("fffffff8 00000065" + zxidHex + vector(meta) + vector(gone) + vector("/hbase"))
	c.expect(header)
	c.send("fffffff8 00000069" + zxidHex + vector(meta) + vector() + vector() + vector() + vector())
	c.expect(header)
	c.send("fffffff8 00000069" + zxidHex + vector() + vector() + vector() + vector("/hbase") + vector())
	c.expect("fffffff8" + zxidHex + "fffffffa")
}

func TestBounds(t *testing.T) {
	s, addr := start(t, 2)
	t.Run("frame", func(t *testing.T) {
		for _, n := range []string{"00040001", "7fffffff", "80000000", "ffffffff"} {
			c := dial(t, addr)
			c.Write(unhex(t, n))
			c.closed()
			c = dial(t, addr)
			c.connect()
			c.Write(unhex(t, n))
			c.closed()
		}
	})
	t.Run("connections", func(t *testing.T) {
		for end := time.Now().Add(5 * time.Second); s.Stats().Connections > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("closed connections are still counted")
			}
		}
		dial(t, addr).connect()
		dial(t, addr).connect()
		dial(t, addr).closed()
		if s.Stats().RefusedConnects != 1 {
			t.Error(s.Stats())
		}
	})
}

func TestFourLetterWords(t *testing.T) {
	_, addr := start(t, 10)
	for word, want := range map[string]string{
		"ruok": "imok", "isro": "ro", "stat": "Clients:\n /127.0.0.1:", "srvr": "Mode: standalone",
		"mntr": "zk_server_state\tstandalone\n", "dump": "dump is not executed",
	} {
		c := dial(t, addr)
		io.WriteString(c, word)
		b, err := io.ReadAll(c)
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q, %v", word, b, err)
		}
	}
	c := dial(t, addr)
	io.WriteString(c, "what")
	c.closed()
}

func TestSilentClient(t *testing.T) {
	_, addr := start(t, 10)
	c := dial(t, addr)
	c.send("00000000 0000000000000000 00000001 00000000000000aa" + password)
	c.receive()
	begin := time.Now()
	c.closed()
	if d := time.Since(begin); d < minSession/2 || d > 2*minSession {
		t.Errorf("closed after %v", d)
	}
}

// However slowly a client sends its first frame, it has one time for all of it.
func TestSlowHandshake(t *testing.T) {
	_, addr := start(t, 10)
	c := dial(t, addr)
	begin := time.Now()
	go func() {
		for _, b := range unhex(t, "0000002c"+strings.ReplaceAll(handshake, " ", "")) {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	c.closed()
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("closed after %v", d)
	}
}

func TestShutdownEndsSessions(t *testing.T) {
	s, addr := start(t, 10)
	c := dial(t, addr)
	c.connect()
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.closed()
}

// gozk reads all that HBase clients read.
func TestRealClient(t *testing.T) {
	_, addr := start(t, 10)
	c, _, err := gozk.Connect([]string{addr}, 10*time.Second, gozk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.AddAuth("digest", []byte("a:b")); err != nil {
		t.Error("auth:", err)
	}
	for path, want := range map[string]string{
		"/hbase/hbaseid":            "PBUF\n\x03c-1",
		"/hbase/meta-region-server": "PBUF\n\x08\n\x01h\x10\x94\x7d\x18\x05\x10\x00\x18\x03",
		"/hbase/master":             "PBUF\n\x08\n\x01h\x10\x80\x7d\x18\x05\x10\x00\x18\x8a\x7d",
		"/hbase/rs/h,16020,5":       "PBUF\x08\x8a\x7d",
		"/hbase/table/hbase:meta":   "PBUF\x08\x00",
		"/hbase/table/app:users":    "PBUF\x08\x01",
		"/hbase/table/t":            "PBUF\x08\x00",
		"/hbase/namespace/app":      "\n\x03app\x12\x06\n\x01k\x12\x01v",
		"/hbase/namespace/default":  "\n\x07default",
		"/hbase/namespace/hbase":    "\n\x05hbase",
	} {
		b, stat, err := c.Get(path)
		if err != nil || !strings.HasPrefix(string(b), "\xff\x00\x00\x00\x06basalt") || string(b[11:]) != want {
			t.Errorf("%s: %q, %v", path, b, err)
			continue
		}
		if int(stat.DataLength) != len(b) || stat.Mzxid != testZxid {
			t.Errorf("%s: %+v", path, stat)
		}
	}
	for path, want := range map[string][]string{
		"/": {"hbase", "zookeeper"},
		"/hbase": {"backup-masters", "draining", "hbaseid", "master", "meta-region-server",
			"namespace", "rs", "running", "table"},
		"/hbase/rs":             {"h,16020,5"},
		"/hbase/backup-masters": {},
		"/hbase/table":          {"app:users", "hbase:meta", "hbase:namespace", "t"},
		"/hbase/namespace":      {"app", "default", "hbase"},
	} {
		names, _, _, err := c.ChildrenW(path)
		if err != nil || !reflect.DeepEqual(names, want) {
			t.Errorf("%s: %q, %v", path, names, err)
		}
	}
	for _, path := range []string{"/hbase/root-region-server", "/hbase/table/none", "/hbase/namespace/none"} {
		if ok, _, err := c.Exists(path); ok || err != nil {
			t.Errorf("%s: %v, %v", path, ok, err)
		}
	}
	if acl, _, err := c.GetACL("/hbase"); err != nil || !reflect.DeepEqual(acl, gozk.WorldACL(gozk.PermRead)) {
		t.Error(acl, err)
	}
	if _, err := c.Create("/mine", nil, 0, gozk.WorldACL(gozk.PermAll)); err != gozk.ErrNoAuth {
		t.Error("create:", err)
	}
	if _, err := c.Set("/hbase/hbaseid", nil, -1); err != gozk.ErrNoAuth {
		t.Error("set:", err)
	}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// Whatever bytes come after the length, the server lives, and a request that was
// answered was answered with its own xid.
func FuzzRequests(f *testing.F) {
	for _, s := range []string{
		handshake, handshake + "00", "00000001 00000004 00000002 2f78 00",
		"fffffff8 00000065 0000000000000001 00000001 00000002 2f78 00000000 00000000",
		"fffffff8 00000069 0000000000000001 00000001 00000002 2f78 00000000 00000000 00000000 00000000",
	} {
		b, _ := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		f.Add(b)
	}
	s := NewServer(Config{Tree: testTree(), Zxid: testZxid, Logger: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := decodeConnect(b); err == nil {
			if got := appendConnectResponse(nil, r.timeoutMs, r.sessionID, r.password, r.hasReadOnly); len(got) > len(b)+1 {
				t.Errorf("%x from %x", got, b)
			}
		}
		var out bytes.Buffer
		c := newConn(s, sink{&out})
		err := c.handle(b)
		c.out.Flush()
		if err == nil && out.Len() < 4+16 {
			t.Errorf("no answer and no error for %x", b)
		}
		if err == nil && !bytes.Contains(out.Bytes(), b[:4]) {
			t.Errorf("answer %x to %x", out.Bytes(), b)
		}
	})
}

// sink is a connection that can only be written to.
type sink struct{ w io.Writer }

func (s sink) Write(b []byte) (int, error)    { return s.w.Write(b) }
func (sink) Read([]byte) (int, error)         { return 0, io.EOF }
func (sink) Close() error                     { return nil }
func (sink) LocalAddr() net.Addr              { return nil }
func (sink) RemoteAddr() net.Addr             { return nil }
func (sink) SetDeadline(time.Time) error      { return nil }
func (sink) SetReadDeadline(time.Time) error  { return nil }
func (sink) SetWriteDeadline(time.Time) error { return nil }
