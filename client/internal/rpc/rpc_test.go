package rpc

// Frames are cut right however the stream is chopped, calls meet their answers
// whatever the order, and no bytes of a server do more than end a connection.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
)

func newReader(r io.Reader, limit int) *reader {
	return &reader{from: r, max: limit, buf: make([]byte, readBuffer), read: func(int) {}}
}

func TestFrames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var stream []byte
	var want [][]byte
	for i := range 200 {
		n := r.IntN(100)
		if i%10 == 0 {
			n = r.IntN(4 * readBuffer)
		}
		if i%37 == 0 {
			n = smallFrame + i%3 - 1
		}
		frame := make([]byte, n)
		for k := range frame {
			frame[k] = byte(r.Uint32())
		}
		want = append(want, frame)
		stream = append(binary.BigEndian.AppendUint32(stream, uint32(n)), frame...)
	}
	for _, from := range []io.Reader{
		bytes.NewReader(stream), iotest.HalfReader(bytes.NewReader(stream)), iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		in := newReader(from, 1<<20)
		for i, w := range want {
			got, _, err := in.next()
			if err != nil || !bytes.Equal(got, w) {
				t.Fatalf("frame %d of %d bytes: %d bytes, %v", i, len(w), len(got), err)
			}
		}
		if _, _, err := in.next(); err != io.EOF {
			t.Fatal(err)
		}
	}
	for cut := range 100 {
		in := newReader(bytes.NewReader(stream[:len(stream)-1-cut]), 1<<20)
		var err error
		for err == nil {
			_, _, err = in.next()
		}
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	}
	if _, _, err := newReader(bytes.NewReader([]byte("\x00\x10\x00\x01")), 1<<20).next(); !errors.Is(err, ErrMalformed) {
		t.Fatal(err)
	}
}

// pair is a connection and the server's end of it, past the preamble.
func pair(t *testing.T) (*Conn, net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := NewConn(nc, Options{Service: "S", User: "u", MaxResponseBytes: 1 << 20, WriteTimeout: time.Second, Counters: new(Counters)})
	t.Cleanup(func() {
		c.Close()
		server.Close()
	})
	return c, server
}

func readPreamble(t *testing.T, server io.Reader) {
	t.Helper()
	var head [10]byte
	if _, err := io.ReadFull(server, head[:]); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, server, int64(binary.BigEndian.Uint32(head[6:]))); err != nil {
		t.Fatal(err)
	}
}

