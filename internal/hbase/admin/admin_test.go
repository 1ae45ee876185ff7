package admin_test

// These tests call the services as the transport does, with encoded messages,
// and compare with what a real HBase 2.6 answers to the same calls: classes and
// texts of exceptions, which of them come from the call and which as the result
// of a procedure.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/admin"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/memkv"
	"google.golang.org/protobuf/proto"
)

type lastWins struct{}

func (lastWins) Name() string { return "test" }
func (lastWins) Fold(dst []byte, values [][]byte) ([]byte, error) {
	return append(dst, values[len(values)-1]...), nil
}

// store is a store whose compactions the test lets go.
type store struct {
	mid     []byte
	err     error
	release chan struct{} // nil: at once

	mu   sync.Mutex
	done []string
}

func (s *store) MajorCompact(ctx context.Context, r *catalog.Region, family []byte) error {
	if s.release != nil {
		select {
		case <-s.release:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, fmt.Sprintf("%s %s %s", r.Table.Name, r.Start, family))
	return s.err
}

func (s *store) MidRow(context.Context, *catalog.Region) ([]byte, error) { return s.mid, s.err }

// flushes counts what the services ask of the engine.
type flushes struct {
	kv.Engine
	flushed, compacted int
}

func (e *flushes) Flush(ctx context.Context) error { e.flushed++; return e.Engine.Flush(ctx) }

func (e *flushes) Compact(ctx context.Context, r kv.KeyRange) error {
	e.compacted++
	return e.Engine.Compact(ctx, r)
}

// fixture is a whole database, but for the rows.
type fixture struct {
	*testing.T
	engine  *flushes
	store   *store
	catalog *catalog.Catalog
	admin   *admin.Admin
	master  rpc.Service
	server  rpc.Service
	now     int64
}

var serverName = meta.ServerName{Host: "localhost", Port: 16020, StartCode: 1700000000000}

func setUp(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, engine: &flushes{Engine: memkv.New(lastWins{})}, store: &store{}, now: 1700000000000}
	clock := func() int64 { return f.now }
	c, err := catalog.Open(f.engine, catalog.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	f.catalog = c
	f.admin = admin.New(admin.Config{
		Catalog: c, Meta: meta.New(c, serverName), Engine: f.engine, Store: f.store,
		Master: meta.ServerName{Host: "localhost", Port: 16000, StartCode: 1700000000000}, Server: serverName,
		InfoPort: 16010, Clock: clock,
	})
	f.master, f.server = f.admin.MasterService(), f.admin.AdminService()
	t.Cleanup(func() {
		f.admin.Close()
		f.engine.Close()
	})
	return f
}

// call calls a method. A nil answer leaves the answer unread.
func (f *fixture) call(s rpc.Service, method string, q, a proto.Message) error {
	f.Helper()
	m, ok := s[method]
	if !ok {
		f.Fatalf("no method %s", method)
	}
	param, err := proto.Marshal(q)
	if err != nil {
		f.Fatal(err)
	}
	var r rpc.Reply
	if err := m.Handle(context.Background(), &rpc.Call{Client: &rpc.Client{}, Method: method, Param: param}, &r); err != nil {
		return err
	}
	if a != nil {
		if err := proto.Unmarshal(r.Message, a); err != nil {
			f.Fatal(err)
		}
	}
	return nil
}

func (f *fixture) must(s rpc.Service, method string, q, a proto.Message) {
	f.Helper()
	if err := f.call(s, method, q, a); err != nil {
		f.Fatalf("%s: %v", method, err)
	}
}

// fails wants an exception from a call. Class without its package.
func (f *fixture) fails(s rpc.Service, method string, q proto.Message, class, text string) {
	f.Helper()
	err := f.call(s, method, q, nil)
	var e *rpc.Error
	if !errors.As(err, &e) {
		f.Errorf("%s: got %v, want %s: %s", method, err, class, text)
		return
	}
	if got := e.Class[strings.LastIndexByte(e.Class, '.')+1:]; got != class || e.Message != text {
		f.Errorf("%s: got  %s: %s\nwant %s: %s", method, got, e.Message, class, text)
	}
}

// result wants an exception as the result of a procedure.
func (f *fixture) result(id uint64, class, text string) {
	f.Helper()
	var r adminpb.GetProcedureResultResponse
	f.must(f.master, "getProcedureResult", &adminpb.GetProcedureResultRequest{ProcId: &id}, &r)
	e := r.GetException().GetGenericException()
	if got := e.GetClassName()[strings.LastIndexByte(e.GetClassName(), '.')+1:]; r.GetState() != adminpb.GetProcedureResultResponse_FINISHED ||
		got != class || e.GetMessage() != text {
		f.Errorf("result: %v", &r)
	}
}

func table(s string) *adminpb.TableName { return meta.TableName(catalog.ParseTableName(s)) }

func family(name string, attributes ...string) *adminpb.ColumnFamilySchema {
	c := &adminpb.ColumnFamilySchema{Name: []byte(name)}
	for i := 0; i < len(attributes); i += 2 {
		c.Attributes = append(c.Attributes, &adminpb.BytesBytesPair{First: []byte(attributes[i]), Second: []byte(attributes[i+1])})
	}
	return c
}

func schema(name string, families ...*adminpb.ColumnFamilySchema) *adminpb.TableSchema {
	return &adminpb.TableSchema{TableName: table(name), ColumnFamilies: families}
}

func (f *fixture) create(name string, splits ...string) {
	f.Helper()
	q := &adminpb.CreateTableRequest{TableSchema: schema(name, family("f"))}
	for _, s := range splits {
		q.SplitKeys = append(q.SplitKeys, []byte(s))
	}
	f.must(f.master, "CreateTable", q, nil)
}

func (f *fixture) regions(name string) []*catalog.Region {
	return f.catalog.View().Tables[catalog.ParseTableName(name)].Regions
}

func specifier(name []byte) *adminpb.RegionSpecifier {
	return &adminpb.RegionSpecifier{Type: adminpb.RegionSpecifier_REGION_NAME.Enum(), Value: name}
}

func TestTableExceptions(t *testing.T) {
	f := setUp(t)
	f.create("t")
	m, no, t1 := f.master, table("no"), table("t")
	const hint = " Set hbase.table.sanity.checks to false at conf or table descriptor if you want to bypass sanity checks"
	f.fails(m, "CreateTable", &adminpb.CreateTableRequest{TableSchema: schema("t", family("f"))}, "TableExistsException", "t")
	f.fails(m, "CreateTable", &adminpb.CreateTableRequest{TableSchema: schema("nons:t", family("f"))}, "NamespaceNotFoundException", "nons")
	f.fails(m, "CreateTable", &adminpb.CreateTableRequest{TableSchema: schema("x")}, "DoNotRetryIOException", "Table should have at least one column family."+hint)
	f.fails(m, "CreateTable", &adminpb.CreateTableRequest{TableSchema: schema("hbase:meta", family("f"))}, "TableExistsException", "hbase:meta")
	f.fails(m, "CreateTable", &adminpb.CreateTableRequest{}, "DoNotRetryIOException", "Message is missing required field table_schema")
	f.fails(m, "DeleteTable", &adminpb.DeleteTableRequest{TableName: t1}, "TableNotDisabledException", "Not DISABLED; tableName=t, state=ENABLED")
	f.fails(m, "truncateTable", &adminpb.TruncateTableRequest{TableName: t1}, "TableNotDisabledException", "t")
	f.fails(m, "DisableTable", &adminpb.DisableTableRequest{TableName: no}, "TableNotFoundException", "no")
	f.fails(m, "DeleteTable", &adminpb.DeleteTableRequest{TableName: no}, "TableNotFoundException", "no")
	f.fails(m, "truncateTable", &adminpb.TruncateTableRequest{TableName: no}, "TableNotFoundException", "no")
	f.fails(m, "ModifyTable", &adminpb.ModifyTableRequest{TableName: no, TableSchema: schema("no", family("f"))}, "TableNotFoundException", "no")
	f.fails(m, "ModifyTable", &adminpb.ModifyTableRequest{TableName: t1, TableSchema: schema("t")}, "DoNotRetryIOException", "Table should have at least one column family."+hint)
	f.fails(m, "AddColumn", &adminpb.AddColumnRequest{TableName: t1, ColumnFamilies: family("f")}, "InvalidFamilyOperationException", "Column family 'f' in table 't' already exists so cannot be added")
	f.fails(m, "AddColumn", &adminpb.AddColumnRequest{TableName: no, ColumnFamilies: family("f")}, "TableNotFoundException", "no")
	f.fails(m, "ModifyColumn", &adminpb.ModifyColumnRequest{TableName: t1, ColumnFamilies: family("z")}, "InvalidFamilyOperationException", "Family 'z' does not exist, so it cannot be modified")
	f.fails(m, "DeleteColumn", &adminpb.DeleteColumnRequest{TableName: t1, ColumnName: []byte("z")}, "InvalidFamilyOperationException", "Family 'z' does not exist, so it cannot be deleted")
	f.fails(m, "DeleteColumn", &adminpb.DeleteColumnRequest{TableName: t1, ColumnName: []byte("f")}, "InvalidFamilyOperationException", "Family 'f' is the only column family in the table, so it cannot be deleted")
	f.fails(m, "FlushTable", &adminpb.FlushTableRequest{TableName: no}, "TableNotFoundException", "no")
	f.fails(m, "FlushTable", &adminpb.FlushTableRequest{TableName: t1, ColumnFamily: [][]byte{[]byte("y"), []byte("z")}}, "NoSuchColumnFamilyException", "Column families [y, z] don't exist in table t")

	// These two fail as procedures.
	var e adminpb.EnableTableResponse
	f.must(m, "EnableTable", &adminpb.EnableTableRequest{TableName: t1}, &e)
	f.result(e.GetProcId(), "TableNotDisabledException", "tableName=t, state=ENABLED")
	f.must(m, "EnableTable", &adminpb.EnableTableRequest{TableName: no}, &e)
	f.result(e.GetProcId(), "TableNotFoundException", "no")

	f.must(m, "DisableTable", &adminpb.DisableTableRequest{TableName: t1}, nil)
	f.fails(m, "DisableTable", &adminpb.DisableTableRequest{TableName: t1}, "TableNotEnabledException", "t")
	f.fails(m, "FlushTable", &adminpb.FlushTableRequest{TableName: t1}, "TableNotEnabledException", "t")

	// The system tables.
	mt := table("hbase:meta")
	f.fails(m, "DisableTable", &adminpb.DisableTableRequest{TableName: mt}, "DoNotRetryIOException", "Cannot disable hbase:meta")
	f.fails(m, "truncateTable", &adminpb.TruncateTableRequest{TableName: mt}, "TableNotDisabledException", "hbase:meta")
	f.must(m, "EnableTable", &adminpb.EnableTableRequest{TableName: mt}, &e)
	f.result(e.GetProcId(), "TableNotDisabledException", "tableName=hbase:meta, state=ENABLED")
	var d adminpb.DeleteTableResponse
	f.must(m, "DeleteTable", &adminpb.DeleteTableRequest{TableName: mt}, &d)
	f.result(d.GetProcId(), "IOException", "Can't modify catalog tables")
}

func TestNamespaceExceptions(t *testing.T) {
	f := setUp(t)
	ns := func(n string, kv ...string) *adminpb.NamespaceDescriptor {
		d := &adminpb.NamespaceDescriptor{Name: []byte(n)}
		for i := 0; i < len(kv); i += 2 {
			d.Configuration = append(d.Configuration, &adminpb.NameStringPair{Name: &kv[i], Value: &kv[i+1]})
		}
		return d
	}
	m := f.master
	f.must(m, "CreateNamespace", &adminpb.CreateNamespaceRequest{NamespaceDescriptor: ns("n")}, nil)
	f.create("n:t")
	f.fails(m, "CreateNamespace", &adminpb.CreateNamespaceRequest{NamespaceDescriptor: ns("n")}, "NamespaceExistException", "Namespace n already exists")
	f.fails(m, "CreateNamespace", &adminpb.CreateNamespaceRequest{NamespaceDescriptor: ns("a-b")}, "DoNotRetryIOException",
		"Illegal character <-> at 1. Namespaces may only contain 'alphanumeric characters' from any language and digits: a-b")
	f.fails(m, "ModifyNamespace", &adminpb.ModifyNamespaceRequest{NamespaceDescriptor: ns("m")}, "NamespaceNotFoundException", "m")
	f.fails(m, "ModifyNamespace", &adminpb.ModifyNamespaceRequest{NamespaceDescriptor: ns("n", "hbase.namespace.quota.maxregions", "x")},
		"DoNotRetryIOException", "NumberFormatException while getting max regions.")
	f.fails(m, "GetNamespaceDescriptor", &adminpb.GetNamespaceDescriptorRequest{NamespaceName: proto.String("m")}, "NamespaceNotFoundException", "m")
	f.fails(m, "ListTableNamesByNamespace", &adminpb.ListTableNamesByNamespaceRequest{NamespaceName: proto.String("m")}, "NamespaceNotFoundException", "m")
	f.fails(m, "ListTableDescriptorsByNamespace", &adminpb.ListTableDescriptorsByNamespaceRequest{NamespaceName: proto.String("m")}, "NamespaceNotFoundException", "m")
	f.fails(m, "DeleteNamespace", &adminpb.DeleteNamespaceRequest{NamespaceName: proto.String("m")}, "NamespaceNotFoundException", "m")
	f.fails(m, "DeleteNamespace", &adminpb.DeleteNamespaceRequest{NamespaceName: proto.String("n")}, "DoNotRetryIOException",
		"Only empty namespaces can be removed. Namespace n has 1 tables")
	f.fails(m, "DeleteNamespace", &adminpb.DeleteNamespaceRequest{NamespaceName: proto.String("hbase")}, "DoNotRetryIOException",
		"Reserved namespace hbase cannot be removed.")
	f.must(m, "ModifyNamespace", &adminpb.ModifyNamespaceRequest{NamespaceDescriptor: ns("n", "k", "v")}, nil)
	var d adminpb.GetNamespaceDescriptorResponse
	f.must(m, "GetNamespaceDescriptor", &adminpb.GetNamespaceDescriptorRequest{NamespaceName: proto.String("n")}, &d)
	if c := d.GetNamespaceDescriptor().GetConfiguration(); len(c) != 1 || c[0].GetName() != "k" || c[0].GetValue() != "v" {
		t.Errorf("descriptor %v", &d)
	}
	var l adminpb.ListNamespacesResponse
	f.must(m, "ListNamespaces", &adminpb.ListNamespacesRequest{}, &l)
	if got := strings.Join(l.GetNamespaceName(), " "); got != "default hbase n" {
		t.Errorf("namespaces %s", got)
	}
	var ds adminpb.ListNamespaceDescriptorsResponse
	f.must(m, "ListNamespaceDescriptors", &adminpb.ListNamespaceDescriptorsRequest{}, &ds)
	if len(ds.GetNamespaceDescriptor()) != 3 {
		t.Errorf("descriptors %v", &ds)
	}
}

func TestListings(t *testing.T) {
	f := setUp(t)
	f.must(f.master, "CreateNamespace", &adminpb.CreateNamespaceRequest{NamespaceDescriptor: &adminpb.NamespaceDescriptor{Name: []byte("ns")}}, nil)
	for _, n := range []string{"tb", "ta", "ns:ta", "other"} {
		f.create(n)
	}
	f.must(f.master, "DisableTable", &adminpb.DisableTableRequest{TableName: table("tb")}, nil)
	show := func(names []*adminpb.TableName) string {
		var out []string
		for _, n := range names {
			out = append(out, catalog.TableName{Namespace: string(n.GetNamespace()), Qualifier: string(n.GetQualifier())}.String())
		}
		return strings.Join(out, " ")
	}
	list := func(want string, q *adminpb.GetTableNamesRequest) {
		t.Helper()
		var a adminpb.GetTableNamesResponse
		f.must(f.master, "GetTableNames", q, &a)
		if got := show(a.GetTableNames()); got != want {
			t.Errorf("%v: %s, want %s", q, got, want)
		}
		var d adminpb.GetTableDescriptorsResponse
		f.must(f.master, "GetTableDescriptors", &adminpb.GetTableDescriptorsRequest{Regex: q.Regex, Namespace: q.Namespace, IncludeSysTables: q.IncludeSysTables}, &d)
		var names []*adminpb.TableName
		for _, s := range d.GetTableSchema() {
			names = append(names, s.GetTableName())
		}
		if got := show(names); got != want {
			t.Errorf("descriptors of %v: %s, want %s", q, got, want)
		}
	}
	re := proto.String
	list("ns:ta other ta tb", &adminpb.GetTableNamesRequest{})
	list("hbase:meta hbase:namespace ns:ta other ta tb", &adminpb.GetTableNamesRequest{IncludeSysTables: proto.Bool(true)})
	list("ta tb", &adminpb.GetTableNamesRequest{Regex: re("t.")})
	list("", &adminpb.GetTableNamesRequest{Regex: re("t")})
	list("other ta tb", &adminpb.GetTableNamesRequest{Regex: re("default:.*")})
	list("ns:ta", &adminpb.GetTableNamesRequest{Namespace: re("ns")})
	list("other", &adminpb.GetTableNamesRequest{Regex: re("(?!t|ns:|default:).*")}) // Go's own patterns cannot look ahead
	list("ta", &adminpb.GetTableNamesRequest{Regex: re(`\Qta\E`)})
	f.fails(f.master, "GetTableNames", &adminpb.GetTableNamesRequest{Namespace: re("nons")}, "NamespaceNotFoundException", "nons")
	if err := f.call(f.master, "GetTableNames", &adminpb.GetTableNamesRequest{Regex: re("(")}, nil); err == nil {
		t.Error("a broken pattern is no error")
	}
	if err := f.call(f.master, "GetTableNames", &adminpb.GetTableNamesRequest{Regex: re("(?=(a+)+$)x" + strings.Repeat("a", 70000))}, nil); err == nil {
		t.Error("a pattern without bound")
	}

	var d adminpb.GetTableDescriptorsResponse
	f.must(f.master, "GetTableDescriptors", &adminpb.GetTableDescriptorsRequest{TableNames: []*adminpb.TableName{table("tb"), table("no"), table("hbase:meta")}}, &d)
	if len(d.GetTableSchema()) != 2 || len(d.GetTableSchema()[1].GetColumnFamilies()) != 3 {
		t.Errorf("descriptors by name: %v", &d)
	}
	var n adminpb.ListTableNamesByStateResponse
	for enabled, want := range map[bool]string{false: "tb", true: "ns:ta other ta"} {
		f.must(f.master, "ListTableNamesByState", &adminpb.ListTableNamesByStateRequest{IsEnabled: &enabled}, &n)
		if got := show(n.GetTableNames()); got != want {
			t.Errorf("enabled %t: %s", enabled, got)
		}
	}
	var s adminpb.GetTableStateResponse
	for name, want := range map[string]adminpb.TableState_State{"tb": adminpb.TableState_DISABLED, "ta": adminpb.TableState_ENABLED, "hbase:meta": adminpb.TableState_ENABLED} {
		f.must(f.master, "GetTableState", &adminpb.GetTableStateRequest{TableName: table(name)}, &s)
		if got := s.GetTableState().GetState(); got != want {
			t.Errorf("state of %s: %s", name, got)
		}
	}
	f.fails(f.master, "GetTableState", &adminpb.GetTableStateRequest{TableName: table("no")}, "TableNotFoundException", "no")
	var alter adminpb.GetSchemaAlterStatusResponse
	f.must(f.master, "GetSchemaAlterStatus", &adminpb.GetSchemaAlterStatusRequest{TableName: table("ta")}, &alter)
	if alter.GetTotalRegions() != 1 || alter.GetYetToUpdateRegions() != 0 {
		t.Errorf("alter status %v", &alter)
	}
}

func TestDescriptorIsKeptVerbatim(t *testing.T) {
	f := setUp(t)
	in := schema("t", family("f", "ZZ", "1", "VERSIONS", "3", "AA", "2"))
	in.Attributes = []*adminpb.BytesBytesPair{{First: []byte("k\xff"), Second: []byte("\x00")}, {First: []byte("A"), Second: []byte("B")}}
	in.Configuration = []*adminpb.NameStringPair{{Name: proto.String("x"), Value: proto.String("y")}}
	f.must(f.master, "CreateTable", &adminpb.CreateTableRequest{TableSchema: in}, nil)
	in.Attributes = append(in.Attributes, &adminpb.BytesBytesPair{First: []byte("hbase.store.file-tracker.impl"), Second: []byte("DEFAULT")})
	var d adminpb.GetTableDescriptorsResponse
	f.must(f.master, "GetTableDescriptors", &adminpb.GetTableDescriptorsRequest{TableNames: []*adminpb.TableName{table("t")}}, &d)
	if len(d.GetTableSchema()) != 1 || !proto.Equal(d.GetTableSchema()[0], in) {
		t.Errorf("got  %v\nwant %v", &d, in)
	}
}

func TestNoncesMakeRetriesHarmless(t *testing.T) {
	f := setUp(t)
	q := &adminpb.CreateTableRequest{TableSchema: schema("t", family("f")), NonceGroup: proto.Uint64(1), Nonce: proto.Uint64(2)}
	var a, b adminpb.CreateTableResponse
	f.must(f.master, "CreateTable", q, &a)
	f.must(f.master, "CreateTable", q, &b)
	if a.GetProcId() == 0 || a.GetProcId() != b.GetProcId() {
		t.Errorf("ids %d and %d", a.GetProcId(), b.GetProcId())
	}
	q.Nonce = proto.Uint64(3)
	f.fails(f.master, "CreateTable", q, "TableExistsException", "t")
	f.fails(f.master, "CreateTable", q, "TableExistsException", "t")

	// Results are kept for minutes, then they are gone.
	get := func() adminpb.GetProcedureResultResponse_State {
		var r adminpb.GetProcedureResultResponse
		f.must(f.master, "getProcedureResult", &adminpb.GetProcedureResultRequest{ProcId: a.ProcId}, &r)
		return r.GetState()
	}
	f.now += 10 * 60 * 1000
	f.create("u")
	if s := get(); s != adminpb.GetProcedureResultResponse_FINISHED {
		t.Errorf("after ten minutes: %s", s)
	}
	f.now += 10 * 60 * 1000
	f.create("v")
	if s := get(); s != adminpb.GetProcedureResultResponse_NOT_FOUND {
		t.Errorf("after twenty minutes: %s", s)
	}
}

func TestSplitAndMerge(t *testing.T) {
	f := setUp(t)
	f.create("t", "m")
	split := func(r *catalog.Region, row string) *adminpb.SplitTableRegionRequest {
		return &adminpb.SplitTableRegionRequest{RegionInfo: meta.RegionInfo(r, 0), SplitRow: []byte(row)}
	}
	r := f.regions("t")[1]
	f.fails(f.master, "SplitRegion", split(r, "m"), "DoNotRetryIOException", "Split row is equal to startkey: m")
	f.fails(f.master, "SplitRegion", split(r, "a"), "DoNotRetryIOException", "Split row is not inside region key range splitKey:a region: "+r.String())
	const small = "Region not splittable because bestSplitPoint = null, maybe table is too small for auto split. For force split, try specifying split row"
	f.fails(f.master, "SplitRegion", split(r, ""), "DoNotRetryIOException", small)
	f.store.mid = []byte("m")
	f.fails(f.master, "SplitRegion", split(r, ""), "DoNotRetryIOException", small)
	f.store.mid = []byte("q")
	f.must(f.master, "SplitRegion", split(r, ""), nil)
	if got := len(f.regions("t")); got != 3 {
		t.Fatalf("%d regions", got)
	}
	f.fails(f.master, "SplitRegion", split(r, "z"), "UnknownRegionException", string(r.Name))

	merge := func(names ...string) *adminpb.MergeTableRegionsRequest {
		q := &adminpb.MergeTableRegionsRequest{}
		for _, n := range names {
			q.Region = append(q.Region, &adminpb.RegionSpecifier{Type: adminpb.RegionSpecifier_ENCODED_REGION_NAME.Enum(), Value: []byte(n)})
		}
		return q
	}
	rs := f.regions("t")
	f.fails(f.master, "MergeTableRegions", merge(rs[0].Encoded, "43ae7364b4a555b93267937f9bc49ec1"), "UnknownRegionException", "43ae7364b4a555b93267937f9bc49ec1")
	f.fails(f.master, "MergeTableRegions", merge(rs[0].Encoded, rs[0].Encoded), "MergeRegionException",
		"Duplicate regions specified; cannot merge a region to itself. Passed in 2 but only 1 unique.")
	apart := merge(rs[0].Encoded, rs[2].Encoded)
	f.fails(f.master, "MergeTableRegions", apart, "MergeRegionException",
		"Unable to merge non-adjacent or non-overlapping regions '"+rs[0].Encoded+"', '"+rs[2].Encoded+"' when force=false")
	apart.Forcible = proto.Bool(true)
	f.fails(f.master, "MergeTableRegions", apart, "MergeRegionException",
		"Only adjacent regions can be merged, also with force=true: regions never overlap")
	off := &adminpb.SetSplitOrMergeEnabledRequest{Enabled: proto.Bool(false), SwitchTypes: []adminpb.MasterSwitchType{adminpb.MasterSwitchType_SPLIT, adminpb.MasterSwitchType_MERGE}}
	var was adminpb.SetSplitOrMergeEnabledResponse
	f.must(f.master, "SetSplitOrMergeEnabled", off, &was)
	if fmt.Sprint(was.GetPrevValue()) != "[true true]" {
		t.Errorf("switches were %v", was.GetPrevValue())
	}
	f.fails(f.master, "SplitRegion", split(rs[0], "b"), "DoNotRetryIOException", "Split region "+string(rs[0].Name)+" failed due to split switch off")
	f.fails(f.master, "MergeTableRegions", merge(rs[0].Encoded, rs[1].Encoded), "DoNotRetryIOException",
		"Merge of ["+rs[0].Encoded+", "+rs[1].Encoded+"] failed because merge switch is off")
	off.Enabled = proto.Bool(true)
	f.must(f.master, "SetSplitOrMergeEnabled", off, &was)
	f.must(f.master, "MergeTableRegions", merge(string(rs[0].Name), rs[1].Encoded), nil)
	if got := len(f.regions("t")); got != 2 {
		t.Fatalf("%d regions", got)
	}
}

func TestFlush(t *testing.T) {
	f := setUp(t)
	f.create("t")
	proc := func(signature, instance string) *adminpb.ProcedureDescription {
		return &adminpb.ProcedureDescription{Signature: &signature, Instance: &instance}
	}
	f.must(f.master, "FlushTable", &adminpb.FlushTableRequest{TableName: table("t"), ColumnFamily: [][]byte{[]byte("f")}}, nil)
	var e adminpb.ExecProcedureResponse
	f.must(f.master, "ExecProcedure", &adminpb.ExecProcedureRequest{Procedure: proc("flush-table-proc", "t")}, &e)
	var d adminpb.IsProcedureDoneResponse
	f.must(f.master, "IsProcedureDone", &adminpb.IsProcedureDoneRequest{Procedure: proc("flush-table-proc", "t")}, &d)
	if e.GetExpectedTimeout() <= 0 || !d.GetDone() {
		t.Errorf("%v %v", &e, &d)
	}
	r := f.regions("t")[0]
	var fr adminpb.FlushRegionResponse
	f.must(f.server, "FlushRegion", &adminpb.FlushRegionRequest{Region: specifier(r.Name)}, &fr)
	if f.engine.flushed != 3 || !fr.GetFlushed() || fr.GetLastFlushTime() != uint64(f.now) {
		t.Errorf("%d flushes, %v", f.engine.flushed, &fr)
	}
	f.fails(f.master, "ExecProcedure", &adminpb.ExecProcedureRequest{Procedure: proc("foo", "t")}, "DoNotRetryIOException", "The procedure is not registered: foo")
	f.fails(f.master, "IsProcedureDone", &adminpb.IsProcedureDoneRequest{Procedure: proc("foo", "t")}, "DoNotRetryIOException", "The procedure is not registered: foo")
	f.must(f.master, "DisableTable", &adminpb.DisableTableRequest{TableName: table("t")}, nil)
	f.fails(f.server, "FlushRegion", &adminpb.FlushRegionRequest{Region: specifier(r.Name)}, "NotServingRegionException",
		string(r.Name)+" is not online on localhost,16020,1700000000000")
}

// A client polls the state until it is NONE, then reads the time.
func TestMajorCompaction(t *testing.T) {
	f := setUp(t)
	f.create("t", "m")
	f.store.release = make(chan struct{})
	state := func(r *catalog.Region) adminpb.CompactionState {
		var a adminpb.GetRegionInfoResponse
		f.must(f.server, "GetRegionInfo", &adminpb.GetRegionInfoRequest{Region: specifier(r.Name), CompactionState: proto.Bool(true)}, &a)
		return a.GetCompactionState()
	}
	last := func() int64 {
		var a adminpb.MajorCompactionTimestampResponse
		f.must(f.master, "getLastMajorCompactionTimestamp", &adminpb.MajorCompactionTimestampRequest{TableName: table("t")}, &a)
		return a.GetCompactionTimestamp()
	}
	rs := f.regions("t")
	for _, r := range rs {
		f.must(f.server, "CompactRegion", &adminpb.CompactRegionRequest{Region: specifier(r.Name), Major: proto.Bool(true)}, nil)
		if s := state(r); s != adminpb.CompactionState_MAJOR {
			t.Errorf("state %s", s)
		}
	}
	if at := last(); at != 0 {
		t.Errorf("compacted at %d already", at)
	}
	close(f.store.release)
	for _, r := range rs {
		for deadline := time.Now().Add(10 * time.Second); state(r) != adminpb.CompactionState_NO_COMPACTION; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the compaction does not end")
			}
		}
	}
	if at := last(); at != f.now {
		t.Errorf("compacted at %d, want %d", at, f.now)
	}
	var a adminpb.MajorCompactionTimestampResponse
	f.must(f.master, "getLastMajorCompactionTimestampForRegion", &adminpb.MajorCompactionTimestampForRegionRequest{Region: specifier(rs[0].Name)}, &a)
	if a.GetCompactionTimestamp() != f.now {
		t.Errorf("region compacted at %d", a.GetCompactionTimestamp())
	}

	// One that fails leaves the time as it was.
	f.now++
	f.store.mu.Lock()
	f.store.err = errors.New("corrupt")
	f.store.mu.Unlock()
	f.must(f.server, "CompactRegion", &adminpb.CompactRegionRequest{Region: specifier(rs[0].Name), Major: proto.Bool(true), Family: []byte("f")}, nil)
	f.admin.Close()
	if at := last(); at != f.now-1 {
		t.Errorf("compacted at %d after a failure", at)
	}
}

