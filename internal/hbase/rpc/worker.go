package rpc

import (
	"runtime/debug"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/kv"
)

const (
	// flushBytes of replies go out even when the input is not drained.
	flushBytes = 64 << 10
	// flushAfter is how long replies wait for the input to be drained.
	flushAfter = time.Millisecond
	// directBytes of cells are written from where they are: too many to copy.
	directBytes = 256 << 10
	// keepBytes is how large a buffer a worker keeps while its connection waits
	// for input, keepPoolBytes in the pool.
	keepBytes     = 256 << 10
	keepPoolBytes = 4 << 20
)

// worker is what it takes to run calls: one call at a time. A worker leads its
// connection, or runs one call beside the leader.
type worker struct {
	c      *conn
	in     input     // the leader's
	out    []byte    // the leader's: replies not handed to the connection yet
	synced kv.Mark   // at least so far is the log synced
	readAt time.Time // when the frame came
	clock  time.Time // read lately

	header  pb.RequestHeader
	method  *method // nil: unknown
	name    string  // of the method
	call    Call
	reply   Reply
	inBytes int // of the frame

	copied  []byte // parameter and cells of a call beside the leader
	charged int    // bytes of MaxQueuedBytes that the call holds
	cells   []byte // decompressed cells of the call
	packed  []byte // compressed cells of the reply
	parked  []byte // frame of a reply to be parked
}

var workers = sync.Pool{New: func() any { return new(worker) }}

func newWorker(c *conn) *worker {
	w := workers.Get().(*worker)
	w.c = c
	return w
}

// end drops the worker and its hold on the connection.
func (w *worker) end() {
	c := w.c
	w.discard()
	c.unref()
}

// discard puts the worker back into the pool.
func (w *worker) discard() {
	w.release()
	w.in.free(w.c.srv)
	w.trim(keepPoolBytes)
	w.c, w.method, w.name, w.synced, w.out = nil, nil, "", 0, w.out[:0]
	w.call, w.header = Call{}, pb.RequestHeader{}
	workers.Put(w)
}

// trim drops buffers that are larger than keep.
func (w *worker) trim(keep int) {
	for _, b := range [...]*[]byte{&w.out, &w.copied, &w.cells, &w.packed, &w.parked, &w.reply.Message, &w.reply.Cells} {
		if cap(*b) > keep {
			*b = nil
		}
	}
}

// takeOver makes w the heir of a leader that is busy with a call: of what was
// read and not served, and of the replies not written.
func (w *worker) takeOver(old *worker) {
	w.in.takeOver(&old.in, w.c.srv)
	w.out, old.out = old.out, w.out
	w.clock, w.readAt = old.clock, old.readAt
}

// lead reads and serves until the connection ends or the lead is lost.
func (w *worker) lead() {
	for {
		body, state, need := w.in.next(w.c.srv.cfg.MaxFrameBytes)
		goOn := false
		switch state {
		case frameComplete:
			var lost bool
			if goOn, lost = w.serve(body); lost {
				return
			}
		case framePartial:
			goOn = w.flush() && w.readMore(need)
		case frameTooBig:
			w.refuseFrame(need)
		}
		if !goOn {
			break
		}
	}
	// The client is gone or was told why, or the server drains. In a drain,
	// what else runs still answers, and the last one closes.
	if !w.c.srv.isDraining() {
		w.c.abort()
	}
	w.end()
}

// readMore reads once towards a frame of need bytes.
func (w *worker) readMore(need int) bool {
	c := w.c
	if !w.in.makeRoom(need, c.srv) {
		return w.shed(need)
	}
	w.trim(keepBytes)
	c.midway.Store(w.in.w > w.in.r)
	if err := w.in.read(c.nc); err != nil {
		return false
	}
	w.readAt = time.Now()
	w.clock = w.readAt
	c.readAt.Store(w.readAt.UnixNano())
	return true
}

// shed answers the call of a frame of need bytes for which there is no memory
// and skips it.
func (w *worker) shed(need int) bool {
	c := w.c
	if !w.peekHeader() {
		c.refuse(classFatalConnection, "malformed request")
		return false
	}
	w.inBytes = need
	ok := w.settle(queueTooBig())
	return ok && w.flush() && w.in.discard(c.nc, need) == nil
}

// refuseFrame answers the call of a frame that is too large, as far as its
// header comes soon, and ends the connection.
func (w *worker) refuseFrame(bytes int) {
	c := w.c
	if !w.flush() || c.nc.SetReadDeadline(time.Now().Add(c.srv.cfg.HandshakeTimeout)) != nil {
		return
	}
	for !w.peekHeader() {
		// The header is a small part of a read buffer.
		if w.in.w-w.in.r >= inputBytes/2 || !w.in.makeRoom(inputBytes/2, c.srv) || w.in.read(c.nc) != nil {
			return
		}
	}
	class := classDoNotRetry
	if c.client.AtLeast(1, 3) {
		class = classRequestTooBig
	}
	e := Errorf(class, "a request of %d bytes, the limit is %d", bytes, c.srv.cfg.MaxFrameBytes)
	e.Fatal = true
	w.inBytes = bytes
	w.settle(e)
}

