// Shows where settings come from, which of them wins, and what is said to a
// user who got one wrong.
package server

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "basalt.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestParsePrecedence(t *testing.T) {
	path := write(t, `
data = "/file"
cache-size = "3MiB"
max-connections = 7
insecure-public = true
sync = "os"
`)
	p, err := Parse([]string{"--data=/flag", "--config", path},
		[]string{"BASALT_DATA=/env", "BASALT_MAX_CONNECTIONS=8", "BASALT_SCANNER_LEASE=5s", "HOME=/"})
	if err != nil {
		t.Fatal(err)
	}
	if p.DataDir != "/flag" || p.MaxConnections != 8 || p.CacheBytes != 3<<20 || !p.InsecurePublic ||
		p.ScannerLease != 5*time.Second || p.Sync != kv.SyncOS || p.ZKListen != "127.0.0.1:2181" {
		t.Errorf("%+v", p)
	}
	// The environment can name the file; the command line's name wins.
	p, err = Parse(nil, []string{"BASALT_CONFIG=" + path})
	if err != nil || p.MaxConnections != 7 {
		t.Error(p.MaxConnections, err)
	}
	if p, err = Parse([]string{"--config="}, []string{"BASALT_CONFIG=" + path}); err != nil || p.MaxConnections != 4096 {
		t.Error(p.MaxConnections, err)
	}
}

func TestParseMistakes(t *testing.T) {
	for _, f := range []struct {
		args, env []string
		file      string
		want      string
	}{
		{args: []string{"--zk-lisen=off"}, want: "unknown flag --zk-lisen (did you mean --zk-listen?)"},
		{args: []string{"--xyzzy"}, want: "unknown flag --xyzzy"},
		{args: []string{"-x"}, want: "unknown shorthand"},
		{args: []string{"extra"}, want: `serve takes no argument: "extra"`},
		{args: []string{"--data"}, want: "flag needs an argument: --data"},
		{args: []string{"--cache-size=many"}, want: "want a size"},
		{env: []string{"BASALT_CASH_SIZE=1GiB"}, want: "unknown setting BASALT_CASH_SIZE in the environment (did you mean BASALT_CACHE_SIZE?)"},
		{env: []string{"BASALT_LOG_LEVEL=loud"}, want: `BASALT_LOG_LEVEL: "loud": want debug, info, warn or error`},
		{file: `htp-listen = "off"`, want: "unknown setting htp-listen (did you mean http-listen?)"},
		{file: `max-connections = "many"`, want: "max-connections"},
		{file: `config = "other"`, want: "unknown setting config"},
		{file: "[zk]\nlisten = 1", want: "unknown setting zk"},
		{file: "data = [1]", want: "data: want a single value"},
		{file: "data = ", want: "basalt.toml"},
		{args: []string{"--config=/nowhere/basalt.toml"}, want: "no such file"},
		{args: []string{"--sync=never"}, want: "want disk or os"},
	} {
		args := f.args
		if f.file != "" {
			args = append(args, "--config", write(t, f.file))
		}
		_, err := Parse(args, f.env)
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%q %q %q: got %v, want %q", f.args, f.env, f.file, err, f.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, f := range []struct {
		args []string
		want string // empty: fine
	}{
		{nil, ""},
		{[]string{"--zk-listen=localhost:0", "--hbase-listen=[::1]:0"}, ""},
		{[]string{"--http-listen=off", "--zk-listen=off"}, ""},
		{[]string{"--hbase-listen=off"}, ""},
		{[]string{"--hbase-listen=0.0.0.0:16020"}, "--insecure-public"},
		{[]string{"--http-listen=:16010"}, "--insecure-public"},
		{[]string{"--http-listen=:16010", "--insecure-public"}, ""},
		{[]string{"--hbase-listen=16020"}, "want HOST:PORT or off"},
		{[]string{"--hbase-listen=off", "--master-listen=off"}, "--zk-listen only tells"},
		{[]string{"--hbase-listen=off", "--master-listen=off", "--zk-listen=off"}, ""},
		{[]string{"--hbase-listen=off", "--master-listen=off", "--zk-listen=off", "--mysql-listen=off"}, "nothing to serve"},
		{[]string{"--hbase-listen=off", "--master-listen=off", "--zk-listen=off", "--mysql-listen=off", "--mysql-socket=/tmp/s"}, ""},
		{[]string{"--mysql-listen=3306"}, "--mysql-listen 3306: want HOST:PORT or off"},
		{[]string{"--mysql-listen=:3306"}, ""},
		{[]string{"--mysql-tls-cert=a.pem"}, "go together"},
		{[]string{"--advertise-host=db.example:1"}, "--advertise-host"},
		{[]string{"--advertise-host=db.example"}, ""},
		{[]string{"--znode-parent=hbase"}, "--znode-parent"},
		{[]string{"--znode-parent=/"}, "--znode-parent"},
		{[]string{"--data="}, "--data"},
		{[]string{"--memtable-size=1KiB"}, "--memtable-size 1KiB: want between"},
		{[]string{"--max-connections=0"}, "--max-connections"},
		{[]string{"--memory-limit=1MiB"}, "--memory-limit"},
		{[]string{"--scanner-lease=1ms"}, "--scanner-lease"},
		{[]string{"--log-format=xml"}, "--log-format"},
	} {
		p, err := Parse(f.args, nil)
		if err != nil {
			t.Errorf("%q: %v", f.args, err)
			continue
		}
		err = p.Check()
		if f.want == "" && err != nil || f.want != "" && (err == nil || !strings.Contains(err.Error(), f.want)) {
			t.Errorf("%q: got %v, want %q", f.args, err, f.want)
		}
	}
}

