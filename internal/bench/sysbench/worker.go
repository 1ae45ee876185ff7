package sysbench

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"

	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/store/mysqldb"
)

// kinds of statements, each prepared once for each table.
const (
	kPoint = iota
	kSimple
	kSum
	kOrder
	kDistinct
	kIndex
	kNonIndex
	kDelete
	kInsert
	kinds
)

var texts = [kinds]string{
	"SELECT c FROM %s WHERE id=?",
	"SELECT c FROM %s WHERE id BETWEEN ? AND ?",
	"SELECT SUM(k) FROM %s WHERE id BETWEEN ? AND ?",
	"SELECT c FROM %s WHERE id BETWEEN ? AND ? ORDER BY c",
	"SELECT DISTINCT c FROM %s WHERE id BETWEEN ? AND ? ORDER BY c",
	"UPDATE %s SET k=k+1 WHERE id=?",
	"UPDATE %s SET c=? WHERE id=?",
	"DELETE FROM %s WHERE id=?",
	"INSERT INTO %s (id, k, c, pad) VALUES (?, ?, ?, ?)",
}

// worker is one connection that runs events.
type worker struct {
	t      *Test
	id     int
	random *rand.Rand
	ids    gen.Ints
	conn   *sql.Conn
	close  func() error
	stmts  map[[2]int]*sql.Stmt // kind and table
	counts measure.Counts
	fresh  int64 // next id of oltp_insert; step apart among workers
	step   int64
	buf    []byte
}

func (w *worker) connect(ctx context.Context) (err error) {
	w.stmts = map[[2]int]*sql.Stmt{}
	if w.conn, w.close, err = mysqldb.Conn(ctx, &w.t.address, w.id); err != nil {
		w.conn = nil
		return err
	}
	if !w.t.Options.Prepared {
		return nil
	}
	m := w.t.mix
	for kind, used := range [kinds]int{m.points, m.simple, m.sum, m.order, m.distinct, m.index, m.nonIndex, m.deleteInsert + m.del, m.deleteInsert + m.insert} {
		if used == 0 {
			continue
		}
		for table := range w.t.Options.Tables {
			s, err := w.conn.PrepareContext(ctx, fmt.Sprintf(texts[kind], w.t.table(table)))
			if err != nil {
				if mysqldb.Number(err) == 1461 {
					return fmt.Errorf("the server has no room for more prepared statements; raise its max_prepared_stmt_count, or use --db-ps-mode=disable: %w", err)
				}
				return err
			}
			w.stmts[[2]int{kind, table}] = s
		}
	}
	return nil
}

// Close implements load.Task. Statements end with their connection.
func (w *worker) Close() error {
	if w.conn == nil {
		return nil
	}
	return w.close()
}

// Step implements load.Task: an event, begun again as a whole after an error that
// is to be ignored, all within its latency.
func (w *worker) Step(ctx context.Context, r *measure.Recorder) error {
	begin := r.Begin(opEvent)
	w.counts = measure.Counts{}
	for {
		err := w.event(ctx)
		if err == nil || ctx.Err() != nil {
			r.End(opEvent, begin, w.counts, err)
			return nil
		}
		switch n := mysqldb.Number(err); {
		case n != 0 && (w.t.ignore == nil || w.t.ignore[n]):
			// Told by its number, and tried again.
			r.EndInner(opEvent, begin, measure.Counts{}, err)
			if w.t.mix.transaction {
				if _, err := w.conn.ExecContext(ctx, "ROLLBACK"); err != nil && !mysqldb.Lost(err) {
					r.End(opEvent, begin, w.counts, err)
					return nil
				}
			}
		case mysqldb.Lost(err) || n == 2006 || n == 2011 || n == 2013 || n == 2055:
			r.End(opEvent, begin, w.counts, err)
			_ = w.close() // it is gone already
			return w.connect(ctx)
		default:
			r.End(opEvent, begin, w.counts, err)
			return fmt.Errorf("error that is not to be ignored (--mysql-ignore-errors): %w", err)
		}
	}
}

func (w *worker) event(ctx context.Context) error {
	m := &w.t.mix
	if m.transaction {
		if err := w.plain(ctx, "BEGIN"); err != nil {
			return err
		}
	}
	reads := []struct{ kind, n int }{{kPoint, m.points}, {kSimple, m.simple}, {kSum, m.sum}, {kOrder, m.order}, {kDistinct, m.distinct}}
	for _, g := range reads {
		if g.n == 0 {
			continue
		}
		table := w.random.IntN(w.t.Options.Tables)
		for range g.n {
			id := w.ids.Next(w.random)
			args := []any{id}
			if g.kind != kPoint {
				args = append(args, id+int64(w.t.Options.RangeSize)-1)
			}
			if err := w.read(ctx, g.kind, table, args); err != nil {
				return err
			}
		}
	}
	groups := []struct{ kind, n int }{{kIndex, m.index}, {kNonIndex, m.nonIndex}, {kDelete, m.deleteInsert}, {kDelete, m.del}}
	for i, g := range groups {
		if g.n == 0 {
			continue
		}
		table := w.random.IntN(w.t.Options.Tables)
		for range g.n {
			id := w.ids.Next(w.random)
			args := []any{id}
			if g.kind == kNonIndex {
				args = []any{w.groups(10), id}
			}
			if err := w.write(ctx, g.kind, table, args); err != nil {
				return err
			}
			if i == 2 {
				if err := w.insert(ctx, table, id); err != nil {
					return err
				}
			}
		}
	}
	for range m.insert {
		id := w.fresh
		w.fresh += w.step
		if err := w.insert(ctx, w.random.IntN(w.t.Options.Tables), id); err != nil {
			return err
		}
	}
	if m.transaction {
		return w.plain(ctx, "COMMIT")
	}
	return nil
}

func (w *worker) groups(n int) string {
	w.buf = gen.AppendGroups(w.buf[:0], w.random, n)
	return string(w.buf)
}

func (w *worker) insert(ctx context.Context, table int, id int64) error {
	return w.write(ctx, kInsert, table, []any{id, w.ids.Next(w.random), w.groups(10), w.groups(5)})
}

func (w *worker) plain(ctx context.Context, text string) error {
	_, err := w.conn.ExecContext(ctx, text)
	if err == nil {
		w.counts[2]++
	}
	return err
}

func (w *worker) read(ctx context.Context, kind, table int, args []any) error {
	var rows *sql.Rows
	var err error
	if s := w.stmts[[2]int{kind, table}]; s != nil {
		rows, err = s.QueryContext(ctx, args...)
	} else {
		rows, err = w.conn.QueryContext(ctx, fmt.Sprintf(texts[kind], w.t.table(table)), args...)
	}
	if err != nil {
		return err
	}
	defer rows.Close()
	var value sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&value); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	w.counts[0]++
	return nil
}

// write counts a statement that hit no row among the other ones.
func (w *worker) write(ctx context.Context, kind, table int, args []any) error {
	var result sql.Result
	var err error
	if s := w.stmts[[2]int{kind, table}]; s != nil {
		result, err = s.ExecContext(ctx, args...)
	} else {
		result, err = w.conn.ExecContext(ctx, fmt.Sprintf(texts[kind], w.t.table(table)), args...)
	}
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if n > 0 {
		w.counts[1]++
	} else {
		w.counts[2]++
	}
	return nil
}