func TestMinorCompactionAndSwitch(t *testing.T) {
	f := setUp(t)
	f.create("t", "m")
	r := f.regions("t")[1]
	q := &adminpb.CompactRegionRequest{Region: specifier(r.Name)}
	f.must(f.server, "CompactRegion", q, nil)
	var was adminpb.CompactionSwitchResponse
	f.must(f.server, "CompactionSwitch", &adminpb.CompactionSwitchRequest{Enabled: proto.Bool(false)}, &was)
	if !was.GetPrevState() {
		t.Error("the switch was off")
	}
	f.fails(f.server, "CompactRegion", q, "DoNotRetryIOException", "Compactions are switched off (compaction_switch)")
	f.fails(f.server, "CompactRegion", &adminpb.CompactRegionRequest{Region: specifier(r.Name), Family: []byte("z")}, "NoSuchColumnFamilyException",
		"column family z does not exist in region "+string(r.Name))
	f.must(f.server, "CompactRegion", &adminpb.CompactRegionRequest{Region: specifier([]byte("hbase:meta,,1"))}, nil)
	f.must(f.server, "ClearCompactionQueues", &adminpb.ClearCompactionQueuesRequest{}, nil)
	f.admin.Close()
	if f.engine.compacted > 1 || len(f.store.done) != 0 {
		t.Errorf("%d compactions, %q", f.engine.compacted, f.store.done)
	}
}

