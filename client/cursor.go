package client

import (
	"bytes"
	"context"
	"math"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// cursor fetches the rows of a scan, call by call and region by region. It knows
// at any time where to go on, should the server's scanner get lost. It is not
// safe for concurrent use.
type cursor struct {
	t    *Table
	scan *Scan
	left int // rows until the limit; 0 without one
	done bool

	rowsPerCall uint32

	// Where a new scanner would begin. beforeStart: in the region that ends
	// there, since a reversed scan has left the one that begins there.
	start        []byte
	includeStart bool
	beforeStart  bool

	// The open scanner.
	g      *region // nil: none is open
	opened bool    // the server gave it an id
	id     uint64
	seq    uint64
	server *rpc.Conn

	// rest gathers the parts of a row that is not whole yet.
	rest *Result
	// When parts are handed out as they come: the last cell that was, while
	// its row may go on, and the state that the row was read at.
	last      *Cell
	readPoint uint64

	header  pb.ScanResponse
	metrics map[string]int64
	bytes   int // of the last response
}

func newCursor(t *Table, s *Scan) *cursor {
	return &cursor{t: t, scan: s, left: s.limit, rowsPerCall: s.rowsPerCall(), start: s.s.StartRow, includeStart: s.s.IncludeStart}
}

// grow makes the fetches to come larger.
func (c *cursor) grow() { c.rowsPerCall = uint32(min(2*int64(c.rowsPerCall), math.MaxInt32)) }

// parts tells whether parts of rows are handed out as they come.
func (c *cursor) parts() bool { return c.scan.s.AllowPartials || c.scan.s.BatchSize > 0 }

// fetch makes one call that succeeds, and returns its rows. There may be none
// before the scan is done.
func (c *cursor) fetch(ctx context.Context) ([]Result, error) {
	a := c.t.c.attemptsAt(ctx, c.t)
	lost := false
	for {
		err := a.begin()
		if err == nil {
			var rows []Result
			if rows, err = c.fetchOnce(ctx, &a); err == nil {
				return rows, nil
			}
			g := c.g
			c.lose(true)
			r := react(err)
			if r.scannerLost {
				// A new scanner goes on at once, but if that is lost too.
				r.retry, r.pause = true, pauseNone
				if lost {
					r.pause = pauseNormal
				}
				lost = true
			}
			if g != nil {
				c.t.failedAt(g, r, err)
			}
			err = a.failed(err, r)
		}
		if err != nil {
			return nil, c.t.opError("scan", nil, a.n, err)
		}
	}
}

func (c *cursor) fetchOnce(ctx context.Context, a *attempts) ([]Result, error) {
	opening := c.g == nil
	request := pb.ScanRequest{
		NumberOfRows: c.rowsPerCall, HasNumberOfRows: true,
		HandlesPartials: true, HandlesHeartbeats: true, TrackMetrics: c.scan.metrics,
	}
	if c.scan.limit > 0 {
		request.LimitOfRows, request.HasLimitOfRows = uint32(min(c.left, math.MaxInt32)), true
	}
	if opening {
		if err := c.open(ctx, a, &request); err != nil {
			return nil, err
		}
	} else {
		request.ScannerID, request.HasScannerID = c.id, true
		request.NextCallSeq, request.HasNextCallSeq = c.seq, true
		c.seq++
	}
	response, err := c.call(ctx, a, &request)
	if err != nil {
		return nil, err
	}
	results, err := decodeScan(response, &c.header)
	if err != nil {
		return nil, err
	}
	if opening {
		c.opened, c.id, c.seq = c.header.HasScannerID, c.header.ScannerID, 0
		if c.header.HasReadPoint {
			c.readPoint = c.header.ReadPoint
		}
	}
	c.bytes = len(response.Cells) + len(response.Message)
	for _, m := range c.header.Metrics {
		if c.metrics == nil {
			c.metrics = make(map[string]int64)
		}
		c.metrics[m.Name] += m.Value
	}
	return c.take(results), nil
}

// open finds the region to go on in and fills in the request for a scanner on
// it.
func (c *cursor) open(ctx context.Context, a *attempts, request *pb.ScanRequest) error {
	s := &c.scan.s
	err := a.bounded(func(ctx context.Context) (err error) {
		if s.Reversed && (c.beforeStart || len(c.start) == 0) {
			c.g, err = c.t.locateBefore(ctx, c.start)
		} else {
			c.g, err = c.t.locate(ctx, c.start, false)
		}
		return err
	})
	if err != nil {
		c.g = nil
		return err
	}
	if c.server, err = c.g.server.conn(ctx, a); err != nil {
		return err
	}
	request.Region.Value, request.HasRegion = c.g.Name, true
	request.Scan, request.HasScan = *s, true
	request.Scan.StartRow = c.start
	request.Scan.IncludeStart, request.Scan.HasIncludeStart = c.includeStart, true
	request.Scan.HasIncludeStop = true
	request.Scan.HasMaxResultSize = true
	request.Scan.Caching, request.Scan.HasCaching = c.rowsPerCall, true
	if c.last != nil {
		// The rest of the row is read as it was when its first part was.
		request.Scan.ReadPoint = c.readPoint
	}
	return nil
}

func (c *cursor) call(ctx context.Context, a *attempts, request *pb.ScanRequest) (rpc.Response, error) {
	buf := buffers.Get().(*[]byte)
	b := pb.AppendScanRequest((*buf)[:0], request)
	call, err := c.server.Start(ctx, &rpc.Request{Method: "Scan", Message: b, Deadline: a.callDeadline()})
	if cap(b) <= maxKeptBuffer {
		*buf = b
		buffers.Put(buf)
	}
	if err != nil {
		return rpc.Response{}, err
	}
	response, err := call.Wait(ctx)
	if err != nil {
		return response, fromRPC(err, c.g.Server)
	}
	return response, nil
}

// take turns the results of a response, c.header, into rows, and moves the
// position on.
func (c *cursor) take(results []Result) []Result {
	rows := results[:0]
	if c.rest != nil {
		// There may be more rows than results.
		rows = make([]Result, 0, len(results)+1)
	}
	for i := range results {
		r := &results[i]
		if len(r.Cells) == 0 {
			continue
		}
		if c.parts() {
			rows = c.takePart(rows, r)
		} else {
			rows = c.takeWhole(rows, r)
		}
	}
	exhausted := !c.header.MoreInRegion
	ended := c.header.HasMoreResults && !c.header.MoreResults
	if (exhausted || ended) && c.rest != nil {
		// The region ends with the last part of a row.
		rows = c.emit(rows, c.rest)
		c.rest = nil
	}
	if (exhausted || ended) && c.last != nil {
		c.rowEnded()
	}
	closed := exhausted || ended
	if c.scan.limit > 0 && c.left == 0 {
		ended = true
	}
	if len(rows) > 0 {
		// The position must not keep a response alive.
		if c.last == nil {
			c.start = bytes.Clone(c.start)
		} else {
			last := *c.last
			last.Value = nil
			c.last = &(&Result{Cells: []Cell{last}}).Clone().Cells[0]
			c.start = c.last.Row
		}
	}
	switch {
	case ended:
		c.lose(!closed)
		c.done = true
	case exhausted:
		c.nextRegion()
	}
	return rows
}

// takeWhole takes a result, which may be part of a row, and emits whole rows.
func (c *cursor) takeWhole(rows []Result, r *Result) []Result {
	if c.rest != nil {
		if bytes.Equal(c.rest.Row(), r.Row()) {
			c.rest.Cells = append(c.rest.Cells, r.Cells...)
			if !r.Partial {
				rows = c.emit(rows, c.rest)
				c.rest = nil
			}
			return rows
		}
		// A row ended in what was said to be a part of it.
		rows = c.emit(rows, c.rest)
		c.rest = nil
	}
	if r.Partial {
		c.rest = &Result{Cells: r.Cells[:len(r.Cells):len(r.Cells)], Stale: r.Stale}
		return rows
	}
	return c.emit(rows, r)
}

// emit hands out a whole row.
func (c *cursor) emit(rows []Result, r *Result) []Result {
	whole := *r
	whole.Partial = false
	c.start, c.includeStart, c.beforeStart = whole.Row(), false, false
	c.counted()
	return append(rows, whole)
}

// takePart hands out a result as it comes, but for cells that were handed out
// before the scanner was lost.
func (c *cursor) takePart(rows []Result, r *Result) []Result {
	if c.last != nil {
		if bytes.Equal(c.last.Row, r.Row()) {
			for len(r.Cells) > 0 && compareCells(&r.Cells[0], c.last) <= 0 {
				r.Cells = r.Cells[1:]
			}
			if len(r.Cells) == 0 {
				if !r.Partial {
					c.rowEnded()
				}
				return rows
			}
		} else {
			c.rowEnded()
		}
	}
	part := *r
	last := &part.Cells[len(part.Cells)-1]
	c.start, c.includeStart, c.beforeStart = last.Row, true, false
	c.last = last
	if !part.Partial {
		c.rowEnded()
	}
	return append(rows, part)
}

// rowEnded: the row of the last part is whole.
func (c *cursor) rowEnded() {
	c.last, c.includeStart = nil, false
	c.counted()
}

func (c *cursor) counted() {
	if c.left > 0 {
		c.left--
	}
}

// nextRegion moves to the region that follows the one that was read.
func (c *cursor) nextRegion() {
	g, stop := c.g, c.scan.s.StopRow
	c.g, c.opened, c.server = nil, false, nil
	if c.scan.s.Reversed {
		if len(g.Start) == 0 || len(stop) > 0 && bytes.Compare(stop, g.Start) >= 0 {
			c.done = true
			return
		}
		c.start, c.includeStart, c.beforeStart = g.Start, false, true
		return
	}
	if len(g.End) == 0 {
		c.done = true
		return
	}
	if n := bytes.Compare(stop, g.End); len(stop) > 0 && (n < 0 || n == 0 && !c.scan.s.IncludeStop) {
		c.done = true
		return
	}
	c.start, c.includeStart = g.End, true
}

// lose gives up the open scanner, which the server is told unless it knows. What
// was read of a row that is not whole is read again.
func (c *cursor) lose(tell bool) {
	if c.opened && tell {
		c.server.Post(&rpc.Request{Method: "Scan", Message: pb.AppendScanRequest(nil, &pb.ScanRequest{
			ScannerID: c.id, HasScannerID: true, HasNumberOfRows: true, CloseScanner: true,
		})})
	}
	c.g, c.opened, c.server, c.rest = nil, false, nil, nil
}

// renew asks the server to keep the open scanner for another lease. A scanner
// that is lost will be replaced by the next fetch.
func (c *cursor) renew(ctx context.Context) error {
	if c.g == nil {
		return nil
	}
	a := c.t.c.attempts(ctx)
	request := pb.ScanRequest{
		ScannerID: c.id, HasScannerID: true, HasNumberOfRows: true, Renew: true,
		NextCallSeq: c.seq, HasNextCallSeq: true, HandlesPartials: true, HandlesHeartbeats: true,
	}
	c.seq++
	if _, err := c.call(ctx, &a, &request); err != nil {
		c.lose(false)
		if r := react(err); r.retry || r.scannerLost {
			return nil
		}
		return c.t.opError("renew scanner", nil, 1, a.cause(err))
	}
	return nil
}
