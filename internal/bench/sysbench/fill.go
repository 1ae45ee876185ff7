package sysbench

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
)

// maxInsert is how long the text of an insert gets.
const maxInsert = 512 << 10

// partRows is how many rows of a table a worker takes at a time, so that more
// workers than tables help too.
const partRows = 2_500

// parts gives out table and range of ids.
type parts struct {
	t    *Test
	next atomic.Int64
	per  int64 // parts of a table
}

func newParts(t *Test) *parts {
	return &parts{t: t, per: int64((t.Options.TableSize + partRows - 1) / partRows)}
}

func (p *parts) take() (table int, from, to int64, ok bool) {
	n := p.next.Add(1) - 1
	if n >= p.per*int64(p.t.Options.Tables) {
		return 0, 0, 0, false
	}
	from = n%p.per*partRows + 1
	return int(n / p.per), from, min(from+partRows, int64(p.t.Options.TableSize)+1), true
}

// filler is one worker of a load.
type filler struct {
	t      *Test
	parts  *parts
	conn   *sql.Conn
	close  func() error
	random *rand.Rand
	ids    gen.Ints
	text   []byte
}

// Close implements load.Task.
func (f *filler) Close() error { return f.close() }

// Step implements load.Task: the inserts of one part.
func (f *filler) Step(ctx context.Context, r *measure.Recorder) error {
	table, from, to, ok := f.parts.take()
	if !ok {
		return load.ErrDone
	}
	for from < to {
		head := "INSERT INTO " + f.t.table(table) + "(id, k, c, pad) VALUES "
		if f.t.Options.AutoInc {
			head = "INSERT INTO " + f.t.table(table) + "(k, c, pad) VALUES "
		}
		f.text = append(f.text[:0], head...)
		first := from
		for ; from < to && len(f.text) < maxInsert-256; from++ {
			if from > first {
				f.text = append(f.text, ", "...)
			}
			f.text = append(f.text, '(')
			if !f.t.Options.AutoInc {
				f.text = append(strconv.AppendInt(f.text, from, 10), ", "...)
			}
			f.text = append(strconv.AppendInt(f.text, f.ids.Next(f.random), 10), ", '"...)
			f.text = append(gen.AppendGroups(f.text, f.random, 10), "', '"...)
			f.text = append(gen.AppendGroups(f.text, f.random, 5), "')"...)
		}
		begin := r.Begin(opInsert)
		_, err := f.conn.ExecContext(ctx, string(f.text))
		r.End(opInsert, begin, measure.Counts{from - first}, err)
		if err != nil {
			return fmt.Errorf("loading %s from id %d: %w; run cleanup before trying again", f.t.table(table), first, err)
		}
	}
	return nil
}
