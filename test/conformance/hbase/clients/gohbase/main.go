// Command gohbase checks a server with the Go client github.com/tsuna/gohbase: table administration, puts, gets, scans,
// deletes, increments, appends, conditional puts and many requests at once.
//
//	gohbase HOST:PORT     of the ZooKeeper endpoint
//
// It prints a line a check and, last, 'N passed, N failed'.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
)

// firstClockTime separates timestamps that a check chose, which are shown, from those of the server's clock.
const firstClockTime = 1_000_000_000_000

type checker struct {
	client         gohbase.Client
	admin          gohbase.AdminClient
	ctx            context.Context
	table          string
	passed, failed int
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gohbase HOST:PORT")
		os.Exit(2)
	}
	logrus.SetLevel(logrus.ErrorLevel)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := &checker{
		client: gohbase.NewClient(os.Args[1]),
		admin:  gohbase.NewAdminClient(os.Args[1]),
		ctx:    ctx,
		table:  fmt.Sprintf("conf_gohbase_%d", time.Now().UnixNano()),
	}
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"create", c.create},
		{"put and get", c.putAndGet},
		{"versions", c.versions},
		{"delete", c.deletes},
		{"scan", c.scans},
		{"filter", c.filters},
		{"counters", c.counters},
		{"check and put", c.checkAndPut},
		{"batch", c.batch},
		{"errors", c.errors},
		{"drop", c.drop},
	} {
		if err := part.run(); err != nil {
			c.check(part.name, "no error", err)
		}
	}
	c.client.Close()
	fmt.Printf("%d passed, %d failed\n", c.passed, c.failed)
	if c.failed > 0 {
		os.Exit(1)
	}
}

func (c *checker) check(name string, want, got any) {
	if w, g := fmt.Sprint(want), fmt.Sprint(got); w != g {
		c.failed++
		fmt.Printf("FAIL %s: expected %s got %s\n", name, w, g)
		return
	}
	c.passed++
	fmt.Println("ok", name)
}

// cells is a row's content as "f:a=1 g:b=2", with "@5" for a chosen timestamp.
func cells(r *hrpc.Result) string {
	if r == nil {
		return "nil"
	}
	var all []string
	for _, cell := range r.Cells {
		s := string(cell.Family) + ":" + string(cell.Qualifier)
		if cell.Timestamp != nil && *cell.Timestamp < firstClockTime {
			s += fmt.Sprintf("@%d", *cell.Timestamp)
		}
		value := string(cell.Value)
		if len(value) == 8 && value[0] == 0 {
			value = fmt.Sprint(binary.BigEndian.Uint64(cell.Value))
		}
		all = append(all, s+"="+value)
	}
	return strings.Join(all, " ")
}

func values(family string, pairs ...string) map[string]map[string][]byte {
	qualifiers := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		qualifiers[pairs[i]] = []byte(pairs[i+1])
	}
	return map[string]map[string][]byte{family: qualifiers}
}

func (c *checker) put(row string, v map[string]map[string][]byte, options ...func(hrpc.Call) error) error {
	put, err := hrpc.NewPutStr(c.ctx, c.table, row, v, options...)
	if err != nil {
		return err
	}
	_, err = c.client.Put(put)
	return err
}

func (c *checker) get(row string, options ...func(hrpc.Call) error) (string, error) {
	get, err := hrpc.NewGetStr(c.ctx, c.table, row, options...)
	if err != nil {
		return "", err
	}
	result, err := c.client.Get(get)
	if err != nil {
		return "", err
	}
	return cells(result), nil
}

// row is get without an error to look at: the error takes the place of the row.
func (c *checker) row(row string, options ...func(hrpc.Call) error) string {
	s, err := c.get(row, options...)
	if err != nil {
		return err.Error()
	}
	return s
}

func (c *checker) create() error {
	families := map[string]map[string]string{"f": {"VERSIONS": "5"}, "g": {"VERSIONS": "1"}}
	table := hrpc.NewCreateTable(c.ctx, []byte(c.table), families, hrpc.SplitKeys([][]byte{[]byte("h"), []byte("p")}))
	if err := c.admin.CreateTable(table); err != nil {
		return err
	}
	list, err := hrpc.NewListTableNames(c.ctx, hrpc.ListRegex(c.table+".*"))
	if err != nil {
		return err
	}
	names, err := c.admin.ListTableNames(list)
	if err != nil {
		return err
	}
	c.check("list tables", "[default:"+c.table+"]", tableNames(names))
	status, err := c.admin.ClusterStatus()
	if err != nil {
		return err
	}
	c.check("cluster status", 1, len(status.GetLiveServers()))
	if err := c.admin.DisableTable(hrpc.NewDisableTable(c.ctx, []byte(c.table))); err != nil {
		return err
	}
	if err := c.admin.EnableTable(hrpc.NewEnableTable(c.ctx, []byte(c.table))); err != nil {
		return err
	}
	err = c.admin.CreateTable(table)
	c.check("create again", true, err != nil && strings.Contains(err.Error(), "TableExistsException"))
	return nil
}

