// Package hbasedb is a store over the HBase protocol, through the public client.
// A row's fields are the columns of one family.
package hbasedb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/client/filter"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/sample"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// DB implements store.Store.
type DB struct {
	client     *client.Client
	table      *client.Table
	config     store.Config
	durability client.Durability
	columns    map[string][]byte // of all fields, made once
	filter     *filter.Filter    // of scans, by configuration
}

// flushLimit bounds writing what is buffered at the end.
const flushLimit = 30 * time.Second

// Durabilities are HBase's names of them.
var Durabilities = map[string]client.Durability{
	"": client.UseDefault, "USE_DEFAULT": client.UseDefault, "SKIP_WAL": client.SkipWAL,
	"ASYNC_WAL": client.AsyncWAL, "SYNC_WAL": client.SyncWAL, "FSYNC_WAL": client.FsyncWAL,
}

// Open makes a store of a target that the client knows: zk://, hbase://, rpc://.
// Nothing is connected yet.
func Open(target string, c store.Config) (*DB, error) {
	d, ok := Durabilities[strings.ToUpper(c.Durability)]
	if !ok {
		return nil, fmt.Errorf("durability=%s: want USE_DEFAULT, SKIP_WAL, ASYNC_WAL, SYNC_WAL or FSYNC_WAL", c.Durability)
	}
	db := &DB{config: c, durability: d, columns: map[string][]byte{}}
	for _, f := range c.Fields {
		db.columns[f] = []byte(f)
	}
	if c.ValueFilterOp != "" {
		op, ok := map[string]filter.Op{
			"less": filter.Less, "less_or_equal": filter.LessOrEqual, "equal": filter.Equal,
			"not_equal": filter.NotEqual, "greater_or_equal": filter.GreaterOrEqual, "greater": filter.Greater,
		}[strings.ToLower(c.ValueFilterOp)]
		if !ok {
			return nil, fmt.Errorf("hbase.scanfilteroperator=%s: want less, less_or_equal, equal, not_equal, greater_or_equal or greater", c.ValueFilterOp)
		}
		f := filter.Value(op, filter.Binary([]byte(c.ValueFilter)))
		db.filter = &f
	}
	var err error
	db.client, err = client.Open(target, client.Config{
		ConnectionsPerServer: c.Connections, MaxBatches: c.MaxBatches, MaxBatchesPerServer: c.MaxBatchesPer,
	})
	if err != nil {
		return nil, err
	}
	db.table = db.client.Table(c.Table)
	return db, nil
}

// Open implements store.Store. The first one looks up all regions.
func (db *DB) Open(ctx context.Context, worker int) (store.Session, error) {
	if worker == 0 {
		if err := db.table.Warm(ctx); err != nil {
			return nil, err
		}
	}
	s := &session{db: db}
	if db.config.Buffering {
		s.mutator = db.table.Mutator(client.MutatorConfig{BufferBytes: db.config.BufferBytes})
	}
	return s, nil
}

// Create implements store.Store.
func (db *DB) Create(ctx context.Context, s store.Schema) error {
	a := db.client.Admin()
	have, err := a.DescribeTable(ctx, s.Table)
	if err == nil {
		if have.Family(s.Family) == nil {
			var names []string
			for _, f := range have.Families {
				names = append(names, f.Name)
			}
			return &store.SchemaError{Table: s.Table, Difference: fmt.Sprintf("it has the families %s and not %s", strings.Join(names, ", "), s.Family)}
		}
		if len(s.Splits) > 0 {
			regions, err := db.client.Table(s.Table).Regions(ctx)
			if err != nil {
				return err
			}
			if len(regions) != len(s.Splits)+1 {
				return &store.SchemaError{Table: s.Table, Difference: fmt.Sprintf("it has %d regions, --presplit wants %d", len(regions), len(s.Splits)+1)}
			}
		}
		return nil
	}
	if !errors.Is(err, client.ErrTableNotFound) {
		return err
	}
	var splits [][]byte
	for _, k := range s.Splits {
		splits = append(splits, []byte(k))
	}
	return a.CreateTable(ctx, client.TableDescriptor{Name: s.Table, Families: []client.FamilyDescriptor{client.Family(s.Family)}}, splits...)
}

