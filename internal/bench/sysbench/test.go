package sysbench

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/store/mysqldb"
)

// mix is how many of each statement an event has.
type mix struct {
	points, simple, sum, order, distinct, index, nonIndex, deleteInsert, insert, del int
	transaction                                                                      bool
}

// mixes are the scenarios.
var mixes = map[string]mix{
	"oltp_point_select":     {points: 1},
	"oltp_read_only":        {points: 10, simple: 1, sum: 1, order: 1, distinct: 1, transaction: true},
	"oltp_update_index":     {index: 1},
	"oltp_update_non_index": {nonIndex: 1},
	"oltp_write_only":       {index: 1, nonIndex: 1, deleteInsert: 1, transaction: true},
	"oltp_read_write":       {points: 10, simple: 1, sum: 1, order: 1, distinct: 1, index: 1, nonIndex: 1, deleteInsert: 1, transaction: true},
	"oltp_insert":           {insert: 1},
	"oltp_delete":           {del: 1},
}

// Tests are the names of all scenarios.
func Tests() []string { return slices.Sorted(maps.Keys(mixes)) }

// Options are sysbench's.
type Options struct {
	Tables, TableSize, RangeSize int
	AutoInc, Secondary           bool
	CreateSecondary, SkipTrx     bool
	RangeSelects                 bool
	Prepared                     bool
	Engine, TableOptions         string
	RandType                     string
	IgnoreErrors                 string // numbers, or all
}

// Test is one scenario against one server.
type Test struct {
	Name    string
	Options Options
	address mysqldb.Address
	mix     mix
	ignore  map[uint16]bool // nil: all
}

// New makes a Test.
func New(name string, o Options, a mysqldb.Address) (*Test, error) {
	m, ok := mixes[name]
	if !ok && name != "oltp_common" {
		return nil, fmt.Errorf("no test %s; there are %s", name, strings.Join(Tests(), ", "))
	}
	if o.Tables < 1 || o.TableSize < 1 || o.RangeSize < 1 {
		return nil, fmt.Errorf("--tables, --table-size and --range-size have to be at least 1")
	}
	if !o.RangeSelects {
		m.simple, m.sum, m.order, m.distinct = 0, 0, 0, 0
	}
	m.transaction = m.transaction && !o.SkipTrx
	if _, err := gen.SysbenchIDs(o.RandType, int64(o.TableSize)); err != nil {
		return nil, err
	}
	t := &Test{Name: name, Options: o, address: a, mix: m}
	if o.IgnoreErrors != "all" {
		t.ignore = map[uint16]bool{}
		for part := range strings.SplitSeq(o.IgnoreErrors, ",") {
			var n uint16
			if _, err := fmt.Sscan(part, &n); err != nil {
				return nil, fmt.Errorf("--mysql-ignore-errors=%s: want numbers or all", o.IgnoreErrors)
			}
			t.ignore[n] = true
		}
	}
	return t, nil
}

func (t *Test) table(i int) string { return fmt.Sprintf("sbtest%d", i+1) }

// Classify tells the class of an error.
func (t *Test) Classify(err error) (measure.Class, string) { return mysqldb.Classify(err) }

// Create makes the tables. Those that exist are an error, since filling them again
// would fail at the first row.
func (t *Test) Create(ctx context.Context, db *sql.DB) error {
	for i := range t.Options.Tables {
		id, key, engine := "id INTEGER NOT NULL", "PRIMARY KEY (id)", ""
		if t.Options.AutoInc {
			id += " AUTO_INCREMENT"
		}
		if t.Options.Secondary {
			key = "KEY xid (id)"
		}
		if e := t.Options.Engine; e != "" {
			engine = "/*! ENGINE = " + e + " */ "
		}
		text := fmt.Sprintf("CREATE TABLE %s (%s, k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, %s) %s%s",
			t.table(i), id, key, engine, t.Options.TableOptions)
		if _, err := db.ExecContext(ctx, text); err != nil {
			if mysqldb.Number(err) == 1050 {
				return fmt.Errorf("table %s exists: run cleanup first, or use another database: %w", t.table(i), err)
			}
			return err
		}
	}
	return nil
}