func tableNames(names []*pb.TableName) []string {
	var all []string
	for _, name := range names {
		all = append(all, string(name.GetNamespace())+":"+string(name.GetQualifier()))
	}
	return all
}

func (c *checker) putAndGet() error {
	if err := c.put("a1", values("f", "a", "1", "b", "2")); err != nil {
		return err
	}
	if err := c.put("a1", values("g", "a", "3"), hrpc.TimestampUint64(7)); err != nil {
		return err
	}
	c.check("get a row", "f:a=1 f:b=2 g:a@7=3", c.row("a1"))
	c.check("get a family", "g:a@7=3", c.row("a1", hrpc.Families(map[string][]string{"g": nil})))
	c.check("get a column", "f:b=2", c.row("a1", hrpc.Families(map[string][]string{"f": {"b"}})))
	c.check("get an absent row", "", c.row("a0"))
	get, err := hrpc.NewGetStr(c.ctx, c.table, "a1")
	if err != nil {
		return err
	}
	get.ExistsOnly()
	result, err := c.client.Get(get)
	if err != nil {
		return err
	}
	c.check("exists", true, result.Exists != nil && *result.Exists)
	big := strings.Repeat("x", 3<<20)
	if err := c.put("a2", values("f", "a", big)); err != nil {
		return err
	}
	s, err := c.get("a2")
	if err != nil {
		return err
	}
	c.check("a value of 3 MiB", len("f:a=")+len(big), len(s))
	return nil
}

func (c *checker) versions() error {
	for ts := uint64(1); ts <= 7; ts++ {
		if err := c.put("v1", values("f", "a", fmt.Sprint("v", ts)), hrpc.TimestampUint64(ts)); err != nil {
			return err
		}
	}
	c.check("newest version", "f:a@7=v7", c.row("v1"))
	c.check("versions", "f:a@7=v7 f:a@6=v6", c.row("v1", hrpc.MaxVersions(2)))
	c.check("time range", "f:a@4=v4 f:a@3=v3", c.row("v1", hrpc.MaxVersions(9), hrpc.TimeRangeUint64(3, 5)))
	if err := c.put("v2", values("f", "a", "1", "b", "2", "c", "3")); err != nil {
		return err
	}
	c.check("limit per family", "f:a=1 f:b=2", c.row("v2", hrpc.MaxResultsPerColumnFamily(2)))
	c.check("offset per family", "f:b=2 f:c=3", c.row("v2", hrpc.MaxResultsPerColumnFamily(2), hrpc.ResultOffset(1)))
	if err := c.put("v3", values("f", "a", "short"), hrpc.TTL(200*time.Millisecond)); err != nil {
		return err
	}
	c.check("before its time to live", "f:a=short", c.row("v3"))
	time.Sleep(300 * time.Millisecond)
	c.check("after its time to live", "", c.row("v3"))
	return nil
}

func (c *checker) deletes() error {
	del := func(row string, v map[string]map[string][]byte, options ...func(hrpc.Call) error) error {
		d, err := hrpc.NewDelStr(c.ctx, c.table, row, v, options...)
		if err != nil {
			return err
		}
		_, err = c.client.Delete(d)
		return err
	}
	for _, row := range []string{"d1", "d2", "d3", "d4"} {
		for ts := uint64(1); ts <= 3; ts++ {
			if err := c.put(row, values("f", "a", "1", "b", "2"), hrpc.TimestampUint64(ts)); err != nil {
				return err
			}
		}
		if err := c.put(row, values("g", "a", "3")); err != nil {
			return err
		}
	}
	if err := del("d1", nil); err != nil {
		return err
	}
	c.check("delete a row", "", c.row("d1"))
	if err := del("d2", map[string]map[string][]byte{"f": nil}); err != nil {
		return err
	}
	c.check("delete a family", "g:a=3", c.row("d2"))
	if err := del("d3", map[string]map[string][]byte{"f": {"a": nil}}); err != nil {
		return err
	}
	c.check("delete a column", "f:b@3=2 g:a=3", c.row("d3"))
	if err := del("d4", map[string]map[string][]byte{"f": {"a": nil}}, hrpc.TimestampUint64(3), hrpc.DeleteOneVersion()); err != nil {
		return err
	}
	c.check("delete a version", "f:a@2=1 f:b@3=2 g:a=3", c.row("d4"))
	return nil
}

