package client

import (
	"fmt"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// decodeScan reads a response to a scan call: its header and its results, which
// are in the cell block or inline.
func decodeScan(response rpc.Response, header *pb.ScanResponse) ([]Result, error) {
	if err := header.Decode(response.Message); err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if len(header.CellsPerResult) == 0 {
		return decodeInline(response.Message)
	}
	total, rows := 0, 0
	for _, n := range header.CellsPerResult {
		total += int(n)
		rows += int(min(n, 1))
	}
	cells := newCellReader(response.Cells)
	if total > cells.block.Rest()/minCellBytes {
		return nil, fmt.Errorf("%w: %d cells in %d bytes", errMalformed, total, cells.block.Rest())
	}
	cells.reserve(total)
	results := make([]Result, 0, rows)
	for i, n := range header.CellsPerResult {
		if n == 0 {
			continue
		}
		r := Result{Stale: header.Stale}
		var err error
		if r.Cells, err = cells.take(int(n)); err != nil {
			return nil, err
		}
		if i < len(header.PartialPerResult) {
			r.Partial = header.PartialPerResult[i]
		}
		results = append(results, r)
	}
	if n := cells.block.Rest(); n > 0 {
		return nil, fmt.Errorf("%w: %d bytes behind the last cell", errMalformed, n)
	}
	return results, nil
}

func decodeInline(message []byte) ([]Result, error) {
	var results []Result
	var m pb.Result
	it := pb.NewScanResults(message)
	for it.Next(&m) {
		results = append(results, Result{})
		var none cellReader
		if err := none.result(&m, &results[len(results)-1]); err != nil {
			return nil, err
		}
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return results, nil
}
