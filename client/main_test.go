package client_test

// Tests of the client against a whole server on loopback and, with
// BASALT_TEST_TARGET set to a target of Open, against any other cluster: there
// they make tables with names that begin with gocl_ and delete them.

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/basalttest"
	"github.com/basaltdb/basalt/client"
)

func TestMain(m *testing.M) {
	if settings := os.Getenv(serveVariable); settings != "" {
		log.Fatal(serve(settings))
	}
	code := m.Run()
	examples.end()
	os.Exit(code)
}

// exampleT is what a server started for examples, which have no testing.T, takes
// for one.
type exampleT struct {
	testing.TB
	cleanups []func()
}

func (e *exampleT) Helper()          {}
func (e *exampleT) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

func (e *exampleT) Fatalf(format string, args ...any) { log.Fatalf(format, args...) }
func (e *exampleT) Errorf(format string, args ...any) { log.Fatalf(format, args...) }

func (e *exampleT) TempDir() string {
	dir, err := os.MkdirTemp("", "basalt-example")
	if err != nil {
		log.Fatal(err)
	}
	e.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (e *exampleT) end() {
	for _, f := range slices.Backward(e.cleanups) {
		f()
	}
}

var examples exampleT

// exampleTarget returns a function that starts the examples' server at its first
// call.
func exampleTarget() func() string {
	return sync.OnceValue(func() string { return "zk://" + basalttest.Start(&examples).ZooKeeper })
}

// targetOf returns the cluster to test against.
func targetOf(t testing.TB) string {
	if s := os.Getenv("BASALT_TEST_TARGET"); s != "" {
		return s
	}
	return "zk://" + basalttest.Start(t).ZooKeeper
}

func open(t testing.TB, target string, config client.Config) *client.Client {
	t.Helper()
	c, err := client.Open(target, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

var tables atomic.Uint32

// makeTable makes a table with families f and g, which ends with the test.
func makeTable(t testing.TB, c *client.Client, splits ...string) *client.Table {
	t.Helper()
	name := fmt.Sprintf("gocl_%d_%d", os.Getpid(), tables.Add(1))
	var keys [][]byte
	for _, s := range splits {
		keys = append(keys, []byte(s))
	}
	ctx := context.Background()
	d := client.TableDescriptor{Name: name, Families: []client.FamilyDescriptor{
		client.Family("f").WithVersions(3), client.Family("g"),
	}}
	if err := c.Admin().CreateTable(ctx, d, keys...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := c.Admin().DisableTable(ctx, name)
		if err == nil {
			err = c.Admin().DeleteTable(ctx, name)
		}
		if err != nil {
			t.Logf("table %s stays: %v", name, err)
		}
	})
	return c.Table(name)
}

// noLeaks fails the test when goroutines that were not there at its start are
// there at its end. It must be called before anything else.
func noLeaks(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		deadline := time.Now().Add(3 * time.Second)
		for runtime.NumGoroutine() > before {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<20)
				t.Errorf("%d goroutines at the start, %d at the end:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
}

func b(s string) []byte { return []byte(s) }

// text shows a result as "row f:q=value f:q=value".
func text(r *client.Result) string {
	if r.Empty() {
		return ""
	}
	var s strings.Builder
	s.Write(r.Row())
	for i := range r.Cells {
		c := &r.Cells[i]
		fmt.Fprintf(&s, " %s:%s=%s", c.Family, c.Qualifier, c.Value)
	}
	return s.String()
}

// rows reads a scan to its end.
func rows(t testing.TB, table *client.Table, s *client.Scan) []string {
	t.Helper()
	var all []string
	for r, err := range table.Scan(s).Rows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text(r))
	}
	return all
}
