package hbase

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

const classInterpreters = "org.apache.hadoop.hbase.client.coprocessor."

// aggregate is AggregateService: it reads a region and answers with one number,
// or with the numbers that the client makes an average of. Cells that are not 8
// bytes wide do not count.
func (s *Service) aggregate(ctx context.Context, r *catalog.Region, method string, request []byte) (*serviceAnswer, kv.Mark, error) {
	var req pb.AggregateRequest
	if err := req.Decode(request); err != nil {
		return nil, 0, malformed(err)
	}
	scan := new(wide.Scan)
	if err := s.bindScan(scan, &req.Scan); err != nil {
		return nil, 0, err
	}
	scan.Batch, scan.ReadPoint = 0, 0
	var answer func() pb.AggregateResponse
	var out wide.Emitter
	switch interpreter := string(req.Interpreter); {
	case method == "GetRowNum":
		out, answer = countRows(scan)
	case interpreter == classInterpreters+"LongColumnInterpreter":
		out, answer = aggregateOf(method, readLong, appendLong)
	case interpreter == classInterpreters+"DoubleColumnInterpreter":
		out, answer = aggregateOf(method, readDouble, appendDouble)
	default:
		return nil, 0, refuse("AggregateService does not know the column interpreter %.200q", interpreter)
	}
	if answer == nil {
		return nil, 0, refuse("java.lang.UnsupportedOperationException: AggregateService.%.200s", method)
	}
	mark, err := s.readAll(ctx, r, scan, out)
	if err != nil {
		return nil, mark, s.exception(err, r, opScan)
	}
	response := answer()
	return &serviceAnswer{
		class: "org.apache.hadoop.hbase.protobuf.generated.AggregateProtos$AggregateResponse",
		value: pb.AppendAggregateResponse(nil, &response),
	}, mark, nil
}

// readAll gives out all rows of a scan of one region.
func (s *Service) readAll(ctx context.Context, r *catalog.Region, scan *wide.Scan, out wide.Emitter) (mark kv.Mark, err error) {
	sc, err := s.store.OpenScanner(r, scan)
	if err != nil {
		return 0, err
	}
	defer sc.Close()
	for {
		p, err := sc.Next(ctx, &wide.Limits{Bytes: s.limits.DefaultResultBytes}, out)
		mark = max(mark, p.Mark)
		if err != nil || p.Done {
			return mark, err
		}
	}
}

// rowCounter counts rows.
type rowCounter struct{ rows int64 }

func (c *rowCounter) Cell(*cell.Cell) {}
func (c *rowCounter) EndResult(bool)  { c.rows++ }

func countRows(scan *wide.Scan) (wide.Emitter, func() pb.AggregateResponse) {
	named := false
	for i := range scan.Columns {
		named = named || scan.Columns[i].Qualifiers != nil
	}
	if scan.Filter == nil && !named {
		scan.StoreLimit, scan.StoreOffset = 1, 0
	}
	c := new(rowCounter)
	return c, func() pb.AggregateResponse {
		return pb.AggregateResponse{FirstParts: [][]byte{binary.BigEndian.AppendUint64(nil, uint64(c.rows))}}
	}
}

// numbers collects what all the aggregates need: HBase squares the sums of rows
// for the standard deviation, not the cells.
type numbers[T int64 | float64] struct {
	read             func([]byte) T
	rows, cells      int64
	low, high        T
	sum, squares, in T // in: of the row at hand
}

func (n *numbers[T]) Cell(c *cell.Cell) {
	if len(c.Value) != 8 {
		return
	}
	v := n.read(c.Value)
	if n.cells == 0 || cmp.Less(v, n.low) {
		n.low = v
	}
	if n.cells == 0 || cmp.Less(n.high, v) {
		n.high = v
	}
	n.cells++
	n.sum += v
	n.in += v
}

func (n *numbers[T]) EndResult(bool) {
	n.rows++
	n.squares += n.in * n.in
	n.in = 0
}

// aggregateOf returns no function for a method that is not there. Without any
// cell that counts the answer is empty.
func aggregateOf[T int64 | float64](method string, read func([]byte) T, message func(T) []byte) (wide.Emitter, func() pb.AggregateResponse) {
	n := &numbers[T]{read: read}
	part := func(values ...*T) func() pb.AggregateResponse {
		return func() (r pb.AggregateResponse) {
			for _, v := range values {
				if n.cells > 0 {
					r.FirstParts = append(r.FirstParts, message(*v))
				}
			}
			return r
		}
	}
	counted := func(first func() pb.AggregateResponse) func() pb.AggregateResponse {
		return func() pb.AggregateResponse {
			r := first()
			if n.cells > 0 {
				r.SecondPart, r.HasSecondPart = binary.BigEndian.AppendUint64(nil, uint64(n.rows)), true
			}
			return r
		}
	}
	switch method {
	case "GetMax":
		return n, part(&n.high)
	case "GetMin":
		return n, part(&n.low)
	case "GetSum":
		return n, part(&n.sum)
	case "GetAvg":
		return n, counted(part(&n.sum))
	case "GetStd":
		return n, counted(part(&n.sum, &n.squares))
	}
	return n, nil
}

func readLong(b []byte) int64     { return int64(binary.BigEndian.Uint64(b)) }
func readDouble(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }

// appendLong is a LongMsg, appendDouble a DoubleMsg.
func appendLong(v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(v))
}

func appendDouble(v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(v))
}
