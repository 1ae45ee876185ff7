package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// Options are what all connections of a client have in common.
type Options struct {
	// Service is the one service that calls go to.
	Service string
	// User is the name that the server sees.
	User string
	// MaxResponseBytes bounds a response; a larger one ends the connection.
	MaxResponseBytes int
	// WriteTimeout bounds how long a server may refuse to read.
	WriteTimeout time.Duration
	// Counters counts; it may be shared.
	Counters *Counters
}

// Counters count what travelled.
type Counters struct {
	Calls, BytesOut, BytesIn, Dials atomic.Uint64
}

// maxPending is how many bytes may wait for the writer before Start waits too.
// A single larger request still goes.
const maxPending = 16 << 20

// keepBuffer is the largest output buffer that is kept between writes.
const keepBuffer = 1 << 20

// tick is how often deadlines are looked at.
const tick = 50 * time.Millisecond

// keyValueCodec is how cell blocks are encoded in both directions.
const keyValueCodec = "org.apache.hadoop.hbase.codec.KeyValueCodec"

// Conn is one connection. It is safe for concurrent use.
type Conn struct {
	nc   net.Conn
	addr string
	o    Options

	raw      syscall.RawConn // nil: no writes by callers
	tryWrite func(fd uintptr) bool
	try      struct { // arguments and results of tryWrite; whoever set writing has them
		b   []byte
		n   int
		err error
	}

	down atomic.Bool   // takes no new calls; set with mu
	wake chan struct{} // rouses the writer; has room for one
	dead chan struct{} // closed at the end
	gone sync.WaitGroup

	mu       sync.Mutex
	table    table
	out      []byte        // requests that nobody has begun to write
	rest     []byte        // what a caller's write left, goes before out
	spare    []byte        // an empty buffer to be out next
	appended uint64        // all bytes that ever went into out
	calls    uint64        // requests in out, for the counters
	writing  bool          // someone writes, outside mu
	ticking  bool          // the writer's timer runs
	retired  bool          // no new calls; closes when the last one ends
	room     chan struct{} // closed when there is room again; nil: nobody waits
	err      error         // why the connection ended
	lastRead time.Time     // when bytes came last
}

// NewConn starts the protocol on a connection, which it owns from here on.
func NewConn(nc net.Conn, o Options) *Conn {
	c := &Conn{
		nc: nc, addr: nc.RemoteAddr().String(), o: o,
		wake: make(chan struct{}, 1), dead: make(chan struct{}), lastRead: time.Now(),
	}
	if s, ok := nc.(syscall.Conn); ok && canTryWrite {
		if raw, err := s.SyscallConn(); err == nil {
			c.raw = raw
			c.tryWrite = func(fd uintptr) bool {
				c.try.n, c.try.err = writeFD(fd, c.try.b)
				return true
			}
		}
	}
	c.out = appendPreamble(c.out, &o)
	c.appended = uint64(len(c.out))
	c.gone.Add(2)
	go c.readLoop()
	go c.writeLoop()
	return c
}

// appendPreamble appends what opens a connection.
//
//	'H' 'B' 'a' 's' | u8 version 0 | u8 auth 80 (simple) | u32 n | ConnectionHeader
//
// The version makes servers of HBase 1.3 and later send cells in cell blocks.
func appendPreamble(dst []byte, o *Options) []byte {
	header := pb.AppendConnectionHeader(nil, &pb.ConnectionHeader{
		EffectiveUser: o.User, Service: o.Service, Codec: keyValueCodec,
		HasVersion: true, Version: "2.6.1", VersionMajor: 2, VersionMinor: 6,
	})
	dst = append(dst, 'H', 'B', 'a', 's', 0, 80)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(header)))
	return append(dst, header...)
}

// Start sends a request. It waits only for room in the connection's buffer.
func (c *Conn) Start(ctx context.Context, r *Request) (*Call, error) { return c.start(ctx, r, false) }

// Post sends a request whose answer does not matter. It does not wait: without
// room the request is dropped.
func (c *Conn) Post(r *Request) {
	_, _ = c.start(canceled, r, true)
}

var canceled = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

