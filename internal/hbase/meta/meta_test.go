package meta_test

// These tests show that hbase:meta has the rows and columns of a real HBase, in
// an order in which clients find the regions they look for, whatever the names
// and the start keys are.

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/kv/memkv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

type lastWins struct{}

func (lastWins) Name() string { return "test" }
func (lastWins) Fold(dst []byte, values [][]byte) ([]byte, error) {
	return append(dst, values[len(values)-1]...), nil
}

const now = 1700000000000

var server = meta.ServerName{Host: "host", Port: 16020, StartCode: now + 5}

func open(t *testing.T) (*catalog.Catalog, *meta.Meta) {
	t.Helper()
	e := memkv.New(lastWins{})
	t.Cleanup(func() { e.Close() })
	c, err := catalog.Open(e, catalog.Options{Clock: func() int64 { return now }})
	must(t, err)
	return c, meta.New(c, server)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, c *catalog.Catalog, table string, splits ...string) {
	t.Helper()
	s := &catalog.Schema{Name: catalog.ParseTableName(table), Families: []catalog.FamilySchema{{Name: []byte("f")}}}
	var keys [][]byte
	for _, k := range splits {
		keys = append(keys, []byte(k))
	}
	must(t, c.CreateTable(s, keys))
}

func TestRows(t *testing.T) {
	c, m := open(t)
	create(t, c, "t1", "m")
	must(t, c.CreateNamespace(&catalog.Namespace{Name: "n", Configuration: []catalog.StringPair{{Name: "a", Value: "b"}}}))
	must(t, c.Disable(catalog.ParseTableName("t1")))
	var b strings.Builder
	for _, name := range []catalog.TableName{catalog.MetaTable, catalog.NamespaceTable} {
		tab := m.Table(name)
		fmt.Fprintf(&b, "%s in %s\n", tab.Name, tab.Region().Name)
		for _, r := range tab.Rows {
			for _, x := range r.Cells {
				if !bytes.Equal(x.Row, r.Key) || x.Type != cell.Put {
					t.Errorf("cell %v in row %q", x, r.Key)
				}
				fmt.Fprintf(&b, "%s %s:%s %d %s\n", r.Key, x.Family, x.Qualifier, x.Timestamp-now, catalog.DisplayBytes(x.Value))
			}
			if !slices.IsSortedFunc(r.Cells, func(a, b cell.Cell) int { return cell.CompareFull(&a, &b) }) {
				t.Errorf("row %q is not sorted", r.Key)
			}
		}
	}
	info := func(id, ns, table, start, end string) string {
		x := fmt.Sprintf("PBUF\x08%s\x12%c\x0a%c%s\x12%c%s\x1a%c%s\x22%c%s\x28\x00\x30\x00\x38\x00", id, 4+len(ns)+len(table),
			len(ns), ns, len(table), table, len(start), start, len(end), end)
		return catalog.DisplayBytes([]byte(x))
	}
	names := func(table, start string, id int64) string {
		n, _ := catalog.RegionName(catalog.ParseTableName(table), []byte(start), id)
		return string(n)
	}
	t1, t2, ns := names("t1", "", now+1), names("t1", "m", now+1), names("hbase:namespace", "", now)
	id0, id1 := "\x80\xd0\x95\xff\xbc\x31", "\x81\xd0\x95\xff\xbc\x31"
	placed := func(row, state string) string {
		return row + ` info:seqnumDuringOpen 5 \x00\x00\x00\x00\x00\x00\x00\x02` + "\n" +
			row + " info:server 5 host:16020\n" +
			row + ` info:serverstartcode 5 \x00\x00\x01\x8B\xCF\xE5h\x05` + "\n" +
			row + " info:sn 5 host,16020,1700000000005\n" +
			row + " info:state 5 " + state + "\n"
	}
	want := "hbase:meta in hbase:meta,,1\n" +
		`hbase:namespace table:state 0 \x08\x00` + "\n" +
		ns + " info:regioninfo 0 " + info(id0, "hbase", "namespace", "", "") + "\n" + placed(ns, "OPEN") +
		`t1 table:state 1 \x08\x01` + "\n" +
		t1 + " info:regioninfo 1 " + info(id1, "default", "t1", "", "m") + "\n" + placed(t1, "CLOSED") +
		t2 + " info:regioninfo 1 " + info(id1, "default", "t1", "m", "") + "\n" + placed(t2, "CLOSED") +
		"hbase:namespace in " + ns + "\n" +
		`default info:d 0 \x0A\x07default` + "\n" +
		`hbase info:d 0 \x0A\x05hbase` + "\n" +
		`n info:d 0 \x0A\x01n\x12\x06\x0A\x01a\x12\x01b` + "\n"
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &b, want)
	}
}