func TestRegionServer(t *testing.T) {
	f := setUp(t)
	f.create("t", "m")
	f.create("off")
	f.must(f.master, "DisableTable", &adminpb.DisableTableRequest{TableName: table("off")}, nil)
	var o adminpb.GetOnlineRegionResponse
	f.must(f.server, "GetOnlineRegion", &adminpb.GetOnlineRegionRequest{}, &o)
	if len(o.GetRegionInfo()) != 4 || o.GetRegionInfo()[0].GetRegionId() != 1 {
		t.Errorf("online %v", &o)
	}
	var l adminpb.GetRegionLoadResponse
	f.must(f.server, "GetRegionLoad", &adminpb.GetRegionLoadRequest{TableName: table("t")}, &l)
	if len(l.GetRegionLoads()) != 2 || string(l.GetRegionLoads()[1].GetRegionSpecifier().GetValue()) != string(f.regions("t")[1].Name) {
		t.Errorf("loads %v", &l)
	}
	f.must(f.server, "GetRegionLoad", &adminpb.GetRegionLoadRequest{}, &l)
	if len(l.GetRegionLoads()) != 4 {
		t.Errorf("all loads %v", &l)
	}
	var i adminpb.GetServerInfoResponse
	f.must(f.server, "GetServerInfo", &adminpb.GetServerInfoRequest{}, &i)
	if i.GetServerInfo().GetServerName().GetPort() != 16020 || i.GetServerInfo().GetWebuiPort() != 16010 {
		t.Errorf("info %v", &i)
	}
	r := f.regions("t")[0]
	f.store.mid = []byte("c")
	for _, name := range [][]byte{r.Name, []byte(r.Encoded), []byte("other,," + "1." + r.Encoded + ".")} {
		var a adminpb.GetRegionInfoResponse
		f.must(f.server, "GetRegionInfo", &adminpb.GetRegionInfoRequest{Region: specifier(name), BestSplitRow: proto.Bool(true)}, &a)
		if !proto.Equal(a.GetRegionInfo(), meta.RegionInfo(r, 0)) || string(a.GetBestSplitRow()) != "c" || !a.GetSplittable() {
			t.Errorf("region %q: %v", name, &a)
		}
	}
	for _, bad := range []string{"", ".", "x", "no,,1.43ae7364b4a555b93267937f9bc49ec1."} {
		f.fails(f.server, "GetRegionInfo", &adminpb.GetRegionInfoRequest{Region: specifier([]byte(bad))}, "NotServingRegionException",
			bad+" is not online on localhost,16020,1700000000000")
	}
	f.must(f.server, "RollWALWriter", &adminpb.RollWALWriterRequest{}, nil)
	f.must(f.server, "GetStoreFile", &adminpb.GetStoreFileRequest{Region: specifier(r.Name)}, nil)
	f.must(f.server, "ClearRegionBlockCache", &adminpb.ClearRegionBlockCacheRequest{Region: []*adminpb.RegionSpecifier{specifier(r.Name)}}, nil)

	// What a master of one server is asked about regions.
	f.must(f.master, "MoveRegion", &adminpb.MoveRegionRequest{Region: specifier([]byte(r.Encoded))}, nil)
	f.must(f.master, "MoveRegion", &adminpb.MoveRegionRequest{Region: specifier([]byte(r.Encoded)), DestServerName: serverName.Message()}, nil)
	f.fails(f.master, "MoveRegion", &adminpb.MoveRegionRequest{Region: specifier([]byte(r.Encoded)), DestServerName: meta.ServerName{Host: "x", Port: 1, StartCode: 2}.Message()},
		"DoNotRetryIOException", "Server x,1,2 is not online")
	f.fails(f.master, "MoveRegion", &adminpb.MoveRegionRequest{Region: specifier([]byte("x"))}, "UnknownRegionException", "x")
	f.must(f.master, "AssignRegion", &adminpb.AssignRegionRequest{Region: specifier(r.Name)}, nil)
	f.fails(f.master, "AssignRegion", &adminpb.AssignRegionRequest{Region: specifier([]byte("x"))}, "UnknownRegionException", "x")
	off := f.regions("off")[0]
	f.fails(f.master, "AssignRegion", &adminpb.AssignRegionRequest{Region: specifier(off.Name)}, "DoNotRetryIOException", "off is disabled for region="+off.Encoded)
}

