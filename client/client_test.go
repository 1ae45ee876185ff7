package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/client/filter"
)

func TestOperations(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{ConnectionsPerServer: 2})
	table := makeTable(t, c, "m")
	ctx := context.Background()
	get := func(row, want string) {
		t.Helper()
		r, err := table.Get(ctx, client.NewGet(b(row)))
		if err != nil {
			t.Fatal(err)
		}
		if got := text(r); got != want {
			t.Fatalf("row %s: %s, want %s", row, got, want)
		}
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	get("a", "")
	ok(table.Put(ctx, client.NewPut(b("a")).Add("f", b("q"), b("1")).Add("g", b(""), b("")).Add("f", b("p"), b("2"))))
	get("a", "a f:p=2 f:q=1 g:=")
	ok(table.Put(ctx, client.NewPut(b("z")).AddAt("f", b("q"), 5, b("x")).AddAt("f", b("q"), 7, b("y"))))
	get("z", "z f:q=y")

	r, err := table.Get(ctx, client.NewGet(b("z")).AddColumn("f", b("q")).ReadVersions(client.AllVersions))
	ok(err)
	if text(r) != "z f:q=y f:q=x" || r.Cells[1].Timestamp != 5 || r.Cells[1].Type != client.TypePut {
		t.Fatal(text(r))
	}
	r, err = table.Get(ctx, client.NewGet(b("z")).SetTimeRange(0, 6))
	ok(err)
	if text(r) != "z f:q=x" {
		t.Fatal(text(r))
	}
	r, err = table.Get(ctx, client.NewGet(b("a")).AddFamily("g"))
	ok(err)
	if v := r.Value("g", nil); v == nil || len(v) != 0 || r.Value("f", b("q")) != nil {
		t.Fatal(text(r))
	}
	r, err = table.Get(ctx, client.NewGet(b("a")).SetFilter(filter.Qualifier(filter.Equal, filter.Binary(b("p")))))
	ok(err)
	if text(r) != "a f:p=2" {
		t.Fatal(text(r))
	}
	for row, want := range map[string]bool{"a": true, "b": false} {
		found, err := table.Exists(ctx, client.NewGet(b(row)))
		if err != nil || found != want {
			t.Fatal(row, found, err)
		}
	}

	ok(table.Delete(ctx, client.NewDelete(b("z")).AddColumn("f", b("q"))))
	get("z", "z f:q=x")
	ok(table.Delete(ctx, client.NewDelete(b("z")).AddColumns("f", b("q"))))
	get("z", "")
	ok(table.Delete(ctx, client.NewDelete(b("a")).AddFamily("g").AddColumnAt("f", b("q"), 1)))
	get("a", "a f:p=2 f:q=1")
	ok(table.Delete(ctx, client.NewDelete(b("a"))))
	get("a", "")

	for want := int64(3); want <= 9; want += 3 {
		r, err := table.Increment(ctx, client.NewIncrement(b("n")).Add("f", b("c"), 3))
		ok(err)
		if n, found := r.Int64("f", b("c")); !found || n != want {
			t.Fatal(n, found, want)
		}
	}
	for _, want := range []string{"ab", "abab"} {
		r, err := table.Append(ctx, client.NewAppend(b("n")).Add("g", b("s"), b("ab")))
		ok(err)
		if string(r.Value("g", b("s"))) != want {
			t.Fatal(text(r))
		}
	}
	r, err = table.Append(ctx, client.NewAppend(b("n")).Add("g", b("s"), b("!")).SetReturnResults(false))
	ok(err)
	if !r.Empty() {
		t.Fatal(text(r))
	}

	_, err = table.Increment(ctx, client.NewIncrement(b("n")).Add("g", b("s"), 1))
	var remote *client.RemoteError
	if !errors.As(err, &remote) || remote.SimpleClass() != "DoNotRetryIOException" {
		t.Fatal(err)
	}
	err = table.Put(ctx, client.NewPut(b("a")).Add("nope", b("q"), b("1")))
	if !errors.Is(err, client.ErrNoSuchFamily) {
		t.Fatal(err)
	}
	for _, err := range []error{
		table.Put(ctx, client.NewPut(nil).Add("f", nil, nil)),
		table.Put(ctx, client.NewPut(b("a"))),
		table.Put(ctx, client.NewPut(b("a")).Add("", nil, nil)),
		table.Put(ctx, client.NewPut(b("a")).AddAt("f", nil, -1, nil)),
	} {
		if !errors.Is(err, client.ErrInvalid) {
			t.Fatal(err)
		}
	}
	if _, err := c.Table("gocl_nothing").Get(ctx, client.NewGet(b("a"))); !errors.Is(err, client.ErrTableNotFound) {
		t.Fatal(err)
	}
	// Cell TTL.
	ok(table.Put(ctx, client.NewPut(b("ttl")).Add("f", b("q"), b("1")).SetTTL(30*time.Millisecond)))
	time.Sleep(60 * time.Millisecond)
	get("ttl", "")

	s := c.Stats()
	if s.Calls < 20 || s.BytesIn == 0 || s.BytesOut == 0 || s.MetaLookups == 0 {
		t.Fatalf("%+v", s)
	}
}

