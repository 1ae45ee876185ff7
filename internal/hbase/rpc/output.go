package rpc

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// writeBytes is the most that goes into one write: a client that takes so much
// within the stall timeout is alive.
const writeBytes = 1 << 20

// output is what a connection's goroutines share to answer.
type output struct {
	mu sync.Mutex // guards all of it
	// room is told of everything that somebody may wait for.
	room   *sync.Cond
	closed bool

	// One goroutine writes; what others send meanwhile is pending, and the
	// writer takes it along.
	writing bool
	pending []byte
	spare   []byte // the buffer that pending was before

	// Replies that wait for the log: frames one after the other, and an entry
	// for each. awaited has the mark of each goroutine that waits: nearly
	// always one. A reply with a smaller mark than all of them, which a reader
	// of older rows has, starts another.
	frames  []byte
	parked  []parkedReply
	awaited []kv.Mark

	calls int // that run beside the leader
}

type parkedReply struct {
	mark kv.Mark
	n    int // bytes of the frame
	ending
}

func (o *output) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.room.Broadcast()
}

// handedOver returns once no change of leaders is under way.
func (o *output) handedOver() {
	o.mu.Lock()
	defer o.mu.Unlock()
}

// idle tells whether nothing is under way.
func (o *output) idle() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.calls == 0 && len(o.parked) == 0 && !o.writing
}

// send writes frame and tail, or leaves copies to whoever writes now. An error
// means that the connection is closed.
func (c *conn) send(frame, tail []byte) error {
	o := &c.out
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return net.ErrClosed
	}
	if o.writing {
		o.pending = append(append(o.pending, frame...), tail...)
		o.mu.Unlock()
		return nil
	}
	o.writing = true
	o.mu.Unlock()

	err := errors.Join(c.write(frame), c.write(tail))
	for err == nil {
		o.mu.Lock()
		if len(o.pending) == 0 {
			o.writing = false
			o.mu.Unlock()
			o.room.Broadcast()
			break
		}
		batch := o.pending
		o.pending = o.spare[:0]
		o.mu.Unlock()
		o.room.Broadcast()
		err = c.write(batch)
		o.mu.Lock()
		if o.spare = batch; cap(batch) > keepBytes {
			o.spare = nil
		}
		o.mu.Unlock()
	}
	if err != nil {
		c.abort()
	}
	return err
}

// write writes to the socket. Only the one writer may.
func (c *conn) write(b []byte) error {
	for len(b) > 0 {
		piece := b[:min(len(b), writeBytes)]
		c.writeAt.Store(time.Now().UnixNano())
		_, err := c.nc.Write(piece)
		c.writeAt.Store(0)
		if err != nil {
			return err
		}
		b = b[len(piece):]
	}
	return nil
}

// waitForRoom waits while the client has too many replies to take. It is false
// when the connection is closed.
func (c *conn) waitForRoom() bool {
	o := &c.out
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed && len(o.pending)+len(o.frames) > c.srv.cfg.MaxPendingBytes {
		o.room.Wait()
	}
	return !o.closed
}

// waitWritten returns once everything sent so far is written.
func (c *conn) waitWritten() {
	o := &c.out
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed && o.writing {
		o.room.Wait()
	}
}

// startBeside counts a call that will run beside the leader, and waits while
// there are too many. It is false when the connection is closed.
func (c *conn) startBeside(leader *worker) bool {
	o, limit := &c.out, c.srv.cfg.MaxCallsPerConnection
	o.mu.Lock()
	if o.calls >= limit {
		o.mu.Unlock()
		if !leader.flush() {
			return false
		}
		o.mu.Lock()
		for !o.closed && o.calls >= limit {
			o.room.Wait()
		}
	}
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.calls++
	c.refs.Add(1)
	c.srv.running.Add(1)
	return true
}

func (c *conn) finishedBeside() {
	c.srv.running.Add(-1)
	c.out.mu.Lock()
	c.out.calls--
	c.out.mu.Unlock()
	c.out.room.Broadcast()
}

// park keeps a reply until the log is synced up to mark. full tells a leader
// that it must waitForRoom.
func (c *conn) park(frame, tail []byte, mark kv.Mark, end ending) (full bool) {
	o := &c.out
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	o.frames = append(append(o.frames, frame...), tail...)
	o.parked = append(o.parked, parkedReply{mark, len(frame) + len(tail), end})
	if !o.isAwaited(mark) {
		o.awaited = append(o.awaited, mark)
		c.refs.Add(1)
		c.release(mark)
	}
	return len(o.frames) > c.srv.cfg.MaxPendingBytes
}

// isAwaited tells whether somebody waits for the mark or an earlier one. The
// caller holds mu.
func (o *output) isAwaited(mark kv.Mark) bool {
	for _, m := range o.awaited {
		if m <= mark {
			return true
		}
	}
	return false
}

// nextAwaited puts another mark in place of one that was awaited: that of the
// reply that can go out first. It is false when the rest is for others to wait
// for.
func (o *output) nextAwaited(done kv.Mark) (next kv.Mark, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.awaited, done)
	o.awaited = slices.Delete(o.awaited, i, i+1)
	if o.closed || len(o.parked) == 0 {
		return 0, false
	}
	next = o.parked[0].mark
	for i := range o.parked {
		next = min(next, o.parked[i].mark)
	}
	if o.isAwaited(next) {
		return 0, false
	}
	o.awaited = append(o.awaited, next)
	return next, true
}

// takeSynced moves the replies up to a mark into batch, in the order in which
// they were parked, and keeps the others.
func (o *output) takeSynced(synced kv.Mark, batch []byte, ends []ending) ([]byte, []ending) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept, keptBytes, at := 0, 0, 0
	for _, p := range o.parked {
		frame := o.frames[at : at+p.n]
		at += p.n
		if p.mark <= synced {
			batch, ends = append(batch, frame...), append(ends, p.ending)
			continue
		}
		o.parked[kept] = p
		kept++
		keptBytes += copy(o.frames[keptBytes:], frame)
	}
	clear(o.parked[kept:])
	o.parked, o.frames = o.parked[:kept], o.frames[:keptBytes]
	if kept == 0 && cap(o.frames) > keepBytes {
		o.frames = nil
	}
	o.room.Broadcast()
	return batch, ends
}