func TestClusterStatus(t *testing.T) {
	f := setUp(t)
	f.create("t", "m")
	f.create("off")
	f.must(f.master, "DisableTable", &adminpb.DisableTableRequest{TableName: table("off")}, nil)
	var a adminpb.GetClusterStatusResponse
	f.must(f.master, "GetClusterStatus", &adminpb.GetClusterStatusRequest{}, &a)
	s := a.GetClusterStatus()
	if s.GetHbaseVersion().GetVersion() != "2.6.1" || s.GetClusterId().GetClusterId() != f.catalog.ClusterID() || s.GetMaster().GetPort() != 16000 ||
		!s.GetBalancerOn() || s.GetMasterInfoPort() != 16010 || len(s.GetServersName()) != 1 || len(s.GetLiveServers()) != 1 {
		t.Errorf("status %v", s)
	}
	if got := len(s.GetLiveServers()[0].GetServerLoad().GetRegionLoads()); got != 4 {
		t.Errorf("%d region loads", got)
	}
	counts := map[string]string{}
	for _, c := range s.GetTableRegionStatesCount() {
		n := catalog.TableName{Namespace: string(c.GetTableName().GetNamespace()), Qualifier: string(c.GetTableName().GetQualifier())}
		x := c.GetRegionStatesCount()
		counts[n.String()] = fmt.Sprint(x.GetOpenRegions(), x.GetClosedRegions(), x.GetTotalRegions())
	}
	if got := fmt.Sprint(counts); got != "map[hbase:meta:1 0 1 hbase:namespace:1 0 1 off:0 1 1 t:2 0 2]" {
		t.Errorf("counts %s", got)
	}
	a.Reset()
	f.must(f.master, "GetClusterStatus", &adminpb.GetClusterStatusRequest{Options: []adminpb.ClusterStatus_Option{adminpb.ClusterStatus_MASTER}}, &a)
	if s := a.GetClusterStatus(); s.GetMaster() == nil || s.GetLiveServers() != nil || s.GetHbaseVersion() != nil {
		t.Errorf("one option: %v", s)
	}
}

