// Shows that imports point down, as on the napkin of docs/architecture.md. The
// drawing is here as text: a map, not a fence. When the design moves, move the
// text too.
package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/basaltdb/basalt/"

// napkin has a line for each package: what it may import of Basalt's own besides
// what those may import themselves. Names are under internal/, but for the last
// block. A package that is not here may not exist.
const napkin = `
	# the map of the key space, and the store contract: nothing below them
	keys:
	kv:

	# engines, and what they share
	kv/ordered:
	kv/lock:         kv
	kv/txn:          keys kv/lock kv/ordered
	kv/kvtest:       keys kv
	kv/memkv:        kv/txn
	kv/pebblekv:     kv/txn

	# which tables exist
	catalog:         keys kv

	# HBase rows
	wide/cell:
	wide/filter/javaregex:
	wide/filter:     wide/cell wide/filter/javaregex
	wide:            wide/filter catalog

	# the HBase door
	hbase/pb:        wide/cell
	hbase/pb/adminpb:
	hbase/pb/pbtest:
	hbase/wire:      hbase/pb
	hbase/rpc:       kv hbase/wire
	hbase/meta:      catalog wide/cell hbase/pb/adminpb
	hbase/zk:        hbase/meta
	hbase:           hbase/meta hbase/rpc wide
	hbase/admin:     hbase/meta hbase/rpc

	# the MySQL door
	mysql/password:
	mysql/wire:

	# SQL tables and the language over them
	rel/row:         catalog
	rel:             rel/row
	sql/answer:      rel/row
	sql/fast:        rel sql/answer
	sql/general:     rel sql/answer mysql/password
	sql/lex:         rel/row
	sql:             sql/fast sql/general sql/lex
	mysql:           sql mysql/wire mysql/password

	# above the drawing
	server:          hbase hbase/admin hbase/zk mysql kv/pebblekv

	# the bench: what it sends and how, what it measured, and what it says about it
	bench/gen:
	bench/measure:
	bench/sample:
	bench/load:      bench/gen bench/measure bench/sample
	bench/result:    bench/load
	bench/store:     bench/measure bench/sample
	bench/ycsb:      bench/result bench/store
	bench/store/hbasedb: bench/store /client
	bench/store/mysqldb: bench/store
	bench/sysbench:  bench/load bench/store/mysqldb
	bench/pe:        bench/load bench/store/hbasedb /client
	bench/conc:      bench/result bench/store/hbasedb
	bench/cli:       bench/ycsb bench/sysbench bench/pe bench/conc

	# outside of internal
	/basalttest:     server
	/client/internal/rpc: hbase/wire
	/client/internal/zk:
	/client/filter:  hbase/pb
	/client:         /client/filter /client/internal/rpc /client/internal/zk hbase/pb/adminpb
	/cmd/basalt:     server bench/cli
	/test/bench/driver:
	/test/bench/lean: /test/bench/driver
	/test/bench/isolation: /test/bench/driver
	/test/bench/clients: /client
	/test/summary:
`

// sole names foreign modules that few packages may import, mostly one, so that
// they can be replaced there and nowhere else.
var sole = map[string]string{
	"github.com/cockroachdb/pebble":        "kv/pebblekv",
	"github.com/dolthub/go-mysql-server":   "sql/general",
	"github.com/spf13/pflag":               "server bench/cli",
	"gonum.org/v1/plot":                    "bench/cli",
	"github.com/go-sql-driver/mysql":       "bench/store/mysqldb",
	"github.com/BurntSushi/toml":           "server",
	"github.com/prometheus/client_golang/": "server",
}

// Only tests may import these.
var testsOnly = []string{"github.com/go-zookeeper/zk", "github.com/tsuna/gohbase", "github.com/google/go-cmp"}

func TestImportsPointDown(t *testing.T) {
	direct := make(map[string][]string)
	for line := range strings.SplitSeq(napkin, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if name, below, ok := strings.Cut(line, ":"); ok {
			direct[strings.TrimSpace(name)] = strings.Fields(below)
		}
	}
	allowed := make(map[string][]string)
	var close func(name string, path []string) []string
	close = func(name string, path []string) []string {
		if slices.Contains(path, name) {
			t.Fatalf("the napkin has a circle: %v", append(path, name))
		}
		if a, ok := allowed[name]; ok {
			return a
		}
		if _, ok := direct[name]; !ok {
			t.Fatalf("the napkin does not say what %s may import", name)
		}
		var all []string
		for _, d := range direct[name] {
			all = append(append(all, d), close(d, append(path, name))...)
		}
		allowed[name] = all
		return all
	}
	for name := range direct {
		close(name, nil)
	}

	root := ".."
	seen := make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() && path != root {
			// Modules of their own, such as client tests, have their own imports.
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		name := short(filepath.ToSlash(rel))
		if name == "/internal" {
			return nil // this test
		}
		test := strings.HasSuffix(path, "_test.go")
		if _, ok := direct[name]; !ok {
			if !seen[name] && !test {
				t.Errorf("%s is not on the napkin", name)
			}
			seen[name] = true
			return nil
		}
		seen[name] = true
		if test {
			return nil // tests may look around
		}
		return check(t, path, name, allowed[name])
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range direct {
		if !seen[name] {
			t.Errorf("%s is on the napkin and nowhere else", name)
		}
	}
}

// check compares what one file imports with what its package may.
func check(t *testing.T, path, name string, allowed []string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, i := range f.Imports {
		imported := strings.Trim(i.Path.Value, `"`)
		if own, ok := strings.CutPrefix(imported, module); ok {
			if to := short(own); !slices.Contains(allowed, to) {
				t.Errorf("%s: %s may not import %s", path, name, to)
			}
		}
		for prefix, owner := range sole {
			if strings.HasPrefix(imported, prefix) && !slices.Contains(strings.Fields(owner), name) {
				t.Errorf("%s: only %s may import %s", path, owner, imported)
			}
		}
		for _, prefix := range testsOnly {
			if strings.HasPrefix(imported, prefix) && !strings.HasPrefix(name, "/test/") {
				t.Errorf("%s: only tests may import %s", path, imported)
			}
		}
	}
	return nil
}

// short is a package's name on the napkin, of its path in the module.
func short(path string) string {
	if rest, ok := strings.CutPrefix(path, "internal/"); ok {
		return rest
	}
	return "/" + path
}