// peekHeader reads the header of the frame that comes next, which is not there
// in full.
func (w *worker) peekHeader() bool {
	w.begin()
	front := w.in.buf[w.in.r:w.in.w]
	if len(front) < wire.FrameHeadBytes || !wire.ParseRequestHeader(front[wire.FrameHeadBytes:], &w.header) {
		return false
	}
	w.lookUp()
	return w.header.HasCallID
}

// begin clears what the last call left.
func (w *worker) begin() {
	w.header, w.method, w.name = pb.RequestHeader{}, nil, ""
	w.reply.Message, w.reply.Cells, w.reply.Mark = w.reply.Message[:0], w.reply.Cells[:0], 0
}

func (w *worker) lookUp() (ok bool) {
	if w.method, ok = w.c.methods[string(w.header.Method)]; ok {
		w.name = w.method.name
	} else {
		w.name = string(w.header.Method[:min(len(w.header.Method), 100)])
	}
	return ok
}

// serve runs the call of one frame, or has it run. goOn is false when the
// connection is to end; lost tells that w is no more.
func (w *worker) serve(body []byte) (goOn, lost bool) {
	c := w.c
	w.inBytes = wire.FrameHeadBytes + len(body)
	w.begin()
	param, cells, err := wire.ParseRequest(body, &w.header)
	if !w.header.HasCallID {
		// Nothing can be answered, and who knows where the next frame is.
		w.flush()
		c.refuse(classFatalConnection, "malformed request")
		return false, false
	}
	if err == nil {
		err = w.prepare(param, cells)
	}
	if err != nil {
		return w.settle(asRefusal(err)), false
	}
	if d := w.call.Deadline; !d.IsZero() && w.clock.After(d) {
		// The client has given up: HBase does not answer either.
		c.srv.dropped.Add(1)
		w.release()
		return true, false
	}
	if m := w.method; m.Blocking || m.MayBlock != nil && m.MayBlock(&w.call) {
		return w.runBeside(), false
	}
	turn := c.turn.Add(1)
	c.srv.startedCall()
	err = w.run()
	if c.turn.CompareAndSwap(turn, turn+1) {
		return w.settle(err), false
	}
	// The lead is lost. Wait until the heir has all.
	c.out.handedOver()
	w.finishBeside(err)
	return false, true
}

// asRefusal makes a decoder's error an exception that is not retried.
func asRefusal(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return Errorf(classDoNotRetry, "%v", err)
}

// prepare fills the call. An error is its answer.
func (w *worker) prepare(param, cells []byte) error {
	c := w.c
	if !w.lookUp() {
		return Errorf(classDoNotRetry, "java.lang.UnsupportedOperationException: %s", w.name)
	}
	if !w.header.RequestParam {
		return Errorf(classDoNotRetry, "Invalid request header: %s came without its parameter", w.name)
	}
	if len(cells) > 0 && c.compression != wire.NoCompression {
		var err error
		if w.cells, err = c.compression.Decompress(w.cells[:0], cells, c.srv.cfg.MaxFrameBytes); err != nil {
			return err
		}
		cells = w.cells
		if !w.charge(len(cells)) {
			return queueTooBig()
		}
	}
	w.call = Call{
		Client:   &c.client,
		Method:   w.name,
		Param:    param,
		Cells:    cells,
		Received: w.readAt,
		Priority: w.header.Priority,
	}
	if w.header.TimeoutMS > 0 {
		w.call.Deadline = w.readAt.Add(time.Duration(w.header.TimeoutMS) * time.Millisecond)
	}
	return nil
}

func queueTooBig() *Error {
	e := Retryf(classCallQueueTooBig, "Call queue is full: the server holds as many bytes of requests as it may")
	e.Overloaded = true
	return e
}

// charge takes bytes of MaxQueuedBytes for the call; release gives them back.
func (w *worker) charge(n int) bool {
	if !w.c.srv.acquire(n) {
		return false
	}
	w.charged += n
	return true
}

func (w *worker) release() {
	if w.charged > 0 {
		w.c.srv.release(w.charged)
		w.charged = 0
	}
}

// run calls the handler. A panic is the call's failure, not the server's.
func (w *worker) run() (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.c.srv.cfg.Logger.Error("panic in a call", "service", w.method.service, "method", w.method.name,
				"client", w.call.Client.Remote, "panic", p, "stack", string(debug.Stack()))
			err = Errorf(classDoNotRetry, "internal error: the server failed in %s", w.method.name)
		}
	}()
	return w.method.Handle(w.c.ctx, &w.call, &w.reply)
}

// runBeside gives the call, with copies of its bytes, a goroutine of its own.
func (w *worker) runBeside() bool {
	c := w.c
	if !w.charge(len(w.call.Param) + len(w.call.Cells)) {
		return w.settle(queueTooBig())
	}
	b := newWorker(c)
	b.begin()
	b.header, b.method, b.name, b.inBytes, b.readAt = w.header, w.method, w.name, w.inBytes, w.readAt
	b.header.Method = nil // aliases the input
	b.charged, w.charged = w.charged, 0
	b.copied = append(append(b.copied[:0], w.call.Param...), w.call.Cells...)
	n := len(w.call.Param)
	b.call = w.call
	b.call.Param, b.call.Cells = b.copied[:n:n], b.copied[n:]
	if !c.startBeside(w) {
		b.discard()
		return false
	}
	go func() { b.finishBeside(b.run()) }()
	return true
}
