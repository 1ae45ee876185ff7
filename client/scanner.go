package client

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// Scanner reads the rows of a scan, one after the other:
//
//	rows := table.Scan(scan)
//	defer rows.Close()
//	for rows.Next(ctx) {
//		use(rows.Result())
//	}
//	return rows.Err()
//
// When its server dies, or a region moves or splits, or a lease ends, it goes on
// where it was: no row is left out, none comes twice, and a row that comes whole
// is as it was at one moment. It is not safe for concurrent use, but for Renew.
type Scanner struct {
	t    *Table
	scan *Scan

	ready []Result
	at    int // in ready, of the current row
	err   error

	cursor   *cursor
	prefetch *prefetcher // nil: Sync, or not begun

	mu     sync.Mutex // guards cursor; and closed, against Renew
	closed bool
}

// Scan makes a scanner. Nothing is read before Next.
func (t *Table) Scan(s *Scan) *Scanner {
	r := &Scanner{t: t, scan: s, at: -1}
	if err := s.check(); err != nil {
		r.err = t.opError("scan", nil, 0, err)
	}
	r.cursor = newCursor(t, s)
	return r
}

// Next moves to the next row. It is false at the end and on an error, which Err
// tells apart.
//
// An error of a context that ended leaves a scanner in Sync mode where it was: it
// goes on with the next Next. All other errors are final.
func (r *Scanner) Next(ctx context.Context) bool {
	if r.closed && r.err == nil {
		r.err = r.t.opError("scan", nil, 0, ErrClosed)
	}
	if r.err != nil {
		if r.scan.mode != Sync || !errors.Is(r.err, context.Canceled) && !errors.Is(r.err, context.DeadlineExceeded) {
			return false
		}
		r.err = nil
	}
	if r.at++; r.at < len(r.ready) {
		return true
	}
	r.ready, r.at = nil, 0
	if r.scan.mode == Sync {
		r.ready, r.err = r.fetch(ctx)
	} else {
		if r.prefetch == nil {
			r.startPrefetch()
		}
		r.ready, r.err = r.prefetch.take(ctx)
	}
	if len(r.ready) == 0 {
		r.at = -1
	}
	return len(r.ready) > 0
}

// fetch fetches until there are rows, or none are left.
func (r *Scanner) fetch(ctx context.Context) ([]Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if r.cursor.done {
			return nil, nil
		}
		rows, err := r.cursor.fetch(ctx)
		if err != nil || len(rows) > 0 {
			return rows, err
		}
	}
}

// Result is the current row. It stays valid after Next and Close.
func (r *Scanner) Result() *Result {
	if r.at < 0 || r.at >= len(r.ready) {
		return nil
	}
	return &r.ready[r.at]
}

// Err is what ended the scan before its end.
func (r *Scanner) Err() error { return r.err }

// Rows walks all rows that are left, and closes the scanner. An error comes last
// with a nil Result.
func (r *Scanner) Rows(ctx context.Context) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		defer r.Close()
		for r.Next(ctx) {
			if !yield(r.Result(), nil) {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

// Renew asks the server to keep its side of the scanner for another lease. It is
// for callers that take longer over the rows at hand than a lease, usually a
// minute; without it a scanner has to begin anew where it was.
func (r *Scanner) Renew(ctx context.Context) error {
	if !r.mu.TryLock() {
		// It is fetching, which renews too.
		return nil
	}
	defer r.mu.Unlock()
	if r.closed {
		return r.t.opError("renew scanner", nil, 0, ErrClosed)
	}
	return r.cursor.renew(ctx)
}

// Metrics are the counters of the servers, of a scan with SetMetrics, summed up
// by their names, such as ROWS_SCANNED and ROWS_FILTERED.
func (r *Scanner) Metrics() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := make(map[string]int64, len(r.cursor.metrics))
	for k, v := range r.cursor.metrics {
		m[k] = v
	}
	return m
}

// Close ends the scan and tells the server, without waiting for its answer. It
// may be called more than once.
func (r *Scanner) Close() error {
	if r.prefetch != nil {
		r.prefetch.stop()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed, r.at = true, -1
		r.cursor.lose(true)
	}
	return nil
}
