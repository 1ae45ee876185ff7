package catalog_test

// These tests show that the catalog survives being closed or killed at any
// point of a change, that ids are never used twice, and that it refuses what
// HBase's master refuses. The engine is the in-memory model; a catalog opened
// twice on it stands for a restart.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/memkv"
)

// lastWins is a merger for tests that never merge.
type lastWins struct{}

func (lastWins) Name() string { return "test" }
func (lastWins) Fold(dst []byte, values [][]byte) ([]byte, error) {
	return append(dst, values[len(values)-1]...), nil
}

// faulty is an engine that can be told to fail.
type faulty struct {
	kv.Engine
	applyErr, syncErr, deleteErr, writableErr error
	deleted                                   []kv.KeyRange
}

func (f *faulty) Apply(b kv.Batch, d kv.Durability, l kv.Latch) (kv.Mark, error) {
	if f.applyErr != nil {
		return 0, f.applyErr
	}
	return f.Engine.Apply(b, d, l)
}

func (f *faulty) WaitSynced(ctx context.Context, m kv.Mark) error {
	if f.syncErr != nil {
		return f.syncErr
	}
	return f.Engine.WaitSynced(ctx, m)
}

func (f *faulty) DeleteRange(ctx context.Context, r kv.KeyRange) error {
	if f.deleteErr != nil {
		return f.deleteErr
	}
	f.deleted = append(f.deleted, r)
	return f.Engine.DeleteRange(ctx, r)
}

func (f *faulty) Writable() error {
	if f.writableErr != nil {
		return f.writableErr
	}
	return f.Engine.Writable()
}

func newEngine(t *testing.T) *faulty {
	t.Helper()
	e := &faulty{Engine: memkv.New(lastWins{})}
	t.Cleanup(func() { e.Engine.Close() })
	return e
}

// open opens the catalog with a clock that stands still.
func open(t *testing.T, e kv.Engine) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(e, catalog.Options{Clock: func() int64 { return 1700000000000 }, MaxRegionsPerTable: 50})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func name(s string) catalog.TableName { return catalog.ParseTableName(s) }

func schema(table string, families ...string) *catalog.Schema {
	s := &catalog.Schema{Name: name(table)}
	for _, f := range families {
		s.Families = append(s.Families, catalog.FamilySchema{Name: []byte(f)})
	}
	return s
}