// Drop implements store.Store.
func (db *DB) Drop(ctx context.Context) error {
	a := db.client.Admin()
	if err := a.DisableTable(ctx, db.config.Table); err != nil && !errors.Is(err, client.ErrTableNotEnabled) {
		if errors.Is(err, client.ErrTableNotFound) {
			return nil
		}
		return err
	}
	return a.DeleteTable(ctx, db.config.Table)
}

// Info implements store.Store.
func (db *DB) Info(ctx context.Context) map[string]string {
	m := map[string]string{
		"kind": "hbase", "durability": db.durability.String(), "scan_style": db.config.ScanStyle,
		"connections_per_server": strconv.Itoa(max(db.config.Connections, 1)),
		"client_buffering":       strconv.FormatBool(db.config.Buffering),
	}
	if v, err := db.client.Admin().Version(ctx); err == nil {
		m["version"] = v
	}
	if s, err := db.client.Admin().Servers(ctx); err == nil {
		m["servers"] = strconv.Itoa(len(s))
	}
	if r, err := db.table.Regions(ctx); err == nil {
		m["regions"] = strconv.Itoa(len(r))
	}
	return m
}

// Counters implements store.Store.
func (db *DB) Counters() map[string]int64 {
	s := db.client.Stats()
	return map[string]int64{
		"rpcs": int64(s.Calls), "bytes_out": int64(s.BytesOut), "bytes_in": int64(s.BytesIn), "dials": int64(s.Dials),
		"retries": int64(s.Retries), "region_moves": int64(s.Moves), "meta_lookups": int64(s.MetaLookups),
	}
}

// Sources implements store.Store.
func (db *DB) Sources() []sample.Source { return nil }

// Close implements store.Store.
func (db *DB) Close() error { return db.client.Close() }

// Classify implements store.Store.
func (db *DB) Classify(err error) (measure.Class, string) { return Classify(err) }

// Classify tells the class of the client's errors.
func Classify(err error) (measure.Class, string) {
	var remote *client.RemoteError
	code := ""
	if errors.As(err, &remote) {
		code = remote.SimpleClass()
		switch code {
		case "CallQueueTooBigException", "RegionTooBusyException", "RpcThrottlingException", "CallDroppedException":
			return measure.Overload, code
		}
	}
	if c, own, ok := store.Classify(err); ok {
		if own != "" {
			code = own
		}
		return c, code
	}
	switch {
	case errors.Is(err, client.ErrTimeout):
		return measure.Timeout, code
	case errors.Is(err, client.ErrUnavailable), errors.Is(err, client.ErrClosed):
		return measure.Refused, code
	}
	return measure.Other, code
}

// session is one worker's.
type session struct {
	db      *DB
	mutator *client.BufferedMutator
}

func (s *session) column(name string) []byte {
	if c, ok := s.db.columns[name]; ok {
		return c
	}
	return []byte(name)
}

// Read implements store.Session.
func (s *session) Read(ctx context.Context, key []byte, fields []string, row *store.Row) error {
	g := client.NewGet(key)
	if fields == nil {
		g.AddFamily(s.db.config.Family)
	}
	for _, f := range fields {
		g.AddColumn(s.db.config.Family, s.column(f))
	}
	r, err := s.db.table.Get(ctx, g)
	if err != nil {
		return err
	}
	if r.Empty() {
		return store.ErrNotFound
	}
	s.fill(row, r)
	return nil
}

