package client

// Whatever bytes a server sends, decoding ends with an error or with a result no
// larger than they are.

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// aScan is a response to a scan: three rows, the last one partial.
func aScan() rpc.Response {
	r := pb.ScanResponse{
		ScannerID: 1, HasScannerID: true, MoreResults: true, HasMoreResults: true, MoreInRegion: true,
		CellsPerResult: []uint32{2, 1, 3}, PartialPerResult: []bool{false, false, true},
	}
	var cells []byte
	for i := range 6 {
		cells = wire.AppendKeyValue(cells, &cell.Cell{
			Row: fmt.Appendf(nil, "row%d", i), Family: []byte("f"), Qualifier: []byte("qualifier"), Value: make([]byte, i*7),
			Timestamp: int64(i), Type: cell.Put,
		}, false)
	}
	return rpc.Response{Message: pb.AppendScanResponse(nil, &r), Cells: cells}
}

// check decodes and looks at all that came out.
func check(t *testing.T, r rpc.Response) {
	var header pb.ScanResponse
	results, err := decodeScan(r, &header)
	if err != nil {
		return
	}
	total, cells := 0, 0
	for i := range results {
		_, _ = results[i].Row(), results[i].Value("f", []byte("qualifier"))
		for k := range results[i].Cells {
			c := &results[i].Cells[k]
			total += len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value)
			cells++
		}
	}
	if total > len(r.Cells)+len(r.Message) || cells*minCellBytes > len(r.Cells)+len(r.Message)*minCellBytes {
		t.Fatalf("%d bytes in %d cells out of %d and %d", total, cells, len(r.Message), len(r.Cells))
	}
}

// TestMutatedResponses: cut at every byte, and with every length in turn zero,
// huge, or a little wrong.
func TestMutatedResponses(t *testing.T) {
	good := aScan()
	var header pb.ScanResponse
	if results, err := decodeScan(good, &header); err != nil || len(results) != 3 || !results[2].Partial {
		t.Fatal(results, err)
	}
	for cut := range good.Cells {
		check(t, rpc.Response{Message: good.Message, Cells: good.Cells[:cut]})
	}
	for cut := range good.Message {
		check(t, rpc.Response{Message: good.Message[:cut], Cells: good.Cells})
	}
	rnd := rand.New(rand.NewPCG(6, 6))
	for i := range 20_000 {
		r := rpc.Response{Message: append([]byte(nil), good.Message...), Cells: append([]byte(nil), good.Cells...)}
		if at := rnd.IntN(len(r.Cells)); at+4 <= len(r.Cells) && i%2 == 0 {
			binary.BigEndian.PutUint32(r.Cells[at:], []uint32{0, 1<<31 - 1, 1<<32 - 1, 1 << 16, uint32(len(r.Cells)), rnd.Uint32()}[rnd.IntN(6)])
		} else {
			r.Cells[at] = byte(rnd.Uint32())
		}
		if i%5 == 0 {
			r.Message[rnd.IntN(len(r.Message))] = byte(rnd.Uint32())
		}
		check(t, r)
	}
}

func FuzzScanResponse(f *testing.F) {
	good := aScan()
	f.Add(good.Message, good.Cells)
	f.Add(pb.AppendScanResponse(nil, &pb.ScanResponse{CellsPerResult: []uint32{1 << 31}}), []byte{})
	f.Fuzz(func(t *testing.T, message, cells []byte) { check(t, rpc.Response{Message: message, Cells: cells}) })
}

func FuzzMultiResponse(f *testing.F) {
	ok, m := pb.BeginRegionActionResult(nil)
	ok = pb.AppendActionResult(ok, 0, &pb.Result{CellCount: 1, HasCellCount: true})
	ok = pb.AppendActionException(ok, 1, "a.B", "a.B: c")
	ok = pb.End(ok, m)
	f.Add(ok, aScan().Cells)
	f.Add([]byte{}, []byte{})
	g := &region{Region: Region{Table: "t", Name: []byte("t,,1.0.")}}
	ops := []Op{NewGet([]byte("a")), NewPut([]byte("b")).Add("f", nil, nil), NewGet([]byte("c"))}
	f.Fuzz(func(t *testing.T, message, cells []byte) {
		request := multi{server: &server{addr: "s"}}
		request.addPlain(g, ops[:2], []int{0, 1})
		request.addPlain(g, ops[2:], []int{0})
		request.actions[2] = 2
		results := make([]BatchResult, 3)
		failed := make([]bool, 3)
		request.decode(rpc.Response{Message: message, Cells: cells}, ops, results, func(place int, _ *region, _ error) { failed[place] = true })
		for i, r := range results {
			if get := i != 1; !failed[i] && (!r.Processed || get && r.Result == nil) {
				t.Errorf("operation %d neither failed nor was done: %+v", i, r)
			}
		}
	})
}

func FuzzMutateResponse(f *testing.F) {
	f.Add(pb.AppendMutateResponse(nil, &pb.Result{CellCount: 2, HasCellCount: true}, true), aScan().Cells)
	f.Add(pb.AppendMutateResponse(nil, &pb.Result{CellCount: 1<<31 - 1, HasCellCount: true}, true), []byte{})
	f.Fuzz(func(t *testing.T, message, cells []byte) {
		r, err := decodeMutate(rpc.Response{Message: message, Cells: cells})
		if err == nil && r.Result != nil {
			_ = r.Result.Row()
		}
	})
}