func (c *Conn) start(ctx context.Context, r *Request, discard bool) (*Call, error) {
	now := time.Now()
	call := newCall()
	call.conn, call.deadline, call.began, call.discard = c, r.Deadline, now, discard
	c.mu.Lock()
	for c.err == nil && !c.retired && (c.table.full() || len(c.out) > maxPending) {
		if err := c.waitForRoom(ctx); err != nil {
			c.mu.Unlock()
			call.free()
			return nil, &CallError{Server: c.addr, Err: err}
		}
	}
	if c.err != nil || c.retired {
		err := c.err
		if err == nil {
			err = ErrClosed
		}
		c.mu.Unlock()
		call.free()
		return nil, &CallError{Server: c.addr, Err: err}
	}
	c.table.add(call)
	call.start = c.appended
	before := len(c.out)
	c.out = appendFrame(c.out, call.id, r, now)
	c.appended += uint64(len(c.out) - before)
	c.calls++
	rouse := !c.ticking
	c.ticking = true
	switch {
	case c.writing:
		// Whoever writes looks again afterwards.
	case c.raw != nil && c.table.used == 1 && len(c.rest) == 0:
		rouse = c.writeNow() || rouse
	default:
		rouse = true
	}
	c.mu.Unlock()
	if rouse {
		c.rouse()
	}
	return call, nil
}

