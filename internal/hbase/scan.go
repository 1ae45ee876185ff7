package hbase

import (
	"bytes"
	"context"
	"errors"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/wide"
)

// scan answers Scan: it opens a scanner, reads from one, renews or closes one,
// or several of these at once.
func (s *Service) scan(ctx context.Context, c *rpc.Call, r *rpc.Reply) error {
	w := takeWork()
	defer giveWork(w)
	req, resp := &w.scanRequest, &w.scanResponse
	if err := req.Decode(c.Param); err != nil {
		return malformed(err)
	}
	if !req.HasScannerID && !req.HasScan {
		return refuse("Missing required input: scannerId or scan")
	}
	resp.Reset()
	var sc *openScanner
	var err error
	if req.HasScannerID {
		sc, err = s.scanners.acquire(req.ScannerID, req.NextCallSeq, req.HasNextCallSeq)
	} else {
		sc, err = s.openScanner(req.Region.Value, c.Param)
	}
	switch {
	case err != nil:
		return err
	case sc == nil:
		r.Message = appendScannerID(r.Message, req.ScannerID)
		return nil
	}
	keep, failed := false, true
	defer func() {
		if keep {
			s.scanners.release(sc)
		} else {
			s.scanners.end(sc, failed)
		}
	}()
	if s.gone(sc.region) {
		return s.notServing(sc.region.Name)
	}
	if req.HasNextCallSeq {
		if req.NextCallSeq != sc.nextSeq {
			keep = req.HasScannerID
			return outOfOrder(sc.nextSeq, req.NextCallSeq)
		}
		sc.nextSeq++
	}
	if req.Renew && req.HasScannerID {
		keep = true
		r.Message = appendScannerID(r.Message, sc.id)
		return nil
	}
	resp.ScannerID, resp.HasScannerID = sc.id, true
	if !req.HasScannerID {
		resp.TTL, resp.HasTTL = uint32(s.limits.ScannerLease.Milliseconds()), true
		resp.ReadPoint, resp.HasReadPoint = sc.sc.ReadPoint(), true
	}
	if err := s.next(ctx, c, r, w, sc); err != nil {
		return err
	}
	if !req.HasScannerID && sc.maxBytes > 0 && sc.maxBytes < tinyResult && s.longScan(c) {
		time.Sleep(tinyPause)
	}
	keep, failed = resp.MoreResults && resp.MoreInRegion && !req.CloseScanner, false
	return nil
}

// appendScannerID appends the answer to a call that had nothing to do: a
// renewal, or a call for a scanner that was closed already. Some clients want
// the id in every answer.
// The asynchronous Java client's result scanner hangs when the first answer of a
// region comes before the thread that asked for it has got round to waiting: on
// resuming from a full cache it then forgets that the cache is full again. Real
// caches hold megabytes and take longer to fill than that; with a result size
// of a few bytes every answer fills one, so that these get a moment's head
// start. (AsyncTableResultScanner.resumePrefetch, seen in 2.6.1.)
const (
	tinyResult = 4 << 10
	tinyPause  = 10 * time.Millisecond
)

func appendScannerID(dst []byte, id uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, 2, protowire.VarintType), id)
}

// openScanner opens the scanner of a ScanRequest. It reads the request again
// from a copy, since the scanner outlives the call.
func (s *Service) openScanner(specifier, param []byte) (*openScanner, error) {
	var req pb.ScanRequest
	if err := req.Decode(bytes.Clone(param)); err != nil {
		return nil, malformed(err)
	}
	scan := new(wide.Scan)
	if err := s.bindScan(scan, &req.Scan); err != nil {
		return nil, s.exception(err, nil, opScan)
	}
	sc := &openScanner{needCursor: req.Scan.NeedCursor}
	if req.Scan.HasMaxResultSize {
		sc.maxBytes = int64(min(req.Scan.MaxResultSize, math.MaxInt64))
	}
	for try := 0; ; try++ {
		region, err := s.region(specifier)
		if err != nil {
			return nil, err
		}
		sc.region = region
		if isVirtual(region) {
			sc.sc, err = s.store.OpenVirtualScanner(s.virtual(region), scan)
		} else {
			sc.sc, err = s.store.OpenScanner(region, scan)
		}
		if again(err, try) {
			continue
		}
		if err != nil {
			return nil, s.exception(err, region, opScan)
		}
		if err := s.scanners.add(sc); err != nil {
			sc.sc.Close()
			return nil, err
		}
		return sc, nil
	}
}