func (c *checker) scan(start, stop string, options ...func(hrpc.Call) error) (string, error) {
	scan, err := hrpc.NewScanRangeStr(c.ctx, c.table, start, stop, options...)
	if err != nil {
		return "", err
	}
	scanner := c.client.Scan(scan)
	var rows []string
	for {
		result, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(rows, " "), nil
		}
		if err != nil {
			return "", err
		}
		rows = append(rows, string(result.Cells[0].Row)+"*"+fmt.Sprint(len(result.Cells)))
	}
}

func (c *checker) scans() error {
	for _, letter := range "fghijklmnopqrs" {
		if err := c.put("s"+string(letter), values("f", "a", "1", "b", "2", "c", "3")); err != nil {
			return err
		}
		if err := c.put(string(letter)+"s", values("g", "a", "1")); err != nil {
			return err
		}
	}
	for _, scan := range []struct {
		name, start, stop, want string
		options                 []func(hrpc.Call) error
	}{
		{"scan a range", "sf", "sj", "sf*3 sg*3 sh*3 si*3", nil},
		{"scan over regions", "fs", "js", "fs*1 gs*1 hs*1 is*1", nil},
		{"scan by twos", "fs", "js", "fs*1 gs*1 hs*1 is*1", []func(hrpc.Call) error{hrpc.NumberOfRows(2)}},
		{"scan backwards", "js", "fs", "js*1 is*1 hs*1 gs*1", []func(hrpc.Call) error{hrpc.Reversed()}},
		{"scan in small pieces", "sf", "sh", "sf*3 sg*3", []func(hrpc.Call) error{hrpc.MaxResultSize(1)}},
		{"scan partial results", "sf", "sg", "sf*1 sf*1 sf*1", []func(hrpc.Call) error{hrpc.MaxResultSize(1), hrpc.AllowPartialResults()}},
		{"scan a column", "sf", "sh", "sf*1 sg*1", []func(hrpc.Call) error{hrpc.Families(map[string][]string{"f": {"b"}})}},
		{"scan limit per family", "sf", "sh", "sf*2 sg*2", []func(hrpc.Call) error{hrpc.MaxResultsPerColumnFamily(2)}},
		{"scan nothing", "x", "y", "", nil},
	} {
		got, err := c.scan(scan.start, scan.stop, scan.options...)
		if err != nil {
			return fmt.Errorf("%s: %w", scan.name, err)
		}
		c.check(scan.name, scan.want, got)
	}
	scan, err := hrpc.NewScanStr(c.ctx, c.table, hrpc.NumberOfRows(1))
	if err != nil {
		return err
	}
	scanner := c.client.Scan(scan)
	if _, err := scanner.Next(); err != nil {
		return err
	}
	c.check("close a scanner early", nil, scanner.Close())
	return nil
}

func (c *checker) filters() error {
	for _, f := range []struct {
		name   string
		filter filter.Filter
		want   string
	}{
		{"prefix filter", filter.NewPrefixFilter([]byte("sh")), "sh*3"},
		{"page filter", filter.NewPageFilter(2), "sf*3 sg*3"},
		{"key only filter", filter.NewKeyOnlyFilter(false), "sf*3 sg*3 sh*3 si*3"},
		{"column pagination filter", filter.NewColumnPaginationFilter(2, 1, nil), "sf*2 sg*2 sh*2 si*2"},
		{"list of filters", filter.NewList(filter.MustPassAll, filter.NewFirstKeyOnlyFilter(), filter.NewPageFilter(3)), "sf*1 sg*1 sh*1"},
		{"row filter", filter.NewRowFilter(filter.NewCompareFilter(filter.Greater,
			filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte("sg"))))), "sh*3 si*3"},
	} {
		got, err := c.scan("sf", "sj", hrpc.Filters(f.filter))
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		c.check(f.name, f.want, got)
	}
	return nil
}

