// Shows a whole server: its doors, identity, readiness, drain, and what stays
// consistent when doors are closed.
package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	gozk "github.com/go-zookeeper/zk"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/kv"
)

func testConfig(t *testing.T) Config {
	c := Defaults()
	c.DataDir = t.TempDir()
	for _, at := range []*string{&c.ZKListen, &c.MasterListen, &c.HBaseListen, &c.MySQLListen, &c.HTTPListen} {
		*at = "127.0.0.1:0"
	}
	c.CacheBytes, c.MemtableBytes, c.DiskReserveBytes = 8<<20, 1<<20, 0
	c.Sync = kv.SyncOS
	c.Version = "test"
	c.Logger = slog.New(slog.DiscardHandler)
	return c
}

func open(t *testing.T, c Config) *Server {
	t.Helper()
	s, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serve runs s and returns what waits for Serve to end.
func serve(t *testing.T, s *Server) (wait func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.Serve() }()
	return func() error {
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Second):
			t.Fatal("Serve did not end")
			return nil
		}
	}
}

func get(t *testing.T, s *Server, path string) (int, string) {
	t.Helper()
	r, err := http.Get("http://" + s.Addresses().HTTP.String() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func TestLife(t *testing.T) {
	s := open(t, testConfig(t))
	wait := serve(t, s)
	for end := time.Now().Add(5 * time.Second); ; {
		code, body := get(t, s, "/readyz")
		if code == 200 && body == "ready\n" {
			break
		}
		if time.Now().After(end) {
			t.Fatal(code, body)
		}
	}
	if code, body := get(t, s, "/healthz"); code != 200 || body != "writes are accepted\n" {
		t.Error(code, body)
	}
	if code, body := get(t, s, "/"); code != 200 || !strings.Contains(body, s.catalog.ClusterID()) {
		t.Error(code, body)
	}
	for path, want := range map[string]int{"/nothing": 404, "/debug/pprof/": 404} {
		if code, _ := get(t, s, path); code != want {
			t.Error(path, code)
		}
	}
	code, body := get(t, s, "/metrics")
	if code != 200 {
		t.Error(code)
	}
	for _, want := range []string{
		`basalt_info{version="test"} 1`, "basalt_engine_log_syncs_total", "basalt_writable 1", "basalt_scanners 0",
		`basalt_connections{door="hbase"}`, `basalt_connections{door="zookeeper"}`,
		`basalt_hbase_call_seconds_count{method="Get",service="ClientService"}`, "process_cpu_seconds_total", "process_resident_memory_bytes",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, a := range []Address{s.addresses.ZK, s.addresses.Master, s.addresses.HBase, s.addresses.MySQL, s.addresses.HTTP} {
		if c, err := net.Dial("tcp", a.String()); err == nil {
			c.Close()
			t.Error(a, "still accepts")
		}
	}
}

// A restart is the same cluster and another server.
func TestIdentity(t *testing.T) {
	c := testConfig(t)
	var cluster string
	var code int64
	for i := range 3 {
		s := open(t, c)
		if i > 0 && (s.catalog.ClusterID() != cluster || s.startCode <= code) {
			t.Errorf("cluster %s then %s, start code %d then %d", cluster, s.catalog.ClusterID(), code, s.startCode)
		}
		cluster, code = s.catalog.ClusterID(), s.startCode
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// Also when the clock was set back.
	s := open(t, c)
	next, err := nextStartCode(context.Background(), s.engine, time.UnixMilli(5), s.log)
	if err != nil || next <= s.startCode {
		t.Error(next, s.startCode, err)
	}
}

func TestClosedDoors(t *testing.T) {
	for _, f := range []struct {
		name         string
		close        func(*Config)
		master, read func(Addresses) Address
	}{
		{"none", func(*Config) {}, func(a Addresses) Address { return a.Master }, func(a Addresses) Address { return a.HBase }},
		{"master", func(c *Config) { c.MasterListen = Off }, func(a Addresses) Address { return a.HBase }, func(a Addresses) Address { return a.HBase }},
		{"hbase", func(c *Config) { c.HBaseListen = Off }, func(a Addresses) Address { return a.Master }, func(a Addresses) Address { return a.Master }},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := testConfig(t)
			c.AdvertiseHost = "db.example"
			f.close(&c)
			s := open(t, c)
			serve(t, s)
			z, _, err := gozk.Connect([]string{s.listeners.zk.Addr().String()}, 5*time.Second, gozk.WithLogger(quiet{}))
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			for path, a := range map[string]Address{
				"/hbase/master": f.master(s.Addresses()), "/hbase/meta-region-server": f.read(s.Addresses()),
			} {
				b, _, err := z.Get(path)
				want := s.serverName(a)
				port := protowire.AppendVarint([]byte{0x10}, uint64(want.Port)) // field 2 of a ServerName
				if err != nil || want.Host != "db.example" || !strings.Contains(string(b), string(port)) {
					t.Errorf("%s: %q, %v; want %v", path, b, err, want)
				}
			}
			names, _, err := z.Children("/hbase/rs")
			if err != nil || len(names) != 1 || names[0] != s.serverName(f.read(s.Addresses())).String() {
				t.Errorf("%q %v", names, err)
			}
		})
	}
	t.Run("http and zookeeper", func(t *testing.T) {
		c := testConfig(t)
		c.HTTPListen, c.ZKListen = Off, Off
		s := open(t, c)
		wait := serve(t, s)
		c2, err := net.Dial("tcp", s.Addresses().HBase.String())
		if err != nil {
			t.Fatal(err)
		}
		c2.Close()
		s.Close()
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := testConfig(t)
	c.MasterListen = l.Addr().String()
	_, err = Open(c)
	if err == nil || !strings.Contains(err.Error(), "--master-listen "+c.MasterListen+": the port is taken") {
		t.Error(err)
	}
}

func TestDataInUse(t *testing.T) {
	c := testConfig(t)
	open(t, c)
	if _, err := Open(c); err == nil || !strings.Contains(err.Error(), "--data "+c.DataDir) {
		t.Error(err)
	}
}

// With the disk nearly full a server starts, reads, and says that it does not
// write.
func TestDiskNearlyFull(t *testing.T) {
	c := testConfig(t)
	s := open(t, c)
	before := s.startCode
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c.DiskReserveBytes = 1 << 60
	s = open(t, c)
	if s.startCode <= before {
		t.Error("start code", s.startCode, "after", before)
	}
	serve(t, s)
	if code, body := get(t, s, "/healthz"); code != 503 || !strings.Contains(body, "writes are refused: ") {
		t.Error(code, body)
	}
	if code, _ := get(t, s, "/readyz"); code != 200 {
		t.Error("/readyz", code)
	}
	if _, body := get(t, s, "/metrics"); !strings.Contains(body, "basalt_writable 0") {
		t.Error("/metrics does not tell")
	}
}

// A server that was never served can be closed, and one that serves can be
// closed without a drain.
func TestCloseWithoutDrain(t *testing.T) {
	s := open(t, testConfig(t))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Serve(); err == nil {
		t.Error("a closed server served")
	}
	s = open(t, testConfig(t))
	wait := serve(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wait()
}

func TestHostOf(t *testing.T) {
	for ip, want := range map[string]string{"127.0.0.1": "127.0.0.1", "10.1.2.3": "10.1.2.3", "::1": "localhost"} {
		if got, err := hostOf(net.ParseIP(ip)); err != nil || got != want {
			t.Errorf("%s: %q, %v", ip, got, err)
		}
	}
	if _, err := hostOf(net.ParseIP("2001:db8::1")); err == nil {
		t.Error("an IPv6 address was advertised")
	}
}

func TestLimitConnections(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := limitConnections(inner, 1)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	for range 2 {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first := <-accepted
	select {
	case <-accepted:
		t.Fatal("two at once")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	first.Close() // twice frees once
	(<-accepted).Close()
	l.Close()
	if _, ok := <-accepted; ok {
		t.Error("accepted after Close")
	}
}