// What --print-config prints, read back, prints the same.
func TestTextRoundTrip(t *testing.T) {
	p, err := Parse([]string{"--data=/d \"x\"", "--cache-size=1.5GiB", "--sync=os", "--drain-timeout=90s", "--log-level=debug", "--pprof"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := p.Text()
	q, err := Parse([]string{"--config", write(t, text)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if q.Text() != text || q.CacheBytes != 1536<<20 || q.DataDir != "/d \"x\"" {
		t.Errorf("%s\nread back as\n%s", text, q.Text())
	}
}

func TestBytes(t *testing.T) {
	for s, want := range map[string]Bytes{
		"0": 0, "4096": 4096, "4096B": 4096, "64KiB": 64 << 10, "1 GiB": 1 << 30, "1.5mib": 3 << 19,
		"10GB": 10e9, "2TiB": 2 << 40, "7kb": 7000,
	} {
		var b Bytes
		if err := b.Set(s); err != nil || b != want {
			t.Errorf("%q: %d, %v", s, b, err)
		}
	}
	for _, s := range []string{"", "B", "-1", "1e3", "0x10", "1 2", "NaN", "Inf", "1_000", "9999999TiB", "1.2.3"} {
		var b Bytes
		if err := b.Set(s); err == nil {
			t.Errorf("%q: %d", s, b)
		}
	}
	for b, want := range map[Bytes]string{0: "0B", 1: "1B", 1500: "1500B", 1 << 10: "1KiB", 3 << 30: "3GiB", 5 << 40: "5TiB"} {
		if b.String() != want {
			t.Errorf("%d: %v", int64(b), b)
		}
	}
}

func TestDefaultCache(t *testing.T) {
	for memory, want := range map[int64]int64{
		0: 256 << 20, 128 << 20: 64 << 20, 4 << 30: 1 << 30, 512 << 30: 8 << 30,
	} {
		if got := defaultCache(memory); got != want {
			t.Errorf("%d: %d", memory, got)
		}
	}
}

func TestGoMemory(t *testing.T) {
	c := Defaults()
	c.CacheBytes, c.MemtableBytes, c.MaxQueueBytes = 1<<30, 64<<20, 512<<20
	const stored = 1<<30 + 4*64<<20
	for _, f := range []struct {
		limit           Bytes
		outside, inside int64 // engine outside of Go's heap, and inside
	}{
		{0, 1536 << 20, 1536<<20 + stored},
		{4 << 30, 4<<30 - stored, 4 << 30},
		{1 << 30, 64 << 20, 1 << 30}, // less than the engine alone: as little as can be
	} {
		want := f.outside
		if engineInGoHeap {
			want = f.inside
		}
		c.MemoryBytes = f.limit
		if got := c.goMemory(); got != want {
			t.Errorf("--memory-limit %v: %d, want %d", f.limit, got, want)
		}
	}
}