func readRequest(server io.Reader, h *pb.RequestHeader) (param, cells []byte, err error) {
	var head [4]byte
	if _, err := io.ReadFull(server, head[:]); err != nil {
		return nil, nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(server, frame); err != nil {
		return nil, nil, err
	}
	return wire.ParseRequest(frame, h)
}

// TestOutOfOrder: many calls, answered in any order, in pieces of any size.
func TestOutOfOrder(t *testing.T) {
	c, server := pair(t)
	const callers, each = 50, 40
	requests := make(chan []byte, callers)
	r := rand.New(rand.NewPCG(2, 2))
	go func() {
		defer close(requests)
		readPreamble(t, server)
		for range callers * each {
			var h pb.RequestHeader
			param, cells, err := readRequest(server, &h)
			if err != nil {
				return
			}
			reply := append([]byte(nil), param...)
			if h.CallID%5 == 0 {
				reply = append(reply, make([]byte, h.CallID*977%(3*smallFrame))...)
			}
			requests <- wire.AppendResponse(nil, h.CallID, reply, cells)
		}
	}()
	go func() {
		var waiting [][]byte
		for open := true; open || len(waiting) > 0; {
			select {
			case b, ok := <-requests:
				if open = ok; ok {
					waiting = append(waiting, b)
				}
			case <-time.After(time.Millisecond): // all callers wait for what waits here
			}
			for len(waiting) > callers/2 || len(waiting) > 0 && r.IntN(3) == 0 {
				i := r.IntN(len(waiting))
				b := waiting[i]
				waiting = append(waiting[:i], waiting[i+1:]...)
				k := r.IntN(len(b))
				_, _ = server.Write(b[:k])
				_, _ = server.Write(b[k:])
			}
		}
	}()
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for k := range each {
				want := binary.BigEndian.AppendUint32(nil, uint32(i*each+k))
				r, err := c.Do(context.Background(), &Request{Method: "m", Message: want, Cells: want[:i%5]})
				if err != nil || !bytes.HasPrefix(r.Message, want) || !bytes.Equal(r.Cells, want[:i%5]) {
					t.Errorf("%v, %v", r, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestGarbage: whatever a server sends in place of answers, calls end, by their
// deadline if the bytes look like the begin of an answer, and so do goroutines.
func TestGarbage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 200 {
		c, server := pair(t)
		garbage := make([]byte, r.IntN(300))
		for k := range garbage {
			garbage[k] = byte(r.Uint32())
		}
		switch i % 4 {
		case 0: // a frame of the right length
			garbage = append(binary.BigEndian.AppendUint32(nil, uint32(len(garbage))), garbage...)
		case 1: // an answer to the first call, cut wrong inside
			garbage = append([]byte{2, 8, 0}, garbage...)
			garbage = append(binary.BigEndian.AppendUint32(nil, uint32(len(garbage))), garbage...)
		case 2: // more than any answer may have
			garbage = append([]byte{0xff, 0xff, 0xff, 0xff}, garbage...)
		}
		go func() {
			readPreamble(t, server)
			_, _ = server.Write(garbage)
			if i%3 == 0 {
				server.Close()
			}
		}()
		start := time.Now()
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				response, err := c.Do(context.Background(), &Request{Method: "m", Deadline: time.Now().Add(20 * time.Millisecond)})
				if err == nil && len(response.Message)+len(response.Cells) > len(garbage) {
					t.Errorf("%x made a response of %d bytes", garbage, len(response.Message))
				}
			})
		}
		wg.Wait()
		if d := time.Since(start); d > time.Second {
			t.Errorf("calls took %v under %x", d, garbage)
		}
		c.Close()
		server.Close()
	}
}

// TestServerThatDoesNotRead: callers neither wait for ever nor for each other's
// time limits.
func TestServerThatDoesNotRead(t *testing.T) {
	c, _ := pair(t)
	big := make([]byte, 1<<20)
	var wg sync.WaitGroup
	start := time.Now()
	for range 40 {
		wg.Go(func() {
			_, err := c.Do(context.Background(), &Request{Method: "m", Message: big, Deadline: time.Now().Add(300 * time.Millisecond)})
			if !errors.Is(err, ErrTimeout) {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Do(ctx, &Request{Method: "m", Message: big}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	wg.Wait()
	if d := time.Since(start); d > 3*time.Second {
		t.Error(d)
	}
	if c.Usable() {
		t.Error("still taken for usable")
	}
}

// TestManyCalls: more calls than a connection has places for wait for one.
func TestManyCalls(t *testing.T) {
	c, server := pair(t)
	var calls []*Call
	for range maxCalls {
		call, err := c.Start(context.Background(), &Request{Method: "m"})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call)
		if len(calls) == 1 {
			go func() {
				readPreamble(t, server)
				_, _ = io.Copy(io.Discard, server)
			}()
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	var e *CallError
	if _, err := c.Start(ctx, &Request{Method: "m"}); !errors.As(err, &e) || e.Sent || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := c.Start(context.Background(), &Request{Method: "m"})
		done <- err
	}()
	time.Sleep(5 * time.Millisecond)
	if _, err := calls[77].Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	// A late answer to the call that was given up is no other call's.
	_, _ = server.Write(wire.AppendResponse(nil, 77, []byte("late"), nil))
	time.Sleep(10 * time.Millisecond)
	c.Close()
	for i, call := range calls {
		if i == 77 {
			continue
		}
		if _, err := call.Wait(context.Background()); !errors.Is(err, ErrClosed) {
			t.Fatal(i, err)
		}
	}
}

func TestRequestFrame(t *testing.T) {
	now := time.Now()
	b := appendFrame([]byte("x"), 1<<30, &Request{
		Method: "Multi", Message: make([]byte, 200), Cells: []byte("cells"), Priority: 200, Deadline: now.Add(1500 * time.Millisecond),
	}, now)
	if n := binary.BigEndian.Uint32(b[1:]); int(n) != len(b)-5 {
		t.Fatal(n, len(b))
	}
	var h pb.RequestHeader
	param, cells, err := wire.ParseRequest(b[5:], &h)
	if err != nil || len(param) != 200 || string(cells) != "cells" || string(h.Method) != "Multi" || h.CallID != 1<<30 || h.TimeoutMS != 1500 || h.Priority != 200 {
		t.Fatal(err, h)
	}
}

func FuzzResponse(f *testing.F) {
	f.Add(wire.AppendResponse(nil, 5, []byte("message"), []byte("cells"))[4:])
	f.Add(wire.AppendException(nil, 5, &pb.Exception{Class: "a.B", StackTrace: "c"})[4:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, frame []byte) {
		var h pb.ResponseHeader
		body, err := parseResponse(frame, &h)
		if err != nil {
			return
		}
		r, err := cutBody(body, h.CellBlockLength)
		if err == nil && len(r.Message)+len(r.Cells) > len(frame) {
			t.Errorf("%d and %d bytes out of %d", len(r.Message), len(r.Cells), len(frame))
		}
	})
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02ab\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		in := newReader(bytes.NewReader(stream), 1<<16)
		total := 0
		for {
			frame, _, err := in.next()
			if err != nil {
				break
			}
			total += 4 + len(frame)
		}
		if total > len(stream) {
			t.Errorf("%d bytes of frames out of %d", total, len(stream))
		}
	})
}