// waitForRoom waits, without mu, until a call ended or output was written.
func (c *Conn) waitForRoom(ctx context.Context) error {
	if c.room == nil {
		c.room = make(chan struct{})
	}
	room := c.room
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-room:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// madeRoom wakes all who wait for room; with mu.
func (c *Conn) madeRoom() {
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
}

func (c *Conn) rouse() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// appendFrame appends a whole request.
//
//	u32 length of all that follows
//	varint n, RequestHeader | varint n, message | cell block
func appendFrame(dst []byte, id uint32, r *Request, now time.Time) []byte {
	at := len(dst)
	h := pb.RequestHeader{
		CallID: id, RequestParam: true, Priority: r.Priority,
		HasCellBlock: len(r.Cells) > 0, CellBlockLength: uint32(len(r.Cells)),
	}
	if !r.Deadline.IsZero() {
		h.TimeoutMS = uint32(min(max(r.Deadline.Sub(now).Milliseconds(), 1), 1<<31-1))
	}
	// Methods are short: a header has less than 128 bytes, its length one.
	var method [64]byte
	h.Method = append(method[:0], r.Method...)
	dst = append(dst, 0, 0, 0, 0, 0)
	dst = pb.AppendRequestHeader(dst, &h)
	dst[at+4] = byte(len(dst) - at - 5)
	dst = protowire.AppendVarint(dst, uint64(len(r.Message)))
	dst = append(append(dst, r.Message...), r.Cells...)
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// takeOutput takes what waits to be written; with mu. The caller sets writing.
func (c *Conn) takeOutput() []byte {
	b := c.out
	if c.spare == nil {
		c.spare = make([]byte, 0, 4<<10)
	}
	c.out, c.spare = c.spare, nil
	if c.o.Counters != nil {
		c.o.Counters.Calls.Add(c.calls)
		c.o.Counters.BytesOut.Add(uint64(len(b)))
	}
	c.calls = 0
	return b
}

func (c *Conn) returnBuffer(b []byte) {
	if cap(b) <= keepBuffer && c.spare == nil {
		c.spare = b[:0]
	}
}

// writeNow writes the output as far as the socket takes it without waiting; with
// mu, which it lets go meanwhile. It reports whether the writer has to go on.
func (c *Conn) writeNow() (rouse bool) {
	b := c.takeOutput()
	c.writing = true
	c.mu.Unlock()
	c.try.b, c.try.n, c.try.err = b, 0, nil
	err := c.raw.Write(c.tryWrite)
	n := c.try.n
	if err == nil {
		err = c.try.err
	}
	c.try.b = nil
	c.mu.Lock()
	c.writing = false
	if err != nil {
		c.failLocked(err)
		return false
	}
	if n < len(b) {
		c.rest = b[n:]
		return true
	}
	c.returnBuffer(b)
	return len(c.out) > 0
}

// writeLoop writes what callers left to it, and ends calls whose time is up.
func (c *Conn) writeLoop() {
	defer c.gone.Done()
	timer := time.NewTimer(tick)
	defer timer.Stop()
	armed := true
	for {
		select {
		case <-c.dead:
			return
		case <-timer.C:
			if armed = c.expire(); armed {
				timer.Reset(tick)
			}
			continue
		case <-c.wake:
		}
		if !armed {
			timer.Reset(tick)
			armed = true
		}
		// Let all who can run append their requests first.
		runtime.Gosched()
		for c.writeOnce() {
		}
	}
}

// writeOnce writes all output there is, and reports whether there may be more.
func (c *Conn) writeOnce() bool {
	c.mu.Lock()
	if c.err != nil || c.writing || len(c.out) == 0 && len(c.rest) == 0 {
		c.mu.Unlock()
		return false
	}
	rest := c.rest
	c.rest = nil
	b := c.takeOutput()
	c.writing = true
	c.mu.Unlock()
	err := c.nc.SetWriteDeadline(time.Now().Add(c.o.WriteTimeout))
	if err == nil && len(rest) > 0 {
		_, err = c.nc.Write(rest)
	}
	if err == nil && len(b) > 0 {
		_, err = c.nc.Write(b)
	}
	c.mu.Lock()
	c.writing = false
	if err != nil {
		c.failLocked(err)
	} else {
		c.returnBuffer(b)
		c.madeRoom()
	}
	c.mu.Unlock()
	return err == nil
}

// expire ends the calls whose deadline has passed, and reports whether any are
// left. A connection on which nothing came since such a call began takes no new
// ones: its server may be gone without a word.
func (c *Conn) expire() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	now := time.Now()
	c.table.each(func(call *Call) {
		if call.deadline.IsZero() || now.Before(call.deadline) {
			return
		}
		c.table.take(call.id)
		call.err = &CallError{Sent: c.sent(call), Server: c.addr, Err: ErrTimeout}
		if c.lastRead.Before(call.began) {
			c.retired = true
			c.down.Store(true)
		}
		call.complete()
		c.madeRoom()
	})
	if c.retired && c.table.used == 0 {
		c.failLocked(ErrTimeout)
	}
	c.ticking = c.table.used > 0
	return c.ticking
}

// sent tells whether a call's request may have left; with mu.
func (c *Conn) sent(call *Call) bool { return call.start < c.appended-uint64(len(c.out)) }

// Wait waits for the answer to a call. The error is an *Exception or a
// *CallError.
func (call *Call) Wait(ctx context.Context) (Response, error) {
	if done := ctx.Done(); done == nil {
		<-call.done
	} else {
		select {
		case <-call.done:
		case <-done:
			c := call.conn
			c.mu.Lock()
			if c.table.take(call.id) == call {
				err := &CallError{Sent: c.sent(call), Server: c.addr, Err: ctx.Err()}
				c.madeRoom()
				if c.retired && c.table.used == 0 {
					c.failLocked(ErrTimeout)
				}
				c.mu.Unlock()
				call.free()
				return Response{}, err
			}
			c.mu.Unlock()
			<-call.done
		}
	}
	r, err := call.response, call.err
	call.free()
	return r, err
}

// Do sends a request and waits for its answer.
func (c *Conn) Do(ctx context.Context, r *Request) (Response, error) {
	call, err := c.Start(ctx, r)
	if err != nil {
		return Response{}, err
	}
	return call.Wait(ctx)
}

// Retire makes the connection take no new calls and end after the last of those
// in flight.
func (c *Conn) Retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = true
	c.down.Store(true)
	if c.table.used == 0 {
		c.failLocked(ErrClosed)
	}
}

// Usable is false for a connection that takes no new calls.
func (c *Conn) Usable() bool { return !c.down.Load() }

// Close ends the connection; calls in flight end with ErrClosed. It returns when
// the connection's goroutines have ended.
func (c *Conn) Close() {
	c.fail(ErrClosed)
	c.gone.Wait()
}

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failLocked(err)
}

func (c *Conn) failLocked(err error) {
	if c.err != nil {
		return
	}
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		err = fmt.Errorf("the server does not read: %w", ErrTimeout)
	}
	c.err = err
	c.down.Store(true)
	close(c.dead)
	_ = c.nc.Close()
	c.table.each(func(call *Call) {
		c.table.take(call.id)
		call.err = &CallError{Sent: c.sent(call), Server: c.addr, Err: err}
		call.complete()
	})
	c.madeRoom()
}