func (c *checker) counters() error {
	for i, want := range []int64{5, 10} {
		inc, err := hrpc.NewIncStrSingle(c.ctx, c.table, "i1", "f", "n", 5)
		if err != nil {
			return err
		}
		got, err := c.client.Increment(inc)
		if err != nil {
			return err
		}
		c.check(fmt.Sprint("increment ", i), want, got)
	}
	app, err := hrpc.NewAppStr(c.ctx, c.table, "i1", values("f", "s", "ab"))
	if err != nil {
		return err
	}
	result, err := c.client.Append(app)
	if err != nil {
		return err
	}
	c.check("append", "f:s=ab", cells(result))
	c.check("both stored", "f:n=10 f:s=ab", c.row("i1"))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 25 {
				if inc, err := hrpc.NewIncStrSingle(c.ctx, c.table, "i2", "f", "n", 1); err == nil {
					_, _ = c.client.Increment(inc)
				}
			}
		})
	}
	group.Wait()
	c.check("increments from many goroutines", "f:n=200", c.row("i2"))
	return nil
}

func (c *checker) checkAndPut() error {
	for _, step := range []struct {
		value    string
		expected []byte
		want     bool
	}{{"1", nil, true}, {"2", nil, false}, {"2", []byte("1"), true}, {"3", []byte("1"), false}} {
		put, err := hrpc.NewPutStr(c.ctx, c.table, "c1", values("f", "a", step.value))
		if err != nil {
			return err
		}
		ok, err := c.client.CheckAndPut(put, "f", "a", step.expected)
		if err != nil {
			return err
		}
		c.check(fmt.Sprintf("check %q and put %q", step.expected, step.value), step.want, ok)
	}
	c.check("after them", "f:a=2", c.row("c1"))
	return nil
}

// batch: the client puts concurrent requests of a region into one Multi.
func (c *checker) batch() error {
	var group sync.WaitGroup
	var lock sync.Mutex
	var wrong []string
	for i := range 500 {
		group.Go(func() {
			row := fmt.Sprintf("%cb%03d", "ckt"[i%3], i)
			err := c.put(row, values("f", "a", fmt.Sprint(i)))
			got := ""
			if err == nil {
				got, err = c.get(row)
			}
			if want := fmt.Sprintf("f:a=%d", i); err != nil || got != want {
				lock.Lock()
				wrong = append(wrong, fmt.Sprint(row, " ", got, " ", err))
				lock.Unlock()
			}
		})
	}
	group.Wait()
	sort.Strings(wrong)
	c.check("500 puts and gets at once", "[]", wrong)
	// One of them fails, among the others of its Multi.
	var failures int
	for i := range 20 {
		group.Go(func() {
			family := "f"
			if i == 7 {
				family = "none"
			}
			if err := c.put(fmt.Sprint("e", i), values(family, "a", "1")); err != nil {
				lock.Lock()
				failures++
				lock.Unlock()
			}
		})
	}
	group.Wait()
	c.check("a failing put fails alone", "1 f:a=1 f:a=1", fmt.Sprint(failures, " ", c.row("e6"), " ", c.row("e8")))
	return nil
}

func (c *checker) errors() error {
	_, err := c.get("a1", hrpc.Families(map[string][]string{"none": nil}))
	c.check("unknown family", true, err != nil && strings.Contains(err.Error(), "NoSuchColumnFamilyException"))
	get, err := hrpc.NewGetStr(c.ctx, c.table+"_none", "a")
	if err != nil {
		return err
	}
	_, err = c.client.Get(get)
	c.check("no such table", gohbase.TableNotFound, err)
	return nil
}

func (c *checker) drop() error {
	err := c.admin.DeleteTable(hrpc.NewDeleteTable(c.ctx, []byte(c.table)))
	c.check("delete an enabled table", true, err != nil && strings.Contains(err.Error(), "TableNotDisabledException"))
	if err := c.admin.DisableTable(hrpc.NewDisableTable(c.ctx, []byte(c.table))); err != nil {
		return err
	}
	if err := c.admin.DeleteTable(hrpc.NewDeleteTable(c.ctx, []byte(c.table))); err != nil {
		return err
	}
	list, err := hrpc.NewListTableNames(c.ctx, hrpc.ListRegex(c.table+".*"))
	if err != nil {
		return err
	}
	names, err := c.admin.ListTableNames(list)
	if err != nil {
		return err
	}
	c.check("table is gone", 0, len(names))
	return nil
}