func TestRegistry(t *testing.T) {
	f := setUp(t)
	s := f.admin.RegistryService()
	var id adminpb.GetClusterIdResponse
	f.must(s, "GetClusterId", &adminpb.GetClusterIdRequest{}, &id)
	var m adminpb.GetActiveMasterResponse
	f.must(s, "GetActiveMaster", &adminpb.GetActiveMasterRequest{}, &m)
	var ms adminpb.GetMastersResponse
	f.must(s, "GetMasters", &adminpb.GetMastersRequest{}, &ms)
	var l adminpb.GetMetaRegionLocationsResponse
	f.must(s, "GetMetaRegionLocations", &adminpb.GetMetaRegionLocationsRequest{}, &l)
	var b adminpb.GetBootstrapNodesResponse
	f.must(s, "GetBootstrapNodes", &adminpb.GetBootstrapNodesRequest{}, &b)
	if id.GetClusterId() != f.catalog.ClusterID() || m.GetServerName().GetPort() != 16000 || len(ms.GetMasterServers()) != 1 ||
		!ms.GetMasterServers()[0].GetIsActive() || len(b.GetServerName()) != 1 || b.GetServerName()[0].GetPort() != 16020 {
		t.Errorf("%v %v %v %v", &id, &m, &ms, &b)
	}
	if r := l.GetMetaLocations(); len(r) != 1 || r[0].GetRegionInfo().GetRegionId() != 1 || r[0].GetServerName().GetPort() != 16020 || r[0].SeqNum == nil {
		t.Errorf("meta %v", &l)
	}
}

