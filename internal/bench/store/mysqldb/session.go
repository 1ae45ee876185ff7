package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// maxStatements bounds the prepared statements of a session: sets of columns that
// are read or written together. More are sent as text.
const maxStatements = 1000

// session is one worker's connection. A lost one is opened again at the next call.
type session struct {
	db         *DB
	worker     int
	conn       *sql.Conn
	close      func() error
	statements map[string]*sql.Stmt

	values []sql.RawBytes
	dests  []any
	args   []any
	row    store.Row
	names  map[string][]string // of a statement's columns, without the key
}

// Open implements store.Store.
func (db *DB) Open(ctx context.Context, worker int) (store.Session, error) {
	s := &session{db: db, worker: worker, names: map[string][]string{}}
	if worker == 0 && db.config.RewriteBatch {
		var packet int64
		if err := db.admin.QueryRowContext(ctx, "SELECT @@max_allowed_packet").Scan(&packet); err == nil {
			db.packet = packet
		}
	}
	return s, s.connect(ctx)
}

func (s *session) connect(ctx context.Context) (err error) {
	s.statements = map[string]*sql.Stmt{}
	s.conn, s.close, err = Conn(ctx, &s.db.address, s.worker)
	if err != nil {
		s.conn = nil
		return err
	}
	if !s.db.config.AutoCommit {
		_, err = s.conn.ExecContext(ctx, "SET autocommit = 0")
	}
	return err
}

// ready opens the connection again after it was lost.
func (s *session) ready(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	return s.connect(ctx)
}

// after drops a lost connection and, without autocommit, commits.
func (s *session) after(ctx context.Context, err error) error {
	switch {
	case err == nil:
		if !s.db.config.AutoCommit {
			_, err = s.conn.ExecContext(ctx, "COMMIT")
		}
		return err
	case Lost(err) || ctx.Err() != nil:
		_ = s.close() // it is gone already
		s.conn = nil
	}
	return err
}

// statement prepares a text once; nil when it is to be sent as text.
func (s *session) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if st, ok := s.statements[text]; ok {
		return st, nil
	}
	if s.db.config.Unprepared || len(s.statements) >= maxStatements {
		return nil, nil
	}
	st, err := s.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s.statements[text] = st
	return st, nil
}

func (s *session) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	st, err := s.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return s.conn.QueryContext(ctx, text, args...)
	}
	return st.QueryContext(ctx, args...)
}

func (s *session) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	st, err := s.statement(ctx, text)
	if err != nil {
		return nil, s.after(ctx, err)
	}
	var r sql.Result
	if st == nil {
		r, err = s.conn.ExecContext(ctx, text, args...)
	} else {
		r, err = st.ExecContext(ctx, args...)
	}
	return r, s.after(ctx, err)
}

// columns is the select list for fields.
func (s *session) columns(fields []string) string {
	if fields == nil || s.db.config.AllColumns {
		if s.db.config.SQLStyle != "goycsb" {
			return "*"
		}
		fields = s.db.config.Fields
	}
	var b strings.Builder
	b.WriteString(keyColumn)
	for _, f := range fields {
		b.WriteString(", " + Quote(f))
	}
	return b.String()
}

func (s *session) hint() string {
	if s.db.config.SQLStyle == "goycsb" {
		return " FORCE INDEX(`PRIMARY`)"
	}
	return ""
}

