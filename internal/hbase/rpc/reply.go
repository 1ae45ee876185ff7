package rpc

import (
	"time"

	"github.com/basaltdb/basalt/internal/hbase/wire"
)

// settle answers a call that the leader has run. It is false when the connection
// is to end.
func (w *worker) settle(err error) bool {
	w.release()
	w.clock = time.Now()
	var tail []byte
	var end ending
	if w.hold() {
		w.parked, tail, end = w.encode(w.parked[:0], err)
		if w.c.park(w.parked, tail, w.reply.Mark, end) {
			return w.flush() && w.c.waitForRoom()
		}
	} else {
		w.out, tail, end = w.encode(w.out, err)
		end.observe(&w.c.srv.cfg, w.clock)
		if tail != nil {
			ok := w.c.send(w.out, tail) == nil
			w.out = w.out[:0]
			if !ok {
				return false
			}
		}
		if end.fatal {
			w.flush()
			w.c.linger()
			return false
		}
	}
	if len(w.out) >= flushBytes || len(w.out) > 0 && w.clock.Sub(w.readAt) > flushAfter {
		return w.flush()
	}
	return true
}

// finishBeside answers a call that ran beside the leader, and ends the worker.
func (w *worker) finishBeside(err error) {
	c := w.c
	w.release()
	w.clock = time.Now()
	frame, tail, end := w.encode(w.out[:0], err)
	w.out = frame
	if w.hold() {
		c.park(frame, tail, w.reply.Mark, end)
	} else {
		end.observe(&c.srv.cfg, w.clock)
		// A failed write closes the connection: there is nothing else to do.
		_ = c.send(frame, tail)
		if end.fatal {
			c.linger()
		}
	}
	c.finishedBeside()
	w.end()
}

// hold tells whether the reply shows state that the log has not synced yet.
func (w *worker) hold() bool {
	if w.reply.Mark <= w.synced {
		return false
	}
	w.synced = w.c.srv.cfg.Log.Synced()
	return w.reply.Mark > w.synced
}

// encode appends the reply's frame to dst. A large cell block is not appended
// but returned as the frame's tail, valid as long as the reply.
func (w *worker) encode(dst []byte, err error) (frame, tail []byte, end ending) {
	service := w.c.client.Service
	end = ending{service: service, method: "unknown", readAt: w.readAt, in: w.inBytes}
	if w.method != nil {
		end.method = w.name
	}
	start := len(dst)
	if err != nil {
		e, known := toError(err)
		if !known && w.c.ctx.Err() == nil {
			w.c.srv.cfg.Logger.Error("call failed", "service", service, "method", w.name, "client", w.c.client.Remote, "error", err)
		}
		dst = appendError(dst, w.header.CallID, e, service+"."+w.name)
		end.class, end.fatal, end.out = e.Class, e.Fatal, len(dst)-start
		return dst, nil, end
	}
	cells := w.reply.Cells
	if len(cells) > 0 && w.c.compression != wire.NoCompression {
		w.packed = w.c.compression.Compress(w.packed[:0], cells)
		cells = w.packed
	}
	if len(cells) >= directBytes {
		dst, tail = wire.AppendResponseHead(dst, w.header.CallID, w.reply.Message, len(cells)), cells
	} else {
		dst = wire.AppendResponse(dst, w.header.CallID, w.reply.Message, cells)
	}
	end.out = len(dst) - start + len(tail)
	return dst, tail, end
}

// ending is what is left to do once a reply goes out.
type ending struct {
	service, method string
	class           string // of the exception
	readAt          time.Time
	in, out         int
	fatal           bool
}

func (e *ending) observe(cfg *Config, now time.Time) {
	cfg.Metrics.Observe(e.service, e.method, now.Sub(e.readAt), e.class, e.in, e.out)
}

// flush hands the leader's replies to the connection, and waits while the client
// takes none.
func (w *worker) flush() bool {
	if len(w.out) == 0 {
		return true
	}
	err := w.c.send(w.out, nil)
	w.out = w.out[:0]
	return err == nil && w.c.waitForRoom()
}
