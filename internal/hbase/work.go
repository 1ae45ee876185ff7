package hbase

import (
	"sync"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// work is what one call needs, reused by the next: decoded requests, bound
// operations, buffers. Nothing in it outlives the call.
type work struct {
	getRequest    pb.GetRequest
	mutateRequest pb.MutateRequest
	multiRequest  pb.MultiRequest
	scanRequest   pb.ScanRequest
	scanResponse  pb.ScanResponse
	regionAction  pb.RegionAction
	action        pb.Action

	get       wide.Get
	mutation  wide.Mutation
	condition wide.Condition
	sink      sink

	// Of a Multi: the cells of the mutations at hand, the mutations, their
	// places in the region action and their errors, what each action answers,
	// and the inline cells of answers.
	arena     []cell.Cell
	mutations []*wide.Mutation
	places    []int
	errs      []error
	answers   []answer
	inline    []byte
}

// maxKept bounds the capacity of the slices and buffers that are kept for the
// next call.
const maxKept = 4 << 10

var works = sync.Pool{New: func() any { return new(work) }}

func takeWork() *work { return works.Get().(*work) }

// giveWork returns w. References into the call's buffers stay behind; they are
// overwritten before they are read.
func giveWork(w *work) {
	w.sink.buf = nil
	w.get.Filter, w.condition.Filter = nil, nil
	if cap(w.arena) > maxKept || cap(w.answers) > maxKept || cap(w.mutations) > maxKept || cap(w.inline) > 16*maxKept {
		w.arena, w.mutations, w.places, w.errs, w.answers, w.inline = nil, nil, nil, nil, nil, nil
	}
	works.Put(w)
}

// codecOf is the codec of the client's cell blocks.
func codecOf(c *rpc.Client) wire.Codec { return wire.Codec(c.Codec) }

// resultForm is how a client takes a single result.
func resultForm(c *rpc.Client) sinkForm {
	if c.Codec == rpc.NoCodec {
		return inline
	}
	return inBlock
}