func TestReplicas(t *testing.T) {
	c, m := open(t)
	s := &catalog.Schema{Name: catalog.ParseTableName("t"), Families: []catalog.FamilySchema{{Name: []byte("f")}},
		Attributes: []catalog.BytesPair{{Name: []byte("REGION_REPLICATION"), Value: []byte("2")}}}
	must(t, c.CreateTable(s, nil))
	rows := m.Table(catalog.MetaTable).Rows
	var got []string
	for _, x := range rows[len(rows)-1].Cells {
		got = append(got, string(x.Qualifier))
	}
	want := "regioninfo seqnumDuringOpen seqnumDuringOpen_0001 server server_0001 serverstartcode serverstartcode_0001 sn sn_0001 state state_0001"
	if strings.Join(got, " ") != want {
		t.Errorf("columns %s", got)
	}
}

func TestRowsFollowTheCatalog(t *testing.T) {
	c, m := open(t)
	a := m.Table(catalog.MetaTable)
	if m.Table(catalog.MetaTable) != a {
		t.Error("made anew without a change")
	}
	create(t, c, "t")
	if b := m.Table(catalog.MetaTable); len(b.Rows) != len(a.Rows)+2 {
		t.Errorf("%d rows after %d", len(b.Rows), len(a.Rows))
	}
	if m.Table(catalog.ParseTableName("t")) != nil {
		t.Error("a user's table is taken for a virtual one")
	}
	for name, want := range map[string]string{"hbase:meta,,1": "hbase:meta", "1588230740": "hbase:meta", "x": ""} {
		r := m.Region([]byte(name))
		if r == nil && want != "" || r != nil && r.Table.Name.String() != want {
			t.Errorf("region %q: %v", name, r)
		}
	}
}