// Replicas are more names of the same region, on the same server.
func TestReplicas(t *testing.T) {
	f := setUp(t)
	s := schema("t", family("f"))
	s.Attributes = []*adminpb.BytesBytesPair{{First: []byte("REGION_REPLICATION"), Second: []byte("3")}}
	f.must(f.master, "CreateTable", &adminpb.CreateTableRequest{TableSchema: s}, nil)
	r := f.regions("t")[0]
	replica, _ := catalog.ReplicaName(r.Table.Name, r.Start, r.RegionID, 2)
	f.must(f.server, "GetRegionInfo", &adminpb.GetRegionInfoRequest{Region: specifier(replica)}, nil)
	var o adminpb.GetOnlineRegionResponse
	f.must(f.server, "GetOnlineRegion", &adminpb.GetOnlineRegionRequest{}, &o)
	if len(o.GetRegionInfo()) != 5 || o.GetRegionInfo()[4].GetReplicaId() != 2 {
		t.Errorf("online %v", &o)
	}
	f.fails(f.master, "SplitRegion", &adminpb.SplitTableRegionRequest{RegionInfo: meta.RegionInfo(r, 1), SplitRow: []byte("m")},
		"DoNotRetryIOException", "Can't invoke split on non-default regions directly")

	var d adminpb.GetTableDescriptorsResponse
	f.must(f.master, "GetTableDescriptors", &adminpb.GetTableDescriptorsRequest{TableNames: []*adminpb.TableName{table("hbase:meta")}}, &d)
	m := d.GetTableSchema()[0]
	m.Attributes = append(m.Attributes, &adminpb.BytesBytesPair{First: []byte("REGION_REPLICATION"), Second: []byte("3")})
	q := &adminpb.ModifyTableRequest{TableName: table("hbase:meta"), TableSchema: m}
	f.must(f.master, "ModifyTable", q, nil)
	var l adminpb.GetMetaRegionLocationsResponse
	f.must(f.admin.RegistryService(), "GetMetaRegionLocations", &adminpb.GetMetaRegionLocationsRequest{}, &l)
	if len(l.GetMetaLocations()) != 3 || l.GetMetaLocations()[2].GetRegionInfo().GetReplicaId() != 2 {
		t.Errorf("locations %v", &l)
	}
	f.must(f.server, "GetRegionInfo", &adminpb.GetRegionInfoRequest{Region: specifier([]byte("hbase:meta,,1_0002"))}, nil)
	f.fails(f.server, "GetRegionInfo", &adminpb.GetRegionInfoRequest{Region: specifier([]byte("hbase:meta,,1_0003"))},
		"NotServingRegionException", "hbase:meta,,1_0003 is not online on localhost,16020,1700000000000")
	f.must(f.master, "GetTableDescriptors", &adminpb.GetTableDescriptorsRequest{TableNames: []*adminpb.TableName{table("hbase:meta")}}, &d)
	if !proto.Equal(d.GetTableSchema()[0], m) {
		t.Errorf("got  %v\nwant %v", d.GetTableSchema()[0], m)
	}
	q.TableSchema.ColumnFamilies = q.TableSchema.ColumnFamilies[1:]
	f.fails(f.master, "ModifyTable", q, "DoNotRetryIOException", "Can't modify catalog table hbase:meta")
}