// fill decodes a result; field names are not copied where they are known ones.
func (s *session) fill(row *store.Row, r *client.Result) {
	row.Key, row.Fields = r.Row(), row.Fields[:0]
	for i := range r.Cells {
		c := &r.Cells[i]
		row.Fields = append(row.Fields, store.Field{Name: s.name(c.Qualifier, len(row.Fields)), Value: c.Value})
	}
}

func (s *session) name(q []byte, at int) string {
	if at < len(s.db.config.Fields) && s.db.config.Fields[at] == string(q) {
		return s.db.config.Fields[at]
	}
	return string(q)
}

// Scan implements store.Session. The style "ycsb" is that of YCSB's binding: a page
// filter, which counts in each region anew, and a scanner that is closed early.
func (s *session) Scan(ctx context.Context, start []byte, n int, fields []string, visit func(*store.Row) error) error {
	sc := client.NewScan().WithStartRow(start, true)
	var filters []filter.Filter
	if s.db.config.ScanStyle == "ycsb" {
		sc.SetCaching(n)
		if s.db.config.PageFilter {
			filters = append(filters, filter.Page(int64(n)))
		}
	} else {
		sc.SetLimit(n)
	}
	if s.db.filter != nil {
		filters = append(filters, *s.db.filter)
	}
	switch len(filters) {
	case 0:
	case 1:
		sc.SetFilter(filters[0])
	default:
		sc.SetFilter(filter.All(filters...))
	}
	if fields == nil {
		sc.AddFamily(s.db.config.Family)
	}
	for _, f := range fields {
		sc.AddColumn(s.db.config.Family, s.column(f))
	}
	rows := s.db.table.Scan(sc)
	defer rows.Close()
	var row store.Row
	for i := 0; i < n && rows.Next(ctx); i++ {
		s.fill(&row, rows.Result())
		if err := visit(&row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Update implements store.Session.
func (s *session) Update(ctx context.Context, key []byte, fields []store.Field) error {
	if s.mutator == nil {
		p := client.NewPut(key).SetDurability(s.db.durability)
		for _, f := range fields {
			p.Add(s.db.config.Family, s.column(f.Name), f.Value)
		}
		return s.db.table.Put(ctx, p)
	}
	// The mutator keeps what it is given; the caller's buffers are reused.
	own := client.NewPut(append([]byte(nil), key...)).SetDurability(s.db.durability)
	for _, f := range fields {
		own.Add(s.db.config.Family, s.column(f.Name), append([]byte(nil), f.Value...))
	}
	return s.mutator.Add(ctx, own)
}

// Insert implements store.Session.
func (s *session) Insert(ctx context.Context, key []byte, fields []store.Field) error {
	return s.Update(ctx, key, fields)
}

// InsertBatch implements store.Batcher.
func (s *session) InsertBatch(ctx context.Context, rows []store.Row) error {
	var ops []client.Op
	for _, r := range rows {
		p := client.NewPut(r.Key).SetDurability(s.db.durability)
		for _, f := range r.Fields {
			p.Add(s.db.config.Family, s.column(f.Name), f.Value)
		}
		ops = append(ops, p)
	}
	_, err := s.db.table.Batch(ctx, ops)
	return err
}

// Delete implements store.Session.
func (s *session) Delete(ctx context.Context, key []byte) error {
	if s.mutator != nil {
		return s.mutator.Add(ctx, client.NewDelete(append([]byte(nil), key...)).SetDurability(s.db.durability))
	}
	return s.db.table.Delete(ctx, client.NewDelete(key).SetDurability(s.db.durability))
}

// Buffered implements store.Flusher.
func (s *session) Buffered() bool { return s.mutator != nil }

// Flush implements store.Flusher.
func (s *session) Flush(ctx context.Context) error {
	if s.mutator == nil {
		return nil
	}
	return s.mutator.Flush(ctx)
}

// Close implements store.Session.
func (s *session) Close() error {
	if s.mutator == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	return s.mutator.Close(ctx)
}

// Client is the client itself, for workloads that do more than a store can.
func (db *DB) Client() *client.Client { return db.client }
