package pb

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// Result describes a Result message. Its cells are inline (Cells), or in the
// cell block (CellCount of them, HasCellCount set). A client refuses both
// exists and cells.
type Result struct {
	Cells        []cell.Cell
	CellCount    int32
	HasCellCount bool
	Exists       bool
	HasExists    bool
	Stale        bool
	Partial      bool
}

// AppendResult appends a Result message.
func AppendResult(dst []byte, r *Result) []byte {
	for i := range r.Cells {
		dst = AppendResultCell(dst, &r.Cells[i])
	}
	if r.HasCellCount {
		dst = appendUint(dst, 2, uint64(int64(r.CellCount)))
	}
	if r.HasExists {
		dst = appendBool(dst, 3, r.Exists)
	}
	if r.Stale {
		dst = appendBool(dst, 4, true)
	}
	if r.Partial {
		dst = appendBool(dst, 5, true)
	}
	return dst
}

// AppendResultCell appends an inline cell to an open Result. Tags stay here:
// clients are never sent any.
func AppendResultCell(dst []byte, c *cell.Cell) []byte {
	size := sizeBytes(len(c.Row)) + sizeBytes(len(c.Family)) + sizeBytes(len(c.Qualifier)) +
		1 + sizeVarint(uint64(c.Timestamp)) + 1 + sizeVarint(uint64(c.Type)) + sizeBytes(len(c.Value))
	dst = protowire.AppendVarint(append(dst, 1<<3|length), uint64(size))
	dst = appendBytes(dst, 1, c.Row)
	dst = appendBytes(dst, 2, c.Family)
	dst = appendBytes(dst, 3, c.Qualifier)
	dst = appendUint(dst, 4, uint64(c.Timestamp))
	dst = appendUint(dst, 5, uint64(c.Type))
	return appendBytes(dst, 6, c.Value)
}

// BeginGetResult opens the Result of a GetResponse.
func BeginGetResult(dst []byte) ([]byte, Mark) { return begin(dst, 1) }

// AppendGetResponse appends a whole GetResponse.
func AppendGetResponse(dst []byte, r *Result) []byte {
	dst, m := BeginGetResult(dst)
	return End(AppendResult(dst, r), m)
}

// AppendMutateResponse appends a whole MutateResponse. r may be nil.
func AppendMutateResponse(dst []byte, r *Result, processed bool) []byte {
	if r != nil {
		var m Mark
		dst, m = begin(dst, 1)
		dst = End(AppendResult(dst, r), m)
	}
	return appendBool(dst, 2, processed)
}

// AppendMutateResult appends a whole MutateResponse that leaves processed out,
// as the answers to unguarded increments and appends do.
func AppendMutateResult(dst []byte, r *Result) []byte {
	dst, m := begin(dst, 1)
	return End(AppendResult(dst, r), m)
}