func pairs(kv ...string) (out []catalog.BytesPair) {
	for i := 0; i < len(kv); i += 2 {
		out = append(out, catalog.BytesPair{Name: []byte(kv[i]), Value: []byte(kv[i+1])})
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// show writes down all that a View says, to compare two of them.
func show(v *catalog.View) string {
	var b strings.Builder
	for _, n := range v.SortedNamespaces() {
		fmt.Fprintf(&b, "namespace %s %q\n", n.Name, n.Configuration)
	}
	for _, t := range v.Sorted {
		fmt.Fprintf(&b, "table %s %s data %v next %d opens %d created %d ro %t durability %d attrs %q config %q\n", t.Name, t.State,
			t.DataIDs, t.NextFamilyID, t.Opens, t.CreatedMs, t.ReadOnly, t.Durability, t.Attributes, t.Configuration)
		for _, f := range t.Families {
			fmt.Fprintf(&b, "  family %s %d %d %d %d %d %t attrs %q config %q\n", f.Name, f.ID, f.MaxVersions, f.MinVersions,
				f.TTLSeconds, f.KeepDeleted, f.NewVersionBehavior, f.Attributes, f.Configuration)
		}
		for _, r := range t.Regions {
			fmt.Fprintf(&b, "  region %s seq %d\n", r, r.OpenSeq)
			for i := range t.Replicas {
				n, encoded := catalog.ReplicaName(t.Name, r.Start, r.RegionID, i)
				if r.Table != t || v.ByEncoded[encoded] != r || v.ByName[string(n)] != r {
					fmt.Fprintf(&b, "  region %s is indexed wrongly\n", n)
				}
			}
		}
	}
	fmt.Fprintf(&b, "indexes %d %d %d switches %v meta %d\n", len(v.Tables), len(v.ByEncoded), len(v.ByName), v.Switches, v.MetaReplicas)
	return b.String()
}

// sameAfterReopen compares what is held with what is stored.
func sameAfterReopen(t *testing.T, e kv.Engine, c *catalog.Catalog) {
	t.Helper()
	got, want := show(open(t, e).View()), show(c.View())
	if got != want {
		t.Fatalf("after reopening:\n%s\nbefore:\n%s", got, want)
	}
}

func TestRegionName(t *testing.T) {
	got, encoded := catalog.RegionName(name("t1"), nil, 1700000000000)
	if want := "t1,,1700000000000.43ae7364b4a555b93267937f9bc49ec1."; string(got) != want {
		t.Errorf("name %s, want %s", got, want)
	}
	if encoded != "43ae7364b4a555b93267937f9bc49ec1" {
		t.Errorf("encoded %s", encoded)
	}
}

func TestReplicaName(t *testing.T) {
	got, _ := catalog.ReplicaName(name("t1"), nil, 1700000000000, 10)
	if want := "t1,,1700000000000_000A."; !strings.HasPrefix(string(got), want) {
		t.Errorf("name %s, want %s...", got, want)
	}
}

func TestEveryChangeSurvivesReopen(t *testing.T) {
	e := newEngine(t)
	c := open(t, e)
	id := c.ClusterID()
	s := schema("ns1:t", "f", "g")
	s.Attributes = pairs("DURABILITY", "ASYNC_WAL", "READONLY", "true", "k\xff", "v\x00")
	s.Configuration = []catalog.StringPair{{Name: "a", Value: "b\xff"}}
	s.Families[0].Attributes = pairs("VERSIONS", "3", "MIN_VERSIONS", "1", "TTL", "1 DAY 1 HOUR", "KEEP_DELETED_CELLS", "ttl",
		"NEW_VERSION_BEHAVIOR", "TRUE", "UNKNOWN", "kept")
	steps := []struct {
		what string
		do   func() error
	}{
		{"namespace", func() error { return c.CreateNamespace(&catalog.Namespace{Name: "ns1"}) }},
		{"modify namespace", func() error {
			return c.ModifyNamespace(&catalog.Namespace{Name: "ns1", Configuration: []catalog.StringPair{{Name: "k", Value: "v"}}})
		}},
		{"create", func() error { return c.CreateTable(s, [][]byte{[]byte("m"), []byte("b"), {0}, {0xff}}) }},
		{"replicas", func() error {
			s := *s
			s.Attributes = pairs("REGION_REPLICATION", "3")
			return c.ModifyTable(&s)
		}},
		{"fewer replicas", func() error {
			s := *s
			s.Attributes = pairs("REGION_REPLICATION", "2")
			return c.ModifyTable(&s)
		}},
		{"replicas of meta", func() error { return c.SetMetaReplicas(3) }},
		{"another", func() error { return c.CreateTable(schema("t", "f"), nil) }},
		{"disable", func() error { return c.Disable(s.Name) }},
		{"enable", func() error { return c.Enable(s.Name) }},
		{"add family", func() error { return c.AddFamily(s.Name, &catalog.FamilySchema{Name: []byte("h")}) }},
		{"modify family", func() error {
			return c.ModifyFamily(s.Name, &catalog.FamilySchema{Name: []byte("h"), Attributes: pairs("VERSIONS", "9")})
		}},
		{"drop family", func() error { return c.DropFamily(s.Name, []byte("g")) }},
		{"split", func() error {
			return c.SplitRegion(c.View().Tables[s.Name].RegionOf([]byte("c")).Encoded, []byte("ca"))
		}},
		{"merge", func() error {
			r := c.View().Tables[s.Name].Regions
			return c.MergeRegions([]string{r[2].Encoded, r[1].Encoded})
		}},
		{"switch", func() error { _, err := c.SetSwitch("x", false, true); return err }},
		{"modify", func() error { return c.ModifyTable(schema("ns1:t", "f", "z")) }},
		{"disable again", func() error { return c.Disable(s.Name) }},
		{"truncate", func() error { return c.Truncate(s.Name, true) }},
		{"disable once more", func() error { return c.Disable(s.Name) }},
		{"truncate without splits", func() error { return c.Truncate(s.Name, false) }},
		{"disable at last", func() error { return c.Disable(s.Name) }},
		{"drop", func() error { return c.DropTable(s.Name) }},
		{"drop namespace", func() error { return c.DropNamespace("ns1") }},
	}
	for _, step := range steps {
		before := c.View()
		was := show(before)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if show(before) != was {
			t.Fatalf("%s: the View before it has changed", step.what)
		}
		if old := before.Tables[s.Name]; old != nil && old != c.View().Tables[s.Name] && !old.Retired() {
			t.Fatalf("%s: the version that was replaced is not retired", step.what)
		}
		sameAfterReopen(t, e, c)
	}
	if got := open(t, e).ClusterID(); got != id || len(id) != 36 {
		t.Errorf("cluster id %q, was %q", got, id)
	}
}

func TestTypedFields(t *testing.T) {
	c := open(t, newEngine(t))
	s := schema("t", "f")
	s.Attributes = pairs("DURABILITY", "SKIP_WAL", "READONLY", "TRUE", "gone", "x", "gone", "", "twice", "1", "twice", "2")
	s.Families[0].Attributes = pairs("VERSIONS", "5", "MIN_VERSIONS", "2", "TTL", "FOREVER", "KEEP_DELETED_CELLS", "TRUE")
	must(t, c.CreateTable(s, nil))
	tab := c.View().Tables[s.Name]
	f := tab.Families[0]
	if !tab.ReadOnly || tab.Durability != catalog.SkipWAL || f.MaxVersions != 5 || f.MinVersions != 2 ||
		f.TTLSeconds != catalog.Forever || f.KeepDeleted != catalog.KeepDeletedTrue || f.NewVersionBehavior {
		t.Errorf("fields: %+v %+v", tab, f)
	}
	if got, want := tab.Attributes, pairs("DURABILITY", "SKIP_WAL", "READONLY", "TRUE", "twice", "2"); !reflect.DeepEqual(got, want) {
		t.Errorf("attributes %q, want %q", got, want)
	}
	if v, _ := f.Attribute("TTL"); v != "2147483647" {
		t.Errorf("TTL is kept as %q", v)
	}
}

func TestTTL(t *testing.T) {
	c := open(t, newEngine(t))
	must(t, c.CreateTable(schema("t", "f"), nil))
	for text, want := range map[string]int64{
		"1": 1, "86400": 86400, "FOREVER": catalog.Forever, "forever": catalog.Forever, "2147483647": catalog.Forever,
		"1 DAY": 86400, "1 day 1 HOUR 1 minute 1 second": 90061, "90 SECONDS (1 MINUTE 30 SECONDS)": 90,
		"0": -1, "-1": -1, "abc": -1, " ": -1, "2147483648": -1, "91 SECONDS (1 MINUTE 30 SECONDS)": -1, "99999999 DAYS": -1,
	} {
		err := c.ModifyFamily(name("t"), &catalog.FamilySchema{Name: []byte("f"), Attributes: pairs("TTL", text)})
		if (err == nil) != (want > 0) {
			t.Errorf("TTL %q: %v", text, err)
		} else if got := c.View().Tables[name("t")].Families[0].TTLSeconds; err == nil && got != want {
			t.Errorf("TTL %q is %d s, want %d", text, got, want)
		}
	}
}

// The texts are those of a real HBase, asked with the same schemas.
func TestRefusedSchemas(t *testing.T) {
	c := open(t, newEngine(t))
	const hint = " Set hbase.table.sanity.checks to false at conf or table descriptor if you want to bypass sanity checks"
	table := func(kv ...string) *catalog.Schema {
		s := schema("t", "f")
		s.Attributes = pairs(kv...)
		return s
	}
	family := func(kv ...string) *catalog.Schema {
		s := schema("t", "f")
		s.Families[0].Attributes = pairs(kv...)
		return s
	}
	for _, x := range []struct {
		s    *catalog.Schema
		want string
	}{
		{schema("t"), "Table should have at least one column family." + hint},
		{table("MAX_FILESIZE", "1"), `MAX_FILESIZE for table descriptor or "hbase.hregion.max.filesize" (1) is too small, which might cause over splitting into unmanageable number of regions.` + hint},
		{table("MEMSTORE_FLUSHSIZE", "-1"), `MEMSTORE_FLUSHSIZE for table descriptor or "hbase.hregion.memstore.flush.size" (-1) is too small, which might cause very frequent flushing.` + hint},
		{table("REGION_REPLICATION", "0"), "Table region replication should be at least one." + hint},
		{table("REGION_REPLICATION", "11"), "REGION_REPLICATION of 11: no more than 10 are allowed"},
		{table("REGION_REPLICATION", "x"), `REGION_REPLICATION of table t: For input string: "x"`},
		{table("SPLIT_POLICY", "foo"), "Unable to load configured region split policy 'foo' for table 't'" + hint},
		{table("coprocessor$1", "|foo.Bar|1|"), "Class foo.Bar cannot be loaded: custom coprocessors are not supported"},
		{table("DURABILITY", "FOO"), "DURABILITY of table t: No enum constant org.apache.hadoop.hbase.client.Durability.FOO"},
		{family("VERSIONS", "0"), "Max versions for column family f must be positive." + hint},
		{family("VERSIONS", "-1"), "Min versions for column family f must be less than the Max versions." + hint},
		{family("VERSIONS", "abc"), `VERSIONS of family f: For input string: "abc"`},
		{family("MIN_VERSIONS", "-1"), "Min versions for column family f  must be positive." + hint},
		{family("MIN_VERSIONS", "2"), "Min versions for column family f must be less than the Max versions." + hint},
		{family("TTL", "0"), "TTL for column family f must be positive." + hint},
		{family("BLOCKSIZE", "1"), "Block size for column family f  must be between 1K and 16MB." + hint},
		{family("BLOCKSIZE", "16777217"), "Block size for column family f  must be between 1K and 16MB." + hint},
		{family("REPLICATION_SCOPE", "-1"), "Replication scope for column family f is -1 which is invalid." + hint},
		{family("DFS_REPLICATION", "-1"), "HFile Replication for column family f  must be greater than zero." + hint},
		{family("COMPRESSION", "foo"), "No enum constant org.apache.hadoop.hbase.io.compress.Compression.Algorithm.FOO" + hint},
		{family("BLOOMFILTER", "ROWPREFIX_FIXED_LENGTH"), "Failed to get bloom filter param" + hint},
		{family("IN_MEMORY_COMPACTION", "foo"), "No enum constant org.apache.hadoop.hbase.MemoryCompactionPolicy.FOO" + hint},
		{family("ENCRYPTION", "AES"), "ENCRYPTION of family f: encryption AES is not supported"},
		{schema("t", "f", "f"), "Family 'f' already exists so cannot be added"},
		{schema("t", "a:b"), "Illegal character <58>. Column Family names cannot contain control characters or colons: a:b"},
		{schema("t", ".f"), "Column Family names cannot start with a period: .f"},
		{schema("t", ""), "Column Family name can not be empty"},
		{schema("t", strings.Repeat("f", 128)), "The length of family name is bigger than 127"},
		{schema("-t", "f"), "Illegal first character <45> at 0. User-space table qualifiers can only start with 'alphanumeric characters' from any language: -t"},
		{schema("a/b", "f"), "Illegal character code:47, </> at 1. User-space table qualifiers may only contain 'alphanumeric characters' and digits: a/b"},
		{schema("zookeeper", "f"), "Tables may not be named 'zookeeper'"},
		{schema("", "f"), "Table qualifier must not be empty"},
		{schema("a\xffb", "f"), "Illegal character code:65533, <\ufffd> at 1. User-space table qualifiers may only contain 'alphanumeric characters' and digits: a\xffb"},
	} {
		err := c.CreateTable(x.s, nil)
		if err == nil || err.Error() != x.want {
			t.Errorf("got  %v\nwant %s", err, x.want)
		}
	}
	for _, ok := range []*catalog.Schema{
		schema("tä.1-_", "f"), schema("t2", strings.Repeat("f", 127)), schema("t3", "f\xff"),
		{Name: name("t4"), Attributes: pairs("hbase.table.sanity.checks", "false", "MAX_FILESIZE", "1"), Families: schema("t4", "f").Families},
		{Name: name("t5"), Attributes: pairs("coprocessor$1", "|org.apache.hadoop.hbase.coprocessor.AggregateImplementation|1|"), Families: schema("t4", "f").Families},
	} {
		if err := c.CreateTable(ok, nil); err != nil {
			t.Errorf("%s: %v", ok.Name, err)
		}
	}
}

func TestSplitKeys(t *testing.T) {
	c := open(t, newEngine(t))
	f := func(want string, keys ...string) {
		t.Helper()
		var split [][]byte
		for _, k := range keys {
			split = append(split, []byte(k))
		}
		err := c.CreateTable(schema("t", "f"), split)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f("All split keys must be unique, found duplicate: a, a", "a", "a")
	f("Empty split key must not be passed in the split keys.", "", "a")
	f("Split key of 32768 bytes is longer than a row may be (32767)", strings.Repeat("x", 32768))
	f("51 regions are more than a table may have (50)", strings.Split(strings.Repeat("x ", 49)+"x", " ")...)
}

func TestBounds(t *testing.T) {
	c, err := catalog.Open(newEngine(t), catalog.Options{MaxTables: 3})
	must(t, err)
	for i := range 3 {
		must(t, c.CreateTable(schema(fmt.Sprint("t", i), "f"), nil))
	}
	wantErr[*catalog.ArgumentError](t, c.CreateTable(schema("t3", "f"), nil))
	must(t, c.CreateNamespace(&catalog.Namespace{Name: "a"}))
	wantErr[*catalog.ArgumentError](t, c.CreateNamespace(&catalog.Namespace{Name: "b"}))
	s := schema("t0")
	for i := range 1001 {
		s.Families = append(s.Families, catalog.FamilySchema{Name: fmt.Append(nil, i)})
	}
	wantErr[*catalog.ArgumentError](t, c.ModifyTable(s))
	s = schema("t0", "f")
	s.Attributes = pairs("k", strings.Repeat("x", 4<<20))
	wantErr[*catalog.ArgumentError](t, c.ModifyTable(s))
}

func wantErr[E error](t *testing.T, err error) {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Errorf("got %T %v, want %T", err, err, e)
	}
}

func TestStates(t *testing.T) {
	c := open(t, newEngine(t))
	wantErr[*catalog.NotFoundError](t, c.Disable(name("t")))
	wantErr[*catalog.NamespaceNotFoundError](t, c.CreateTable(schema("no:t", "f"), nil))
	must(t, c.CreateTable(schema("t", "f"), [][]byte{[]byte("m")}))
	wantErr[*catalog.ExistsError](t, c.CreateTable(schema("t", "f"), nil))
	wantErr[*catalog.NotDisabledError](t, c.DropTable(name("t")))
	wantErr[*catalog.NotDisabledError](t, c.Truncate(name("t"), true))
	wantErr[*catalog.NotDisabledError](t, c.Enable(name("t")))
	wantErr[*catalog.FamilyError](t, c.DropFamily(name("t"), []byte("f")))
	wantErr[*catalog.FamilyError](t, c.DropFamily(name("t"), []byte("g")))
	wantErr[*catalog.FamilyError](t, c.AddFamily(name("t"), &catalog.FamilySchema{Name: []byte("f")}))
	wantErr[*catalog.FamilyError](t, c.ModifyFamily(name("t"), &catalog.FamilySchema{Name: []byte("g")}))
	must(t, c.Disable(name("t")))
	wantErr[*catalog.NotEnabledError](t, c.Disable(name("t")))
	r := c.View().Tables[name("t")].Regions
	wantErr[*catalog.NotEnabledError](t, c.SplitRegion(r[0].Encoded, []byte("b")))
	wantErr[*catalog.MergeError](t, c.MergeRegions([]string{r[0].Encoded, r[1].Encoded}))
	for _, system := range []catalog.TableName{catalog.MetaTable, catalog.NamespaceTable} {
		wantErr[*catalog.SystemTableError](t, c.Disable(system))
		wantErr[*catalog.SystemTableError](t, c.DropTable(system))
		wantErr[*catalog.SystemTableError](t, c.AddFamily(system, &catalog.FamilySchema{Name: []byte("f")}))
		wantErr[*catalog.ExistsError](t, c.CreateTable(&catalog.Schema{Name: system}, nil))
	}
}

func TestNamespaces(t *testing.T) {
	c := open(t, newEngine(t))
	ns := func(name string, kv ...string) *catalog.Namespace {
		n := &catalog.Namespace{Name: name}
		for i := 0; i < len(kv); i += 2 {
			n.Configuration = append(n.Configuration, catalog.StringPair{Name: kv[i], Value: kv[i+1]})
		}
		return n
	}
	must(t, c.CreateNamespace(ns("n")))
	wantErr[*catalog.NamespaceExistsError](t, c.CreateNamespace(ns("n")))
	wantErr[*catalog.NamespaceExistsError](t, c.CreateNamespace(ns("default")))
	wantErr[*catalog.ArgumentError](t, c.CreateNamespace(ns("a-b")))
	wantErr[*catalog.ArgumentError](t, c.CreateNamespace(ns("")))
	wantErr[*catalog.SchemaError](t, c.CreateNamespace(ns("m", "hbase.namespace.quota.maxregions", "x")))
	wantErr[*catalog.ConstraintError](t, c.CreateNamespace(ns("m", "hbase.namespace.quota.maxtables", "0")))
	wantErr[*catalog.NamespaceNotFoundError](t, c.ModifyNamespace(ns("m")))
	wantErr[*catalog.NamespaceNotFoundError](t, c.DropNamespace("m"))
	wantErr[*catalog.ConstraintError](t, c.DropNamespace("default"))
	wantErr[*catalog.ConstraintError](t, c.DropNamespace("hbase"))
	must(t, c.CreateTable(schema("n:t", "f"), nil))
	if err := c.DropNamespace("n"); err == nil || err.Error() != "Only empty namespaces can be removed. Namespace n has 1 tables" {
		t.Errorf("got %v", err)
	}
}

func TestSplitAndMerge(t *testing.T) {
	c := open(t, newEngine(t))
	must(t, c.CreateTable(schema("t", "f"), [][]byte{[]byte("m")}))
	must(t, c.CreateTable(schema("u", "f"), nil))
	regions := func() []*catalog.Region { return c.View().Tables[name("t")].Regions }
	starts := func() (out []string) {
		for _, r := range regions() {
			out = append(out, string(r.Start))
		}
		return out
	}
	wantErr[*catalog.RegionNotFoundError](t, c.SplitRegion("x", []byte("b")))
	wantErr[*catalog.ArgumentError](t, c.SplitRegion(regions()[1].Encoded, []byte("m")))
	wantErr[*catalog.ArgumentError](t, c.SplitRegion(regions()[1].Encoded, []byte("a")))
	wantErr[*catalog.ArgumentError](t, c.SplitRegion(regions()[0].Encoded, nil))
	old := regions()[0]
	must(t, c.SplitRegion(old.Encoded, []byte("c")))
	if got := starts(); !slices.Equal(got, []string{"", "c", "m"}) {
		t.Errorf("after the split: %q", got)
	}
	if regions()[0].Encoded == old.Encoded || regions()[0].RegionID <= old.RegionID {
		t.Error("the daughter has its parent's name")
	}
	if c.View().ByEncoded[old.Encoded] != nil {
		t.Error("the parent is still there")
	}
	for _, off := range [][]catalog.BytesPair{
		pairs("SPLIT_ENABLED", "false", "MERGE_ENABLED", "false"),
		pairs("SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy", "MERGE_ENABLED", "x"),
	} {
		s := schema("t", "f")
		s.Attributes = off
		must(t, c.ModifyTable(s))
		wantErr[*catalog.SchemaError](t, c.SplitRegion(regions()[0].Encoded, []byte("a")))
		wantErr[*catalog.SchemaError](t, c.MergeRegions([]string{regions()[0].Encoded, regions()[1].Encoded}))
	}
	must(t, c.ModifyTable(schema("t", "f")))
	r, u := regions(), c.View().Tables[name("u")].Regions[0]
	wantErr[*catalog.MergeError](t, c.MergeRegions([]string{r[0].Encoded}))
	wantErr[*catalog.MergeError](t, c.MergeRegions([]string{r[0].Encoded, r[0].Encoded}))
	wantErr[*catalog.MergeError](t, c.MergeRegions([]string{r[0].Encoded, r[2].Encoded}))
	wantErr[*catalog.MergeError](t, c.MergeRegions([]string{r[0].Encoded, u.Encoded}))
	wantErr[*catalog.RegionNotFoundError](t, c.MergeRegions([]string{r[0].Encoded, "x"}))
	must(t, c.MergeRegions([]string{r[2].Encoded, r[0].Encoded, r[1].Encoded}))
	if got := starts(); !slices.Equal(got, []string{""}) {
		t.Errorf("after the merge: %q", got)
	}
}

func TestDroppedDataIsDeleted(t *testing.T) {
	e := newEngine(t)
	c := open(t, e)
	var drained []string
	c.SetDrain(func(tab *catalog.Table) {
		if v := c.View().Tables[tab.Name]; v == tab {
			t.Error("drained before the change is visible")
		}
		drained = append(drained, tab.Name.String())
	})
	must(t, c.CreateTable(schema("t", "f"), nil))
	data := c.View().Tables[name("t")].DataID()
	b := e.NewBatch()
	b.Put(keys.AppendCell(keys.AppendRow(nil, data, []byte("r")), 0, nil, 1, 4), []byte("v"))
	_, err := e.Apply(b, kv.DurabilitySync, nil)
	must(t, err)
	must(t, c.Disable(name("t")))

	// The deletion fails, as if the process had died before it. The change is
	// done all the same, and the next start deletes.
	e.deleteErr = errors.New("disk gone")
	must(t, c.Truncate(name("t"), false))
	if got := c.View().Tables[name("t")].DataID(); got == data {
		t.Error("the data id was used again")
	}
	if n := count(t, e, data); n != 1 {
		t.Errorf("%d keys of the old data", n)
	}
	e.deleteErr = nil
	c = open(t, e)
	if n := count(t, e, data); n != 0 {
		t.Errorf("%d keys of the old data after the restart", n)
	}
	e.deleted = nil
	open(t, e)
	if len(e.deleted) != 0 {
		t.Errorf("the second restart deletes again: %v", e.deleted)
	}
	if !slices.Equal(drained, []string{"t", "t"}) {
		t.Errorf("drained %q", drained)
	}

	must(t, c.Disable(name("t")))
	last := c.View().Tables[name("t")].DataID()
	must(t, c.DropTable(name("t")))
	must(t, c.CreateTable(schema("t", "f"), nil))
	if got := c.View().Tables[name("t")].DataID(); got <= last {
		t.Errorf("data id %d after %d", got, last)
	}
}

func count(t *testing.T, e kv.Engine, data uint64) (n int) {
	t.Helper()
	it, err := e.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: keys.AppendData(nil, data), End: keys.AppendDataEnd(nil, data)}})
	must(t, err)
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	return n
}