// TestClientsFindRegions does what clients do to find the region of a row, and
// all regions of a table, where names and start keys are around the comma.
func TestClientsFindRegions(t *testing.T) {
	c, m := open(t)
	must(t, c.CreateNamespace(&catalog.Namespace{Name: "ns"}))
	starts := []string{"\x00", ",", "\xff", "a,b", "a,b,", "m", "\x00\x00", ",,"}
	tables := []string{"t", "t1", "t-1", "t.1", "t_1", "ns:t", "ns:t1", "A", "z"}
	for _, n := range tables {
		create(t, c, n, starts...)
	}
	must(t, c.SplitRegion(c.View().Tables[catalog.ParseTableName("t")].RegionOf([]byte("a,b")).Encoded, []byte("a,b\x01")))
	tab := m.Table(catalog.MetaTable)
	if !slices.IsSortedFunc(tab.Rows, func(a, b meta.Row) int { return tab.Compare(a.Key, b.Key) }) {
		t.Error("the rows are not sorted")
	}
	seek := func(key string) int { // the first row at or after key
		return sort.Search(len(tab.Rows), func(i int) bool { return tab.Compare(tab.Rows[i].Key, []byte(key)) >= 0 })
	}
	for _, n := range tables {
		user := c.View().Tables[catalog.ParseTableName(n)]

		// All regions: a scan from "T,," to "T ,,".
		var got, want []string
		for _, r := range tab.Rows[seek(n+",,"):seek(n+" ,,")] {
			got = append(got, string(r.Key))
		}
		for _, r := range user.Regions {
			want = append(want, string(r.Name))
		}
		if !slices.Equal(got, want) {
			t.Errorf("regions of %s:\n%q\nwant\n%q", n, got, want)
		}

		// The state: a get of "T".
		if i := seek(n); string(tab.Rows[i].Key) != n || string(tab.Rows[i].Cells[0].Qualifier) != "state" {
			t.Errorf("state of %s: %q", n, tab.Rows[i].Key)
		}

		// The region of a row: a reversed scan from "T,row,99999999999999" or
		// "T,row,:", down to "T,," or to "T".
		for _, row := range append(starts, "", "b", "a,", "\xff\xff", "a,b\x01", "a,b\x02") {
			for _, id := range []string{"99999999999999", ":"} {
				i := sort.Search(len(tab.Rows), func(i int) bool {
					return tab.Compare(tab.Rows[i].Key, []byte(n+","+row+","+id)) > 0
				}) - 1
				if want := user.RegionOf([]byte(row)).Name; !bytes.Equal(tab.Rows[i].Key, want) {
					t.Errorf("row %q of %s: %q, want %q", row, n, tab.Rows[i].Key, want)
				}
			}
		}

		// The last region, asked for with "T\0": nothing of another table may
		// stand between.
		if i := seek(n+"\x00") - 1; !bytes.Equal(tab.Rows[i].Key, user.Regions[len(user.Regions)-1].Name) {
			t.Errorf("last region of %s: %q", n, tab.Rows[i].Key)
		}
	}
	// A row that cannot be: the probe of a client that adds zeros to a start key.
	if i := seek(strings.Repeat("\x00", 17)); i != 0 {
		t.Errorf("row of zeros at %d", i)
	}
}

func TestCompareIsAnOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	key := func() []byte {
		b := make([]byte, rnd.IntN(6))
		for i := range b {
			b[i] = "\x00,,a-\xff"[rnd.IntN(6)]
		}
		return b
	}
	sign := func(n int) int { return max(-1, min(1, n)) }
	for range 100000 {
		a, b, c := key(), key(), key()
		ab, ba := meta.Compare(a, b), meta.Compare(b, a)
		if sign(ab) != -sign(ba) || (ab == 0) != bytes.Equal(a, b) {
			t.Fatalf("%q and %q: %d and %d", a, b, ab, ba)
		}
		if ab < 0 && meta.Compare(b, c) < 0 && meta.Compare(a, c) >= 0 {
			t.Fatalf("%q < %q < %q, but not the first before the last", a, b, c)
		}
	}
}

func TestServerName(t *testing.T) {
	if got := server.String() + " " + server.Address(); got != "host,16020,1700000000005 host:16020" {
		t.Error(got)
	}
	if m := server.Message(); m.GetHostName() != "host" || m.GetPort() != 16020 || m.GetStartCode() != now+5 {
		t.Errorf("message %v", m)
	}
}

// BenchmarkRebuild makes hbase:meta anew after a change of another table than
// the one that has 10,000 regions.
func BenchmarkRebuild(b *testing.B) {
	e := memkv.New(lastWins{})
	defer e.Close()
	c, err := catalog.Open(e, catalog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m := meta.New(c, server)
	s := &catalog.Schema{Name: catalog.ParseTableName("t"), Families: []catalog.FamilySchema{{Name: []byte("f")}}}
	var keys [][]byte
	for i := range 9999 {
		keys = append(keys, fmt.Appendf(nil, "%05d", i))
	}
	if err := c.CreateTable(s, keys); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		if _, err := c.SetSwitch("x", i%2 == 0, false); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		m.Table(catalog.MetaTable)
	}
}
