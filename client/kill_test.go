package client_test

import (
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/server"
)

// serveVariable makes the test's program a server: its data directory and its
// addresses, with spaces between.
const serveVariable = "BASALT_TEST_SERVE"

// serve is what the program does then, until it is killed.
func serve(settings string) error {
	c := server.Defaults()
	c.MySQLListen = server.Off
	at := strings.Fields(settings)
	c.DataDir, c.ZKListen, c.MasterListen, c.HBaseListen, c.HTTPListen = at[0], at[1], at[2], at[3], at[4]
	c.Sync, c.CacheBytes, c.MemtableBytes, c.DiskReserveBytes = kv.SyncOS, 32<<20, 8<<20, 0
	c.LogLevel = slog.LevelWarn
	s, err := server.Open(c)
	if err != nil {
		return err
	}
	return s.Serve()
}

// killable is a server in a process of its own.
type killable struct {
	t        *testing.T
	settings []string
	process  *exec.Cmd
}

// startKillable starts one on ports that it keeps.
func startKillable(t *testing.T) *killable {
	k := &killable{t: t, settings: []string{t.TempDir()}}
	var listeners []net.Listener
	for range 4 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
		k.settings = append(k.settings, l.Addr().String())
	}
	for _, l := range listeners {
		l.Close()
	}
	k.start()
	t.Cleanup(k.kill)
	return k
}

func (k *killable) target() string { return "zk://" + k.settings[1] }

func (k *killable) start() {
	k.process = exec.Command(os.Args[0])
	k.process.Env = append(os.Environ(), serveVariable+"="+strings.Join(k.settings, " "))
	k.process.Stderr = os.Stderr
	if err := k.process.Start(); err != nil {
		k.t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		r, err := http.Get("http://" + k.settings[4] + "/readyz")
		if err != nil {
			continue
		}
		r.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		if r.StatusCode == http.StatusOK {
			return
		}
	}
	k.t.Fatal("the server does not get ready")
}

func (k *killable) kill() {
	_ = k.process.Process.Kill()
	_ = k.process.Wait() // it says that it was killed
}

// TestServerKilled: a server is killed and started again, several times, under
// everything that runs. What was acknowledged is there, once.
func TestServerKilled(t *testing.T) {
	if testing.Short() {
		return // it builds and starts servers; the long tests do that
	}
	noLeaks(t)
	k := startKillable(t)
	c := open(t, k.target(), client.Config{Pause: 20 * time.Millisecond})
	table := makeTable(t, c, "100", "200", "c", "counter1", "counter2")
	l := startLoad(t, c, table)
	kills := 0
	for start := time.Now(); time.Since(start) < chaosTime() || kills < 3; kills++ {
		time.Sleep(time.Duration(rand.IntN(600)) * time.Millisecond)
		k.kill()
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		k.start()
	}
	t.Logf("%d kills", kills)
	l.end(table)
}