func TestSwitches(t *testing.T) {
	f := setUp(t)
	f.must(f.master, "SetBalancerRunning", &adminpb.SetBalancerRunningRequest{On: proto.Bool(false)}, nil)
	var on adminpb.IsBalancerEnabledResponse
	f.must(f.master, "IsBalancerEnabled", &adminpb.IsBalancerEnabledRequest{}, &on)
	var ran adminpb.BalanceResponse
	f.must(f.master, "Balance", &adminpb.BalanceRequest{}, &ran)
	if on.GetEnabled() || ran.GetBalancerRan() || ran.BalancerRan == nil {
		t.Errorf("%v %v", &on, &ran)
	}
	// It outlives the process.
	c, err := catalog.Open(f.engine, catalog.Options{})
	if err != nil || c.View().Switch("balancer", true) {
		t.Errorf("after a restart: %v", err)
	}
	for method, q := range map[string]proto.Message{
		"SetNormalizerRunning":   &adminpb.SetNormalizerRunningRequest{On: proto.Bool(false)},
		"EnableCatalogJanitor":   &adminpb.EnableCatalogJanitorRequest{Enable: proto.Bool(false)},
		"SetCleanerChoreRunning": &adminpb.SetCleanerChoreRunningRequest{On: proto.Bool(false)},
		"SwitchSnapshotCleanup":  &adminpb.SetSnapshotCleanupRequest{Enabled: proto.Bool(false)},
	} {
		f.must(f.master, method, q, nil)
	}
	v := f.catalog.View()
	for _, name := range []string{"normalizer", "catalog_janitor", "cleaner_chore", "snapshot_cleanup"} {
		if v.Switch(name, true) {
			t.Errorf("switch %s is on", name)
		}
	}
}