// Index makes the secondary indexes, after the load.
func (t *Test) Index(ctx context.Context, db *sql.DB) error {
	if !t.Options.CreateSecondary {
		return nil
	}
	for i := range t.Options.Tables {
		if _, err := db.ExecContext(ctx, fmt.Sprintf("CREATE INDEX k_%d ON %s(k)", i+1, t.table(i))); err != nil {
			return err
		}
	}
	return nil
}

// Cleanup drops the tables.
func (t *Test) Cleanup(ctx context.Context, db *sql.DB) error {
	for i := range t.Options.Tables {
		if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS "+t.table(i)); err != nil {
			return err
		}
	}
	return nil
}

// Check compares the tables with what the test leaves: as many rows as were loaded
// for tests that insert what they delete, and an index on k that agrees with the
// rows. It returns what is wrong.
func (t *Test) Check(ctx context.Context, db *sql.DB) (wrong []string, err error) {
	for i := range t.Options.Tables {
		var rows, byIndex, sumRows, sumIndex int64
		name := t.table(i)
		if err := db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(k), 0) FROM "+name).Scan(&rows, &sumRows); err != nil {
			return nil, err
		}
		if t.mix.insert+t.mix.del == 0 && rows != int64(t.Options.TableSize) {
			wrong = append(wrong, fmt.Sprintf("%s has %d rows, not %d", name, rows, t.Options.TableSize))
		}
		if !t.Options.CreateSecondary {
			continue
		}
		text := fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(k), 0) FROM %s FORCE INDEX (k_%d) WHERE k > -1", name, i+1)
		if err := db.QueryRowContext(ctx, text).Scan(&byIndex, &sumIndex); err != nil {
			return nil, err
		}
		if rows != byIndex || sumRows != sumIndex {
			wrong = append(wrong, fmt.Sprintf("%s: %d rows with a sum of k of %d, by the index %d with %d", name, rows, sumRows, byIndex, sumIndex))
		}
	}
	return wrong, nil
}

// Ops are the engine's names of what is measured. Statements are counted in the
// event's Counts: read, write, other.
const (
	opEvent measure.Op = iota
	opInsert
)

var opNames = []string{"EVENT", "INSERT-BATCH"}

// countNames are what the Counts are.
var countNames = [3]string{"read", "write", "other"}

// Fill loads the tables, with multi-row inserts.
func (t *Test) Fill(workers int, seed uint64) *load.Plan {
	tasks := newParts(t)
	return &load.Plan{Name: "prepare", Workers: workers, Ops: opNames, Classify: t.Classify, Seed: seed, StopOnError: true,
		New: func(ctx context.Context, i int) (load.Task, error) {
			conn, closeConn, err := mysqldb.Conn(ctx, &t.address, i)
			if err != nil {
				return nil, err
			}
			ids, err := gen.SysbenchIDs(t.Options.RandType, int64(t.Options.TableSize))
			return &filler{t: t, parts: tasks, conn: conn, close: closeConn, random: gen.Rand(seed, uint64(i)), ids: ids}, err
		}}
}

// Plan runs events.
func (t *Test) Plan(workers int, seed uint64) *load.Plan {
	return &load.Plan{Name: t.Name, Workers: workers, Ops: opNames, CountNames: countNames, Classify: t.Classify, Seed: seed,
		New: func(ctx context.Context, i int) (load.Task, error) {
			ids, err := gen.SysbenchIDs(t.Options.RandType, int64(t.Options.TableSize))
			if err != nil {
				return nil, err
			}
			w := &worker{t: t, id: i, random: gen.Rand(seed, uint64(i)), ids: ids, fresh: int64(t.Options.TableSize) + 1 + int64(i), step: int64(workers)}
			return w, w.connect(ctx)
		}}
}
