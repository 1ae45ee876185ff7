package hbase

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv/memkv"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// fixture is a service over an empty in-memory store, with a table t that has
// the families f and g.
type fixture struct {
	*Service
	t       testing.TB
	catalog *catalog.Catalog
	methods rpc.Service
	client  *rpc.Client
	// clock is the service's and the store's, in ms after the epoch.
	clock *atomic.Int64
}

// java is a client of today: cell blocks and a version.
func java() *rpc.Client {
	return &rpc.Client{Service: "ClientService", Codec: rpc.KeyValueCodec, HasVersion: true, VersionMajor: 2, VersionMinor: 6}
}

// goClient is one that says no version (gohbase, asynchbase); plainClient has
// no codec either (Node).
func goClient() *rpc.Client    { return &rpc.Client{Codec: rpc.KeyValueCodec} }
func plainClient() *rpc.Client { return &rpc.Client{} }

func newFixture(t testing.TB, limits Limits) *fixture {
	t.Helper()
	return newFixtureWith(t, limits, wide.Options{})
}

func newFixtureWith(t testing.TB, limits Limits, o wide.Options) *fixture {
	t.Helper()
	clock := new(atomic.Int64)
	clock.Store(1_700_000_000_000)
	o.Clock = clock.Load
	engine := memkv.New(cell.Merger{})
	store, err := wide.New(engine, o)
	if err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.Open(engine, catalog.Options{Clock: clock.Load})
	if err != nil {
		t.Fatal(err)
	}
	server := meta.ServerName{Host: "localhost", Port: 16020, StartCode: clock.Load()}
	s := New(Config{
		Store: store, Catalog: cat, Meta: meta.New(cat, server), ServerName: server.String(), Limits: limits,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: func() time.Time { return time.UnixMilli(clock.Load()) },
	})
	t.Cleanup(func() {
		s.Close()
		store.Close()
		engine.Close()
	})
	f := &fixture{Service: s, t: t, catalog: cat, methods: s.Methods(), client: java(), clock: clock}
	f.create("t", nil)
	return f
}

func (f *fixture) create(table string, attributes []catalog.BytesPair, splits ...string) {
	f.t.Helper()
	schema := &catalog.Schema{Name: catalog.ParseTableName(table), Attributes: attributes}
	for _, name := range []string{"f", "g"} {
		schema.Families = append(schema.Families, catalog.FamilySchema{Name: []byte(name), Attributes: []catalog.BytesPair{
			{Name: []byte("VERSIONS"), Value: []byte("3")},
		}})
	}
	var keys [][]byte
	for _, s := range splits {
		keys = append(keys, []byte(s))
	}
	if err := f.catalog.CreateTable(schema, keys); err != nil {
		f.t.Fatal(err)
	}
}

// region is the RegionSpecifier of the table's region that has the row.
func (f *fixture) region(table, row string) message {
	t := f.catalog.View().Tables[catalog.ParseTableName(table)]
	return specifier(t.RegionOf([]byte(row)).Name)
}

func specifier(name []byte) message { return message{}.num(1, 1).bytes(2, name) }

// call calls a method as the fixture's client.
func (f *fixture) call(method string, param message, cells []byte) (*rpc.Reply, error) {
	f.t.Helper()
	r := new(rpc.Reply)
	err := f.methods[method].Handle(context.Background(), &rpc.Call{
		Client: f.client, Method: method, Param: param, Cells: cells, Received: f.now(),
	}, r)
	return r, err
}

// ok calls a method and parses the answer.
func (f *fixture) ok(method string, param message, cells []byte) (fields, []byte) {
	f.t.Helper()
	r, err := f.call(method, param, cells)
	if err != nil {
		f.t.Fatalf("%s: %v", method, err)
	}
	return parse(f.t, r.Message), r.Cells
}

// fails calls a method and wants an exception of that (simple) class.
func (f *fixture) fails(class, method string, param message, cells []byte) *rpc.Error {
	f.t.Helper()
	_, err := f.call(method, param, cells)
	e, ok := err.(*rpc.Error)
	if !ok || !strings.HasSuffix(e.Class, "."+class) {
		f.t.Fatalf("%s: got error %v, want a %s", method, err, class)
	}
	return e
}

// put writes one cell into family f of table t.
func (f *fixture) put(row, qualifier, value string) {
	f.t.Helper()
	f.ok("Mutate", message{}.bytes(1, f.region("t", row)).bytes(2, putProto(row, "f", qualifier, value)), nil)
}

// putProto is a MutationProto with one inline value.
func putProto(row, family, qualifier, value string) message {
	return message{}.str(1, row).num(2, 2).bytes(3, column(family, qualifier, value))
}

// column is a ColumnValue with one value.
func column(family, qualifier, value string) message {
	return message{}.str(1, family).bytes(2, message{}.str(1, qualifier).str(2, value))
}

// getProto is a Get of a whole row.
func getProto(row string) message { return message{}.str(1, row) }

// row reads a row of table t as family:qualifier=value.
func (f *fixture) row(row string) []string {
	f.t.Helper()
	saved := f.client
	f.client = java()
	defer func() { f.client = saved }()
	resp, block := f.ok("Get", message{}.bytes(1, f.region("t", row)).bytes(2, getProto(row)), nil)
	cells, rest := takeKVs(f.t, block, int(resp.msg(f.t, 1).num(2)))
	if len(rest) > 0 {
		f.t.Fatalf("%d bytes left in the cell block of a Get", len(rest))
	}
	return show(cells)
}