func TestCheckAndMutate(t *testing.T) {
	c := open(t, targetOf(t), client.Config{})
	table := makeTable(t, c)
	ctx := context.Background()
	row := b("r")
	do := func(m *client.CheckAndMutate, want bool) *client.Result {
		t.Helper()
		r, err := table.CheckAndMutate(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if r.Processed != want {
			t.Fatalf("processed: %v", r.Processed)
		}
		return r.Result
	}
	put := func(v string) *client.Put { return client.NewPut(row).Add("f", b("q"), b(v)) }
	check := func() *client.CheckAndMutate { return client.NewCheckAndMutate(row) }

	do(check().IfEquals("f", b("q"), b("1")).Then(put("2")), false)
	do(check().IfNotExists("f", b("q")).Then(put("1")), true)
	do(check().IfNotExists("f", b("q")).Then(put("2")), false)
	do(check().IfEquals("f", b("q"), b("1")).Then(put("5")), true)
	do(check().IfMatches("f", b("q"), filter.Greater, b("7")).Then(put("6")), true) // 7 > 5
	do(check().IfMatches("f", b("q"), filter.Less, b("7")).Then(put("9")), false)
	do(check().IfFilter(filter.Value(filter.Equal, filter.Binary(b("6")))).Then(client.NewDelete(row)), true)
	// A marker hides what is written later within its millisecond.
	time.Sleep(2 * time.Millisecond)
	r := do(check().IfNotExists("f", b("q")).Then(client.NewIncrement(row).Add("f", b("n"), 4)), true)
	if n, _ := r.Int64("f", b("n")); n != 4 {
		t.Fatal(n)
	}
	both := client.NewRowMutations(row, put("x"), client.NewDelete(row).AddColumns("f", b("n")), client.NewAppend(row).Add("g", b("a"), b("b")))
	do(check().IfNotExists("f", b("n")).Then(both), false)
	r = do(check().IfNotExists("f", b("q")).Then(both), true)
	if r == nil || text(r) != "r g:a=b" {
		t.Fatal(r)
	}
	got, err := table.Get(ctx, client.NewGet(row))
	if err != nil || text(got) != "r f:q=x g:a=b" {
		t.Fatal(text(got), err)
	}
	r, err = table.MutateRow(ctx, client.NewRowMutations(row).Add(put("y"), client.NewIncrement(row).Add("g", b("i"), 1)))
	if err != nil || text(r) != "r g:i=\x00\x00\x00\x00\x00\x00\x00\x01" {
		t.Fatal(r, err)
	}
	_, err = table.MutateRow(ctx, client.NewRowMutations(row).Add(put("z"), client.NewPut(row).Add("nope", nil, nil)))
	if !errors.Is(err, client.ErrNoSuchFamily) {
		t.Fatal(err)
	}
	for _, m := range []*client.CheckAndMutate{
		check(), check().Then(put("1")), check().IfNotExists("f", nil), check().IfNotExists("f", nil).Then(client.NewPut(b("other")).Add("f", nil, nil)),
	} {
		if _, err := table.CheckAndMutate(ctx, m); !errors.Is(err, client.ErrInvalid) {
			t.Fatal(err)
		}
	}
}

func TestBatch(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{MaxBatchBytes: 2000, MaxBatches: 2, MaxBatchesPerServer: 1})
	table := makeTable(t, c, "2", "4", "6", "8")
	ctx := context.Background()
	var ops []client.Op
	for i := range 200 {
		row := b(fmt.Sprintf("%03d", i*5))
		ops = append(ops, client.NewPut(row).Add("f", b("q"), row).Add("g", b("q"), row))
	}
	results, err := table.Batch(ctx, ops)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Err != nil || !r.Processed || r.Result != nil {
			t.Fatal(i, r)
		}
	}
	row := func(i int) []byte { return b(fmt.Sprintf("%03d", i*5)) }
	ops = []client.Op{
		client.NewGet(row(1)),
		client.NewPut(row(2)).Add("nope", b("q"), nil),
		client.NewGet(b("nothing")),
		client.NewDelete(row(3)),
		client.NewIncrement(row(4)).Add("f", b("q"), 1), // 3 bytes wide
		client.NewIncrement(row(5)).Add("f", b("n"), 7),
		client.NewRowMutations(row(6), client.NewPut(row(6)).Add("f", b("q"), b("new")), client.NewDelete(row(6)).AddFamily("g")),
		client.NewCheckAndMutate(row(7)).IfNotExists("f", b("q")).Then(client.NewDelete(row(7))),
		client.NewCheckAndMutate(row(8)).IfEquals("f", b("q"), row(8)).Then(client.NewDelete(row(8))),
		client.NewAppend(row(9)).Add("f", b("q"), b("+")),
		client.NewGet(nil),
		client.NewGet(row(199)).AddColumn("f", b("q")),
	}
	results, err = table.Batch(ctx, ops)
	var failed *client.BatchError
	if !errors.As(err, &failed) || failed.Failed != 3 || failed.Total != len(ops) || !errors.Is(err, client.ErrNoSuchFamily) {
		t.Fatal(err)
	}
	want := []string{"005 f:q=005 g:q=005", "", "", "", "", "025 f:n=\x00\x00\x00\x00\x00\x00\x00\x07", "", "", "", "045 f:q=045+", "", "995 f:q=995"}
	for i, r := range results {
		if got := r.Result; got == nil && want[i] != "" || got != nil && text(got) != want[i] {
			t.Errorf("%d: %v, want %q", i, got, want[i])
		}
		if bad := i == 1 || i == 4 || i == 10; bad != (r.Err != nil) {
			t.Errorf("%d: %v", i, r.Err)
		}
		if r.Err == nil && r.Processed != (i != 7) {
			t.Errorf("%d: processed %v", i, r.Processed)
		}
	}
	if results[2].Result == nil {
		t.Error("a get of a missing row has no result")
	}
	if !errors.Is(results[10].Err, client.ErrInvalid) {
		t.Error(results[10].Err)
	}
	for i, want := range map[int]string{3: "", 6: "030 f:q=new", 7: "035 f:q=035 g:q=035", 8: ""} {
		r, err := table.Get(ctx, client.NewGet(row(i)))
		if err != nil || text(r) != want {
			t.Errorf("%d: %s, %v", i, text(r), err)
		}
	}
	if n := len(rows(t, table, client.NewScan())); n != 198 {
		t.Error(n)
	}
}

func TestRegistries(t *testing.T) {
	noLeaks(t)
	target := targetOf(t)
	c := open(t, target, client.Config{})
	id, err := c.ClusterID(context.Background())
	if err != nil || id == "" {
		t.Fatal(id, err)
	}
	servers, err := c.Admin().Servers(context.Background())
	if err != nil || len(servers) == 0 {
		t.Fatal(servers, err)
	}
	var host, port string
	if _, err := fmt.Sscanf(servers[0], "%s", &host); err != nil {
		t.Fatal(err)
	}
	for i, at := 0, 0; i < len(servers[0]); i++ {
		if servers[0][i] == ',' {
			if at == 0 {
				host = servers[0][:i]
			} else {
				port = servers[0][at:i]
				break
			}
			at = i + 1
		}
	}
	c2 := open(t, "rpc://"+host+":"+port, client.Config{})
	id2, err := c2.ClusterID(context.Background())
	if err != nil || id2 != id {
		t.Fatal(id2, err)
	}
	table := makeTable(t, c2)
	if err := table.Put(context.Background(), client.NewPut(b("a")).Add("f", nil, nil)); err != nil {
		t.Fatal(err)
	}
}