// next reads from an acquired scanner and writes the answer. After an error
// the scanner is of no use any more.
func (s *Service) next(ctx context.Context, c *rpc.Call, r *rpc.Reply, w *work, sc *openScanner) error {
	req, resp := &w.scanRequest, &w.scanResponse
	resp.MoreResults, resp.HasMoreResults = true, true
	rows := uint32(1)
	if req.HasNumberOfRows {
		rows = req.NumberOfRows
	} else if req.CloseScanner {
		rows = 0
	}
	if rows == 0 {
		resp.MoreInRegion = true
		r.Message = pb.AppendScanResponse(r.Message, resp)
		return nil
	}
	limits := s.scanLimits(c, req, sc, rows)
	w.sink.forResult(inBlock, codecOf(c.Client), r.Cells)
	w.sink.counts, w.sink.partial = resp.CellsPerResult[:0], resp.PartialPerResult[:0]
	if c.Client.Codec == rpc.NoCodec {
		w.sink.form, w.sink.buf = inScanResults, r.Message
	}
	p, err := s.readOn(ctx, sc, &limits, &w.sink)
	r.Mark = max(r.Mark, p.Mark)
	if err != nil {
		return s.scanFailed(c, sc, err)
	}
	if !c.Deadline.IsZero() && time.Now().After(c.Deadline) {
		return rpc.Retryf(classTimeout, "Client deadline exceeded, cannot return results")
	}
	w.sink.finish(p.MidRow)
	if w.sink.form == inBlock {
		r.Cells = w.sink.buf
		resp.CellsPerResult, resp.PartialPerResult = w.sink.counts, w.sink.partial
	} else {
		r.Message = w.sink.buf
		resp.CellsPerResult, resp.PartialPerResult = resp.CellsPerResult[:0], resp.PartialPerResult[:0]
	}
	resp.MoreInRegion = !p.Done
	resp.MoreResults = !p.LimitReached && !(p.FilterDone && p.Results == 0)
	if limits.Heartbeats && !p.Done && !p.LimitReached && (p.Results == 0 || time.Now().After(limits.Deadline)) {
		resp.Heartbeat = true
		if sc.needCursor && len(p.Cursor) > 0 {
			resp.Cursor = p.Cursor
		}
	}
	if req.TrackMetrics {
		resp.HasMetrics = true
		resp.Metrics = append(resp.Metrics,
			pb.Metric{Name: "ROWS_SCANNED", Value: p.RowsScanned},
			pb.Metric{Name: "ROWS_FILTERED", Value: p.RowsFiltered},
			pb.Metric{Name: "BLOCK_BYTES_SCANNED", Value: p.BytesRead})
	}
	r.Message = pb.AppendScanResponse(r.Message, resp)
	return nil
}

// scanLimits says how far one call may go. HBase has no bound on bytes but the
// server's for a scan that names none; we have a lower one for clients that can
// tell a short answer from the end, since they handle pieces of rows.
func (s *Service) scanLimits(c *rpc.Call, req *pb.ScanRequest, sc *openScanner, rows uint32) wide.Limits {
	l := wide.Limits{
		Results:  int(min(rows, math.MaxInt32)),
		Partials: req.HandlesPartials,
		Bytes:    s.limits.MaxResultBytes,
	}
	if req.HasLimitOfRows {
		l.Rows = int(max(int32(req.LimitOfRows), 0))
	}
	switch {
	case sc.maxBytes > 0:
		l.Bytes = min(l.Bytes, sc.maxBytes)
	case l.Partials:
		l.Bytes = min(l.Bytes, s.limits.DefaultResultBytes)
	}
	if req.HandlesHeartbeats && req.HandlesPartials {
		now := time.Now()
		left := s.limits.DefaultTimeout
		if !c.Deadline.IsZero() {
			left = c.Deadline.Sub(now)
		}
		l.Heartbeats = true
		l.Deadline = now.Add(max(min(left, s.limits.ScannerLease)/2, s.limits.MinTimeSlice))
	}
	return l
}

// readOn calls Next until there is something to say: a client that does not
// know heartbeats takes an empty answer for the end of the region.
func (s *Service) readOn(ctx context.Context, sc *openScanner, l *wide.Limits, out *sink) (wide.Progress, error) {
	var scanned, filtered, read int64
	for {
		p, err := sc.sc.Next(ctx, l, out)
		p.RowsScanned += scanned
		p.RowsFiltered += filtered
		p.BytesRead += read
		if err != nil || p.Results > 0 || p.Done || p.LimitReached || l.Heartbeats {
			return p, err
		}
		scanned, filtered, read = p.RowsScanned, p.RowsFiltered, p.BytesRead
	}
}

// scanFailed is the answer to an error in the middle of a scan. The client's
// sequence number is used up, so that it must not try again with this scanner:
// it is told to open a new one behind the last row it has, in words that it
// knows.
func (s *Service) scanFailed(c *rpc.Call, sc *openScanner, err error) error {
	e := s.exception(err, sc.region, opScan)
	if e.DoNotRetry || e.Class == classNotServingRegion || errors.Is(err, context.Canceled) {
		return e
	}
	class := classUnknownScanner
	if c.Client.AtLeast(1, 4) {
		class = classScannerReset
	}
	reset := rpc.Errorf(class, "Scanner is closed on the server-side: %s: %s", e.Class, e.Message)
	reset.Cause = err
	return reset
}

// longScan tells whether a scan call may take long: whether it asks for many
// rows or filters them. It looks at the request without decoding it.
func (s *Service) longScan(c *rpc.Call) bool {
	const numberOfRows, limitOfRows, scan, filter = 4, 11, 2, 5
	rows := uint64(1)
	limit := uint64(math.MaxUint64)
	long := false
	walk(c.Param, func(field protowire.Number, v uint64, b []byte) {
		switch field {
		case numberOfRows:
			rows = v
		case limitOfRows:
			limit = v
		case scan:
			walk(b, func(field protowire.Number, _ uint64, _ []byte) {
				long = long || field == filter
			})
		}
	})
	return long || min(rows, limit) > uint64(s.limits.InlineRows)
}

// walk calls f for the varint and bytes fields of a message, up to the first
// that is malformed.
func walk(b []byte, f func(field protowire.Number, v uint64, b []byte)) {
	for len(b) > 0 {
		field, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		b = b[n:]
		var v uint64
		var inner []byte
		switch typ {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			inner, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(field, typ, b)
		}
		if n < 0 {
			return
		}
		f(field, v, inner)
		b = b[n:]
	}
}
