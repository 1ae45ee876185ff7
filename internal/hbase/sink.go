package hbase

import (
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// sinkForm is how a sink passes cells on.
type sinkForm uint8

const (
	// counted: not at all (existence_only).
	counted sinkForm = iota
	// inBlock: encoded with the client's codec, for the cell block.
	inBlock
	// inline: as fields of a Result message that the caller has opened.
	inline
	// inScanResults: as inline results of a ScanResponse, one after the other.
	inScanResults
)

// sink takes the cells that package wide emits and appends them to buf, at
// once: nothing of a cell is kept.
type sink struct {
	form  sinkForm
	codec wire.Codec
	buf   []byte
	total int // cells

	// What follows is for scans. In a block a result is a count and a flag,
	// inline it is a message that stays open until it is known to be the last
	// of its row.
	cells   uint32
	counts  []uint32
	partial []bool
	open    bool
	mark    pb.Mark
}

// forResult starts on one result that goes to the cell block or, inline, into a
// message that the caller has opened in buf.
func (k *sink) forResult(form sinkForm, codec wire.Codec, buf []byte) {
	*k = sink{form: form, codec: codec, buf: buf, counts: k.counts[:0], partial: k.partial[:0]}
}

// Cell implements wide.Emitter.
func (k *sink) Cell(c *cell.Cell) {
	k.total++
	k.cells++
	switch k.form {
	case inBlock:
		k.buf = wire.AppendCell(k.buf, k.codec, c)
	case inline:
		k.buf = pb.AppendResultCell(k.buf, c)
	case inScanResults:
		if k.open && k.cells == 1 {
			k.closeResult()
		}
		if !k.open {
			k.buf, k.mark = pb.BeginScanResult(k.buf)
			k.open = true
		}
		k.buf = pb.AppendResultCell(k.buf, c)
	}
}

// EndResult implements wide.Emitter.
func (k *sink) EndResult(partial bool) {
	k.counts = append(k.counts, k.cells)
	k.partial = append(k.partial, partial)
	k.cells = 0
}

func (k *sink) closeResult() {
	k.buf = pb.EndScanResult(k.buf, k.mark, k.partial[len(k.partial)-1])
	k.open = false
}

// finish ends the results of a scan call. midRow says that the last row goes
// on; otherwise the last result is the last of its row, whatever it looked like
// when it was cut: a client would wait for the rest and not count the row.
func (k *sink) finish(midRow bool) {
	if n := len(k.partial); n > 0 && !midRow {
		k.partial[n-1] = false
	}
	if k.open {
		k.closeResult()
	}
}
