// Package mysqldb is a store over the MySQL protocol: YCSB's table of one key and
// a column for each field, and one connection of its own for each worker. Its
// Address and Classify serve other SQL workloads too.
package mysqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/sample"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// keyColumn is YCSB's name of the key.
const keyColumn = "YCSB_KEY"

// DB implements store.Store.
type DB struct {
	address Address
	config  store.Config
	admin   *sql.DB
	packet  int64 // the server's max_allowed_packet
}

// Open makes a store. Nothing is connected yet.
func Open(target string, c store.Config) (*DB, error) {
	a, err := Parse(target)
	if err != nil {
		return nil, err
	}
	if c.RewriteBatch {
		a.RewriteBatch = true
	}
	admin, err := OpenPool(&a)
	if err != nil {
		return nil, err
	}
	return &DB{address: a, config: c, admin: admin, packet: 1 << 20}, nil
}

// OpenPool opens a pool of few connections for what is not measured.
func OpenPool(a *Address) (*sql.DB, error) {
	c, err := mysql.NewConnector(a.Config(0))
	if err != nil {
		return nil, fmt.Errorf("mysql: %w", err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(4)
	return db, nil
}

// Conn opens a connection that is nobody else's.
func Conn(ctx context.Context, a *Address, worker int) (*sql.Conn, func() error, error) {
	c, err := mysql.NewConnector(a.Config(worker))
	if err != nil {
		return nil, nil, fmt.Errorf("mysql: %w", err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close() // nothing was opened
		return nil, nil, err
	}
	return conn, func() error { return errors.Join(conn.Close(), db.Close()) }, nil
}

// Quote makes an identifier of a name.
func Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Create implements store.Store.
func (db *DB) Create(ctx context.Context, s store.Schema) error {
	have, err := db.columns(ctx, s.Table)
	if err != nil {
		return err
	}
	if len(have) > 0 {
		want := append([]string{keyColumn}, s.Fields...)
		for i, c := range want {
			if i >= len(have) || !strings.EqualFold(have[i], c) {
				return &store.SchemaError{Table: s.Table, Difference: fmt.Sprintf("its columns are %s, wanted are %s", strings.Join(have, ", "), strings.Join(want, ", "))}
			}
		}
		if len(have) > len(want) {
			return &store.SchemaError{Table: s.Table, Difference: fmt.Sprintf("it has %d columns, wanted are %d", len(have), len(want))}
		}
		return nil
	}
	var b strings.Builder
	length := 255
	if db.config.SQLStyle == "goycsb" {
		length = 64
	}
	fmt.Fprintf(&b, "CREATE TABLE %s (%s VARCHAR(%d) NOT NULL PRIMARY KEY", Quote(s.Table), keyColumn, length)
	for _, f := range s.Fields {
		fmt.Fprintf(&b, ", %s VARCHAR(%d) NOT NULL", Quote(f), max(s.FieldBytes, 1))
	}
	b.WriteString(")")
	_, err = db.admin.ExecContext(ctx, b.String())
	return err
}

func (db *DB) columns(ctx context.Context, table string) (names []string, err error) {
	rows, err := db.admin.QueryContext(ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", db.address.Database, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		names = append(names, n)
	}
	return names, rows.Err()
}

// Drop implements store.Store.
func (db *DB) Drop(ctx context.Context) error {
	_, err := db.admin.ExecContext(ctx, "DROP TABLE IF EXISTS "+Quote(db.config.Table))
	return err
}

// reported are the server's settings that decide a comparison.
var reported = []string{"version", "default_storage_engine", "innodb_flush_log_at_trx_commit", "innodb_buffer_pool_size", "innodb_log_file_size",
	"sync_binlog", "log_bin", "rocksdb_flush_log_at_trx_commit", "rocksdb_block_cache_size", "max_connections", "max_prepared_stmt_count",
	"max_allowed_packet", "tx_isolation", "transaction_isolation"}

// Info implements store.Store.
func (db *DB) Info(ctx context.Context) map[string]string {
	m := Settings(ctx, db.admin)
	m["kind"], m["sql_style"] = "mysql", db.config.SQLStyle
	m["found_rows"] = strconv.FormatBool(!db.address.UseAffectedRows)
	m["prepared"] = strconv.FormatBool(!db.config.Unprepared)
	return m
}

// Settings reads the server's settings that decide a comparison.
func Settings(ctx context.Context, db *sql.DB) map[string]string {
	m := map[string]string{}
	rows, err := db.QueryContext(ctx, "SHOW GLOBAL VARIABLES")
	if err != nil {
		return m
	}
	defer rows.Close()
	for rows.Next() {
		var k, v string
		if rows.Scan(&k, &v) != nil {
			break
		}
		for _, r := range reported {
			if r == k {
				m[k] = v
			}
		}
	}
	return m
}

// Counters implements store.Store.
func (db *DB) Counters() map[string]int64 { return nil }

// Sources implements store.Store.
func (db *DB) Sources() []sample.Source { return []sample.Source{Status{db.admin}} }

// Close implements store.Store.
func (db *DB) Close() error { return db.admin.Close() }

// Status samples a server's status counters. They have no CPU.
type Status struct{ DB *sql.DB }

// Name implements sample.Source.
func (Status) Name() string { return "mysql status" }

// Read implements sample.Source.
func (s Status) Read(ctx context.Context) (sample.Values, error) {
	rows, err := s.DB.QueryContext(ctx, "SHOW GLOBAL STATUS")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	v := sample.Values{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		to := map[string]string{
			"Innodb_buffer_pool_read_requests": sample.CacheHits, "Innodb_buffer_pool_reads": sample.CacheMisses,
			"Innodb_buffer_pool_bytes_data": sample.CacheBytes, "Innodb_log_waits": sample.Stalls, "Innodb_os_log_fsyncs": sample.LogSyncs,
			"Innodb_os_log_written": sample.LogBytes, "Threads_connected": "connections", "Threads_running": "threads_running",
			"Prepared_stmt_count": "prepared_statements", "Questions": "questions",
		}[name]
		if n, err := strconv.ParseFloat(text, 64); to != "" && err == nil {
			v[to] = n
		}
	}
	return v, rows.Err()
}

// Classify implements store.Store.
func (db *DB) Classify(err error) (measure.Class, string) { return Classify(err) }

// Classify tells the class of the driver's errors; the code is MySQL's number.
func Classify(err error) (measure.Class, string) {
	var me *mysql.MySQLError
	var ne net.Error
	if errors.As(err, &me) {
		code := strconv.Itoa(int(me.Number))
		switch me.Number {
		case 1213, 1205, 1020:
			return measure.Conflict, code
		case 1062:
			return measure.Duplicate, code
		case 1040, 1203, 1226, 1461:
			return measure.Overload, code
		case 1317, 3024:
			return measure.Timeout, code
		case 1053, 1077, 1152:
			return measure.Refused, code
		}
		return measure.Other, code
	}
	if c, code, ok := store.Classify(err); ok {
		return c, code
	}
	if errors.As(err, &ne) && ne.Timeout() {
		return measure.Timeout, ""
	}
	if Lost(err) {
		return measure.Refused, ""
	}
	return measure.Other, ""
}

// Lost tells that the connection is gone.
func Lost(err error) bool {
	var op *net.OpError
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &op)
}

// Number is the number of a MySQL error; 0 of others.
func Number(err error) uint16 {
	var me *mysql.MySQLError
	if errors.As(err, &me) {
		return me.Number
	}
	return 0
}