// TestEveryMethodAnswers calls each method of each service with an empty
// message and with garbage: an answer or an exception, never a panic, and every
// exception of a class that clients can load.
func TestEveryMethodAnswers(t *testing.T) {
	f := setUp(t)
	f.create("t")
	for _, s := range []rpc.Service{f.master, f.server, f.admin.RegistryService()} {
		for name, m := range s {
			for _, param := range []string{"", "\x0a", "\xff\xff", "\x08\x01", "\x0a\x02\x0a\x00"} {
				var r rpc.Reply
				err := m.Handle(context.Background(), &rpc.Call{Client: &rpc.Client{}, Method: name, Param: []byte(param)}, &r)
				var e *rpc.Error
				if err != nil && (!errors.As(err, &e) || !strings.Contains(e.Class, ".") || strings.Contains(e.Message, "internal error")) {
					t.Errorf("%s(%q): %v", name, param, err)
				}
			}
		}
	}
	f.fails(f.master, "Snapshot", &adminpb.SnapshotRequest{}, "DoNotRetryIOException",
		"java.lang.UnsupportedOperationException: Snapshot: snapshots are not supported yet")
	f.fails(f.master, "DeleteSnapshot", &adminpb.DeleteSnapshotRequest{Snapshot: &adminpb.SnapshotDescription{Name: proto.String("s")}},
		"SnapshotDoesNotExistException", "Snapshot 's' doesn't exist")
}