func TestFamilyIDsAreNotUsedTwice(t *testing.T) {
	e := newEngine(t)
	c := open(t, e)
	must(t, c.CreateTable(schema("t", "a", "b"), nil))
	seen := map[uint32]bool{}
	for range 3 {
		id := c.View().Tables[name("t")].Family([]byte("b")).ID
		if seen[id] {
			t.Fatalf("family id %d twice", id)
		}
		seen[id] = true
		must(t, c.DropFamily(name("t"), []byte("b")))
		c = open(t, e)
		must(t, c.AddFamily(name("t"), &catalog.FamilySchema{Name: []byte("b")}))
	}
}

func TestDisableWaitsAndUndoes(t *testing.T) {
	e := newEngine(t)
	c := open(t, e)
	must(t, c.CreateTable(schema("t", "f"), nil))
	before := c.View().Tables[name("t")]
	var during catalog.TableState
	c.SetDrain(func(*catalog.Table) {
		during = c.View().Tables[name("t")].State
		if !before.Retired() {
			t.Error("operations on the old version are not turned away")
		}
		e.applyErr = kv.ErrUnavailable
	})
	if err := c.Disable(name("t")); !errors.Is(err, kv.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	if during != catalog.Disabling {
		t.Errorf("state while waiting: %s", during)
	}
	if got := c.View().Tables[name("t")].State; got != catalog.Enabled {
		t.Errorf("state after the failure: %s", got)
	}
	sameAfterReopen(t, e.Engine, c)
	e.applyErr = nil
	c.SetDrain(func(*catalog.Table) {})
	must(t, c.Disable(name("t")))
}

func TestFailures(t *testing.T) {
	e := newEngine(t)
	c := open(t, e)
	must(t, c.CreateTable(schema("t", "f"), nil))
	must(t, c.Disable(name("t")))

	// A full disk refuses what takes room, not what makes some.
	e.writableErr = kv.ErrUnavailable
	if err := c.CreateTable(schema("u", "f"), nil); !errors.Is(err, kv.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	must(t, c.DropTable(name("t")))
	e.writableErr = nil
	must(t, c.CreateTable(schema("t", "f"), nil))

	// A failed sync leaves the outcome open: nothing more is changed.
	e.syncErr = errors.New("log gone")
	if err := c.CreateTable(schema("u", "f"), nil); err == nil {
		t.Error("no error")
	}
	e.syncErr = nil
	if err := c.CreateTable(schema("v", "f"), nil); err == nil || c.View().Tables[name("u")] != nil {
		t.Errorf("a change after a failed one: %v", err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	table := func(n string) []byte { return append([]byte{keys.SpaceCatalog, 't'}, "default\x00\x01"+n...) }
	region := func(n, start string) []byte {
		return append([]byte{keys.SpaceCatalog, 'r'}, "default\x00\x01"+n+"\x00\x01"+start...)
	}
	for what, x := range map[string]struct {
		damage func(kv.Batch)
		want   error
	}{
		"newer":      {func(b kv.Batch) { b.Put(table("t"), []byte("\x02{}")) }, kv.ErrNewerFormat},
		"empty":      {func(b kv.Batch) { b.Put(table("t"), nil) }, kv.ErrCorrupt},
		"no JSON":    {func(b kv.Batch) { b.Put(table("t"), []byte("\x01{")) }, kv.ErrCorrupt},
		"no data id": {func(b kv.Batch) { b.Put(table("t"), []byte("\x01{}")) }, kv.ErrCorrupt},
		"no regions": {func(b kv.Batch) { b.Delete(region("t", "")); b.Delete(region("t", "m")) }, kv.ErrCorrupt},
		"hole":       {func(b kv.Batch) { b.Delete(region("t", "m")) }, kv.ErrCorrupt},
		"orphan":     {func(b kv.Batch) { b.Put(region("x", ""), []byte("\x01{}")) }, kv.ErrCorrupt},
		"bad attribute": {func(b kv.Batch) {
			b.Put(table("t"), []byte(``+"\x01"+`{"data":[1],"attrs":[{"n":"RFVSQUJJTElUWQ==","v":"eA=="}]}`))
		}, kv.ErrCorrupt},
		"unknown kind":   {func(b kv.Batch) { b.Put([]byte{keys.SpaceCatalog, 'q'}, []byte("\x01{}")) }, kv.ErrCorrupt},
		"short key":      {func(b kv.Batch) { b.Put([]byte{keys.SpaceCatalog}, []byte("\x01{}")) }, kv.ErrCorrupt},
		"bad table key":  {func(b kv.Batch) { b.Put([]byte{keys.SpaceCatalog, 't', 'x'}, []byte("\x01{}")) }, kv.ErrCorrupt},
		"bad region key": {func(b kv.Batch) { b.Put([]byte{keys.SpaceCatalog, 'r', 'x'}, []byte("\x01{}")) }, kv.ErrCorrupt},
		"bad trash key":  {func(b kv.Batch) { b.Put([]byte{keys.SpaceCatalog, 'x'}, []byte("\x01{}")) }, kv.ErrCorrupt},
		"no store":       {func(b kv.Batch) { b.Delete([]byte{keys.SpaceCatalog, 's'}) }, kv.ErrCorrupt},
	} {
		t.Run(what, func(t *testing.T) {
			e := newEngine(t)
			must(t, open(t, e).CreateTable(schema("t", "f"), [][]byte{[]byte("m")}))
			b := e.NewBatch()
			x.damage(b)
			_, err := e.Apply(b, kv.DurabilitySync, nil)
			must(t, err)
			if _, err := catalog.Open(e, catalog.Options{}); !errors.Is(err, x.want) {
				t.Errorf("got %v, want %v", err, x.want)
			}
		})
	}
}

// TestRandomChanges makes random changes, some of which fail, with a process
// that dies after some of them, and compares with what is stored.
func TestRandomChanges(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	e := newEngine(t)
	c := open(t, e)
	pick := func(prefix string, n int) string { return fmt.Sprintf("%s%d", prefix, rnd.IntN(n)) }
	data := map[uint64]bool{}
	for i := range 400 {
		n := name(pick("t", 4))
		e.deleteErr = nil
		if rnd.IntN(3) == 0 {
			e.deleteErr = errors.New("killed")
		}
		var r *catalog.Region
		if tab := c.View().Tables[n]; tab != nil {
			r = tab.Regions[rnd.IntN(len(tab.Regions))]
		}
		switch rnd.IntN(10) {
		case 0:
			if c.CreateTable(schema(n.String(), "a", pick("f", 3)), [][]byte{[]byte(pick("k", 9))}) == nil {
				id := c.View().Tables[n].DataID()
				if data[id] {
					t.Fatalf("data id %d twice", id)
				}
				data[id] = true
			}
		case 1:
			c.Disable(n)
		case 2:
			c.Enable(n)
		case 3:
			c.DropTable(n)
		case 4:
			c.Truncate(n, rnd.IntN(2) == 0)
		case 5:
			c.AddFamily(n, &catalog.FamilySchema{Name: []byte(pick("f", 3))})
		case 6:
			c.DropFamily(n, []byte(pick("f", 3)))
		case 7, 8:
			if r != nil {
				c.SplitRegion(r.Encoded, []byte(pick("k", 99)))
			}
		case 9:
			if r != nil && len(r.End) > 0 {
				c.MergeRegions([]string{r.Encoded, r.Table.RegionOf(r.End).Encoded})
			}
		}
		if i%20 == 0 {
			e.deleteErr = nil
			sameAfterReopen(t, e, c)
			if rnd.IntN(2) == 0 {
				c = open(t, e)
			}
		}
	}
}

// TestConcurrentChanges has readers look at Views while tables come and go.
func TestConcurrentChanges(t *testing.T) {
	e := newEngine(t)
	c := open(t, e)
	must(t, c.CreateTable(schema("fixed", "f"), [][]byte{[]byte("m")}))
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v := c.View()
				if r := v.Tables[name("fixed")].RegionOf([]byte("z")); v.ByEncoded[r.Encoded] != r || r.Table != v.Tables[name("fixed")] {
					t.Error("a View does not fit together")
					return
				}
			}
		})
	}
	for w := range 3 {
		writers.Go(func() {
			n, f := name(fmt.Sprint("t", w)), fmt.Append(nil, "w", w)
			for range 30 {
				if err := errors.Join(
					c.CreateTable(schema(n.String(), "f"), nil),
					c.AddFamily(name("fixed"), &catalog.FamilySchema{Name: f}),
					c.Disable(n),
					c.DropFamily(name("fixed"), f),
					c.DropTable(n),
				); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	sameAfterReopen(t, e, c)
}

// FuzzOpen opens catalogs in which one record has any key and value. It must
// never panic, and either refuse or come out the same when opened again.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("tdefault\x00\x01t"), []byte("\x01{\"data\":[7]}"))
	f.Add([]byte("rdefault\x00\x01t\x00\x01z"), []byte("\x01{\"id\":7}"))
	f.Add([]byte("s"), []byte("\x01{}"))
	f.Add([]byte("x\x05"), []byte("\x01{}"))
	f.Add([]byte("wx"), []byte("\x01{\"on\":true}"))
	f.Add([]byte("nq"), []byte("\x01{\"config\":[{\"n\":\"AA==\",\"v\":\"\"}]}"))
	f.Fuzz(func(t *testing.T, key, value []byte) {
		e := newEngine(t)
		must(t, open(t, e).CreateTable(schema("t", "f"), [][]byte{[]byte("m")}))
		b := e.NewBatch()
		b.Put(append([]byte{keys.SpaceCatalog}, key...), value)
		_, err := e.Apply(b, kv.DurabilitySync, nil)
		must(t, err)
		c, err := catalog.Open(e, catalog.Options{})
		if err != nil {
			return
		}
		sameAfterReopen(t, e, c)
	})
}

// TestRegionLoad: what was counted of a region stays when its table changes or
// another region is split.
func TestRegionLoad(t *testing.T) {
	c := open(t, newEngine(t))
	if err := c.CreateTable(schema("t", "f"), [][]byte{[]byte("m")}); err != nil {
		t.Fatal(err)
	}
	name := catalog.TableName{Namespace: "default", Qualifier: "t"}
	regions := func() []*catalog.Region { return c.View().Tables[name].Regions }
	regions()[0].CountReads(3)
	regions()[0].CountWrites(2)
	if err := c.AddFamily(name, &catalog.FamilySchema{Name: []byte("g")}); err != nil {
		t.Fatal(err)
	}
	if err := c.SplitRegion(regions()[1].Encoded, []byte("x")); err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, r := range regions() {
		got = append(got, r.Load.Reads.Load(), r.Load.Writes.Load())
	}
	if want := []uint64{3, 2, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
	(&catalog.Region{}).CountReads(1) // of no catalog
}
