package client_test

// Each filter and comparator does on a server what its comment says.

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/client/filter"
)

func TestFilters(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{})
	table := makeTable(t, c, "c")
	ctx := context.Background()
	long := func(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
	for i, row := range []string{"a1", "a2", "b1", "c1"} {
		ts := int64(i + 1)
		put := client.NewPut(b(row)).AddAt("f", b("ab"), ts, b(fmt.Sprint("v", i))).AddAt("f", b("ac"), ts, b("x")).AddAt("g", b("n"), 9, long(int64(i-1)))
		if row != "b1" {
			put.AddAt("f", b("z"), ts+10, b("Hello"))
		}
		if err := table.Put(ctx, put); err != nil {
			t.Fatal(err)
		}
	}
	// show is each row with the qualifiers that are left of it.
	show := func(s *client.Scan) string {
		var all []string
		for r, err := range table.Scan(s).Rows(ctx) {
			if err != nil {
				return err.Error()
			}
			row := string(r.Row()) + ":"
			for i := range r.Cells {
				row += string(r.Cells[i].Qualifier) + ","
			}
			all = append(all, strings.TrimSuffix(row, ","))
		}
		return strings.Join(all, " ")
	}
	const everything = "a1:ab,ac,z,n a2:ab,ac,z,n b1:ab,ac,n c1:ab,ac,z,n"
	for _, x := range []struct {
		name string
		f    filter.Filter
		want string
	}{
		{"row", filter.Row(filter.Greater, filter.Binary(b("a2"))), "b1:ab,ac,n c1:ab,ac,z,n"},
		{"row less", filter.Row(filter.Less, filter.Binary(b("a2"))), "a1:ab,ac,z,n"},
		{"row prefix", filter.Row(filter.Equal, filter.BinaryPrefix(b("a"))), "a1:ab,ac,z,n a2:ab,ac,z,n"},
		{"row component", filter.Row(filter.Equal, filter.BinaryComponent(b("2"), 1)), "a2:ab,ac,z,n"},
		{"row regexp", filter.Row(filter.Equal, filter.Regexp("^[AB]", filter.CaseInsensitive)), "a1:ab,ac,z,n a2:ab,ac,z,n b1:ab,ac,n"},
		{"row substring", filter.Row(filter.NotEqual, filter.Substring("1")), "a2:ab,ac,z,n"},
		{"family", filter.Family(filter.Equal, filter.Binary(b("g"))), "a1:n a2:n b1:n c1:n"},
		{"qualifier", filter.Qualifier(filter.GreaterOrEqual, filter.Binary(b("n"))), "a1:z,n a2:z,n b1:n c1:z,n"},
		{"value", filter.Value(filter.Equal, filter.Binary(b("v2"))), "b1:ab"},
		{"value long", filter.All(filter.Family(filter.Equal, filter.Binary(b("g"))), filter.Value(filter.Greater, filter.Long(1))), "c1:n"},
		{"value bit", filter.Value(filter.Equal, filter.Bit(long(2), filter.And)), "a1:n c1:n"},
		{"value null", filter.Value(filter.Equal, filter.Null()), ""},
		{"single column", filter.SingleColumnValue("f", b("z"), filter.Equal, filter.Binary(b("Hello"))), everything},
		{"single column, if missing", filter.SingleColumnValue("f", b("z"), filter.Equal, filter.Substring("hell"), filter.IfMissing, filter.AllVersions),
			"a1:ab,ac,z,n a2:ab,ac,z,n c1:ab,ac,z,n"},
		{"single column, exclude", filter.SingleColumnValueExclude("f", b("ab"), filter.LessOrEqual, filter.Binary(b("v1"))), "a1:ac,z,n a2:ac,z,n"},
		{"column value", filter.ColumnValue("g", b("n"), filter.LessOrEqual, filter.Binary(long(1))), "a2:n b1:n"},
		{"dependent", filter.Dependent("f", b("ab"), false), "a1:ab,ac a2:ab,ac b1:ab,ac c1:ab,ac"},
		{"dependent value", filter.DependentValue("f", b("ab"), true, filter.Equal, filter.Binary(b("v3"))), "c1:ac"},
		{"column prefix", filter.ColumnPrefix(b("a")), "a1:ab,ac a2:ab,ac b1:ab,ac c1:ab,ac"},
		{"column prefixes", filter.MultipleColumnPrefix(b("ab"), b("n")), "a1:ab,n a2:ab,n b1:ab,n c1:ab,n"},
		{"column range", filter.ColumnRange(b("ab"), false, b("n"), true), "a1:ac,n a2:ac,n b1:ac,n c1:ac,n"},
		{"column range, open", filter.ColumnRange(nil, false, b("ac"), false), "a1:ab a2:ab b1:ab c1:ab"},
		{"pagination", filter.ColumnPagination(1, 1), "a1:ac a2:ac b1:ac c1:ac"},
		{"pagination from", filter.ColumnPaginationFrom(1, b("b")), "a1:z a2:z b1:n c1:z"},
		{"first key", filter.FirstKeyOnly(), "a1:ab a2:ab b1:ab c1:ab"},
		{"key only", filter.KeyOnly(false), everything},
		{"fuzzy row", filter.FuzzyRow(filter.FuzzyKey{Key: b("?1"), Free: []bool{true, false}}), "a1:ab,ac,z,n b1:ab,ac,n c1:ab,ac,z,n"},
		{"inclusive stop", filter.InclusiveStop(b("a2")), "a1:ab,ac,z,n a2:ab,ac,z,n"},
		{"page", filter.Page(1), "a1:ab,ac,z,n c1:ab,ac,z,n"}, // in each region
		{"prefix", filter.Prefix(b("b")), "b1:ab,ac,n"},
		{"random, all", filter.RandomRow(1), everything},
		{"random, none", filter.RandomRow(0), ""},
		{"timestamps", filter.Timestamps(2, 13, 9), "a1:n a2:ab,ac,n b1:n c1:n"},
		{"ranges", filter.MultiRowRange(filter.RowRange{Start: b("a1"), Stop: b("a2"), StopInclusive: true},
			filter.RowRange{Start: b("c"), StartInclusive: true}), "a2:ab,ac,z,n c1:ab,ac,z,n"},
		{"all of", filter.All(filter.Prefix(b("a")), filter.ColumnPrefix(b("z"))), "a1:z a2:z"},
		{"any of", filter.Any(filter.Prefix(b("b")), filter.ColumnPrefix(b("z"))), "a1:z a2:z b1:ab,ac,n c1:z"},
		{"skip", filter.Skip(filter.Value(filter.NotEqual, filter.Binary(b("v1")))), "a1:ab,ac,z,n b1:ab,ac,n c1:ab,ac,z,n"},
		{"while", filter.WhileMatch(filter.Row(filter.NotEqual, filter.Binary(b("a2")))), "a1:ab,ac,z,n c1:ab,ac,z,n"}, // in each region
	} {
		if got := show(client.NewScan().SetFilter(x.f)); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
	get := func(f filter.Filter) string {
		r, err := table.Get(ctx, client.NewGet(b("c1")).SetFilter(f))
		if err != nil {
			return err.Error()
		}
		return text(r)
	}
	for name, x := range map[string]struct {
		f    filter.Filter
		want string
	}{
		"column count":      {filter.ColumnCountGet(2), "c1 f:ab=v3 f:ac=x"},
		"key only, lengths": {filter.All(filter.KeyOnly(true), filter.FirstKeyOnly()), "c1 f:ab=\x00\x00\x00\x02"},
		"first matching":    {filter.FirstKeyValueMatchingQualifiers(b("ac")), "c1 f:ab=v3 f:ac=x"},
	} {
		if got := get(x.f); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	if got := get(filter.Filter{Class: "com.example.Mine"}); !strings.Contains(got, "com.example.Mine") {
		t.Errorf("a filter that the server does not know: %s", got)
	}
}