// each decodes a result's rows; their bytes are valid during visit.
func (s *session) each(rows *sql.Rows, text string, visit func(*store.Row) error) error {
	defer rows.Close()
	names, ok := s.names[text]
	if !ok {
		all, err := rows.Columns()
		if err != nil {
			return err
		}
		for _, c := range all {
			name := c
			for _, f := range s.db.config.Fields {
				if strings.EqualFold(f, c) {
					name = f
				}
			}
			names = append(names, name)
		}
		s.names[text] = names
	}
	for len(s.values) < len(names) {
		s.values = append(s.values, nil)
	}
	s.dests = s.dests[:0]
	for i := range names {
		s.dests = append(s.dests, &s.values[i])
	}
	for rows.Next() {
		if err := rows.Scan(s.dests...); err != nil {
			return err
		}
		s.row.Key, s.row.Fields = nil, s.row.Fields[:0]
		for i, n := range names {
			if strings.EqualFold(n, keyColumn) {
				s.row.Key = s.values[i]
				continue
			}
			s.row.Fields = append(s.row.Fields, store.Field{Name: n, Value: s.values[i]})
		}
		if err := visit(&s.row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Read implements store.Session.
func (s *session) Read(ctx context.Context, key []byte, fields []string, row *store.Row) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	text := "SELECT " + s.columns(fields) + " FROM " + Quote(s.db.config.Table) + s.hint() + " WHERE " + keyColumn + " = ?"
	found := false
	rows, err := s.query(ctx, text, string(key))
	if err == nil {
		err = s.each(rows, text, func(r *store.Row) error {
			found = true
			row.Key, row.Fields = append(row.Key[:0], r.Key...), row.Fields[:0]
			for _, f := range r.Fields {
				row.Fields = append(row.Fields, store.Field{Name: f.Name, Value: append([]byte(nil), f.Value...)})
			}
			return nil
		})
	}
	if err := s.after(ctx, err); err != nil {
		return err
	}
	if !found {
		return store.ErrNotFound
	}
	return nil
}

// Scan implements store.Session.
func (s *session) Scan(ctx context.Context, start []byte, n int, fields []string, visit func(*store.Row) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	text := "SELECT " + s.columns(fields) + " FROM " + Quote(s.db.config.Table) + s.hint() + " WHERE " + keyColumn + " >= ?"
	if s.db.config.SQLStyle != "goycsb" {
		text += " ORDER BY " + keyColumn
	}
	text += " LIMIT ?"
	rows, err := s.query(ctx, text, string(start), n)
	if err == nil {
		err = s.each(rows, text, visit)
	}
	return s.after(ctx, err)
}

// errUnmatched is an update or delete that matched no row.
var errUnmatched = &store.Error{Class: measure.NotFound, Code: "UNEXPECTED_STATE", Text: "the statement matched no row"}

func matched(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n != 1 {
		err = errUnmatched
	}
	return err
}

// Update implements store.Session.
func (s *session) Update(ctx context.Context, key []byte, fields []store.Field) error {
	var b strings.Builder
	b.WriteString("UPDATE " + Quote(s.db.config.Table) + " SET ")
	s.args = s.args[:0]
	for i, f := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Quote(f.Name) + " = ?")
		s.args = append(s.args, string(f.Value))
	}
	b.WriteString(" WHERE " + keyColumn + " = ?")
	s.args = append(s.args, string(key))
	return matched(s.exec(ctx, b.String(), s.args...))
}

func (s *session) insertText(rows []store.Row) (string, []any) {
	var b strings.Builder
	verb := "INSERT"
	if s.db.config.SQLStyle == "goycsb" {
		verb = "INSERT IGNORE"
	}
	b.WriteString(verb + " INTO " + Quote(s.db.config.Table) + " (" + keyColumn)
	for _, f := range rows[0].Fields {
		b.WriteString(", " + Quote(f.Name))
	}
	b.WriteString(") VALUES ")
	s.args = s.args[:0]
	for i, r := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(?" + strings.Repeat(", ?", len(r.Fields)) + ")")
		s.args = append(s.args, string(r.Key))
		for _, f := range r.Fields {
			s.args = append(s.args, string(f.Value))
		}
	}
	return b.String(), s.args
}

// Insert implements store.Session.
func (s *session) Insert(ctx context.Context, key []byte, fields []store.Field) error {
	text, args := s.insertText([]store.Row{{Key: key, Fields: fields}})
	_, err := s.exec(ctx, text, args...)
	return err
}

// maxPlaceholders is the protocol's bound on parameters of a statement.
const maxPlaceholders = 65535

// InsertBatch implements store.Batcher: one statement for as many rows as the
// server takes when batches are rewritten, else one for each row.
func (s *session) InsertBatch(ctx context.Context, rows []store.Row) error {
	if !s.db.address.RewriteBatch {
		for _, r := range rows {
			if err := s.Insert(ctx, r.Key, r.Fields); err != nil {
				return err
			}
		}
		return nil
	}
	for len(rows) > 0 {
		n, size := 0, int64(0)
		for n < len(rows) && (n+1)*(len(rows[n].Fields)+1) <= maxPlaceholders {
			size += rows[n].Bytes() + int64(len(rows[n].Key)) + 10*int64(len(rows[n].Fields)+1)
			if n > 0 && size > s.db.packet/2 {
				break
			}
			n++
		}
		if n == 0 {
			return fmt.Errorf("a row of %d fields has too many parameters", len(rows[0].Fields))
		}
		text, args := s.insertText(rows[:n])
		if _, err := s.exec(ctx, text, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// Delete implements store.Session.
func (s *session) Delete(ctx context.Context, key []byte) error {
	return matched(s.exec(ctx, "DELETE FROM "+Quote(s.db.config.Table)+" WHERE "+keyColumn+" = ?", string(key)))
}

// Close implements store.Session.
func (s *session) Close() error {
	if s.conn == nil {
		return nil
	}
	var errs []error
	for _, st := range s.statements {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, s.close())...)
}
