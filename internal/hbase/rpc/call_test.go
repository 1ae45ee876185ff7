package rpc

// Calls: many in one packet, slow ones among fast ones, failing ones, ones that
// are too large.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
	"github.com/basaltdb/basalt/internal/hbase/wire"
)

func noting(got chan Client) Handler {
	return func(_ context.Context, c *Call, _ *Reply) error {
		got <- *c.Client
		return nil
	}
}

// gate is a handler that waits to be let through; it then echoes.
type gate struct{ entered, open chan struct{} }

func newGate() gate { return gate{make(chan struct{}, 100), make(chan struct{})} }

func (g gate) handle(ctx context.Context, c *Call, r *Reply) error {
	g.entered <- struct{}{}
	select {
	case <-g.open:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.Message, r.Cells = append(r.Message, c.Param...), append(r.Cells, c.Cells...)
	return nil
}

func TestPipelining(t *testing.T) {
	c := start(t, Config{}, nil).connect()
	var all strings.Builder
	const n = 5000
	for i := range n {
		all.WriteString(request(uint32(i), "Echo", strings.Repeat("x", i%300), fmt.Sprint(i)))
	}
	go c.write(all.String())
	for i := range n {
		if r := c.want(uint32(i), strings.Repeat("x", i%300), ""); r.cells != fmt.Sprint(i) {
			t.Fatalf("%d: %q", i, r.cells)
		}
	}
}

// TestLargeFrames goes past every buffer: the read buffer grows and is given
// back, replies go out uncopied.
func TestLargeFrames(t *testing.T) {
	s := start(t, Config{}, nil)
	c := s.connect()
	for i, n := range []int{1, inputBytes - 40, inputBytes, 100_000, directBytes, 3 << 20, 10} {
		body := strings.Repeat(fmt.Sprint(i), n)
		go c.write(request(1, "Echo", "p", body) + request(2, "Echo", body, ""))
		if r := c.want(1, "p", ""); r.cells != body {
			t.Fatalf("%d bytes of cells came back as %d", n, len(r.cells))
		}
		c.want(2, body, "")
	}
	if s.Stats().QueuedBytes == 0 {
		t.Error("a large read buffer counts nothing")
	}
	for i := range 2 * slackReads {
		c.write(request(uint32(i), "Echo", "", ""))
		c.want(uint32(i), "", "")
	}
	if n := s.Stats().QueuedBytes; n != 0 {
		t.Errorf("%d bytes are still held", n)
	}
}

// TestBlockingCallIsOvertaken: its bytes stay what they were although the read
// buffer is used again.
func TestBlockingCallIsOvertaken(t *testing.T) {
	g := newGate()
	s := start(t, Config{}, Service{
		"Wait": {Handle: g.handle, Blocking: true},
		"May":  {Handle: g.handle, MayBlock: func(c *Call) bool { return string(c.Param) == "slow" }},
	})
	c := s.connect()
	c.write(request(1, "Wait", "first", "cells of the first") + request(2, "May", "slow", "") + request(3, "Echo", "third", ""))
	c.want(3, "third", "")
	for i := range 100 {
		c.write(request(4, "Echo", strings.Repeat("overwrite", 10*i), ""))
		c.want(4, strings.Repeat("overwrite", 10*i), "")
	}
	if st := s.Stats(); st.RunningCalls != 2 || st.QueuedBytes == 0 {
		t.Errorf("%+v", st)
	}
	close(g.open)
	seen := map[string]bool{}
	for range 2 {
		r := c.read()
		seen[r.message+"/"+r.cells] = true
	}
	if !seen["first/cells of the first"] || !seen["slow/"] {
		t.Errorf("%v", seen)
	}
}

// TestSlowCallLosesTheLead: a call that nobody expected to be slow does not
// stall what comes behind it, neither what was read with it nor what comes
// later, and its own bytes stay.
func TestSlowCallLosesTheLead(t *testing.T) {
	g := newGate()
	s := start(t, Config{InlineBudget: defaultInlineBudget}, Service{"Slow": {Handle: g.handle}})
	c := s.connect()
	c.write(request(1, "Echo", "before", "") + request(2, "Slow", "slow one", "its cells") + request(3, "Echo", "behind", "") + request(4, "Slow", "another", ""))
	c.want(1, "before", "")
	c.want(3, "behind", "")
	for i := range 50 {
		c.write(request(5, "Echo", strings.Repeat("later", i), ""))
		c.want(5, strings.Repeat("later", i), "")
	}
	if st := s.Stats(); st.RunningCalls != 2 {
		t.Errorf("%+v", st)
	}
	close(g.open)
	seen := map[string]bool{}
	for range 2 {
		r := c.read()
		seen[fmt.Sprint(r.GetCallId(), r.message, r.cells)] = true
	}
	if !seen["2slow oneits cells"] || !seen["4another"] {
		t.Errorf("%v", seen)
	}
}

// TestLeadChangesUnderLoad: calls of every length around the budget, from several
// connections; each is answered once and with its own bytes.
func TestLeadChangesUnderLoad(t *testing.T) {
	s := start(t, Config{InlineBudget: 200 * time.Microsecond}, Service{"Nap": {Handle: func(_ context.Context, c *Call, r *Reply) error {
		time.Sleep(time.Duration(len(c.Param)%7) * 100 * time.Microsecond)
		r.Message = append(r.Message, c.Param...)
		return nil
	}}})
	done := make(chan error, 4)
	for range 4 {
		c := s.connect()
		go func() {
			const n = 400
			var all strings.Builder
			for i := range n {
				all.WriteString(request(uint32(i), "Nap", fmt.Sprint(strings.Repeat("z", i%13), i), ""))
			}
			go c.write(all.String())
			seen := map[uint32]bool{}
			for range n {
				r := c.read()
				i := r.GetCallId()
				if want := fmt.Sprint(strings.Repeat("z", int(i)%13), i); seen[i] || r.message != want {
					done <- fmt.Errorf("call %d: %q, seen before: %v", i, r.message, seen[i])
					return
				}
				seen[i] = true
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestExceptions(t *testing.T) {
	o := new(observed)
	s := start(t, Config{Metrics: o, Logger: testLogger(t)}, Service{
		"Moved": {Handle: func(context.Context, *Call, *Reply) error {
			return &Error{Class: "a.Moved", Message: "gone", Hostname: "other", Port: 7, Overloaded: true}
		}},
		"Wrapped": {Handle: func(context.Context, *Call, *Reply) error {
			return fmt.Errorf("wrapped: %w", Errorf("a.No", "for %s", "good"))
		}},
		"Odd":   {Handle: func(context.Context, *Call, *Reply) error { return errors.New("odd") }},
		"Panic": {Handle: func(context.Context, *Call, *Reply) error { panic("oops") }},
		"PanicBeside": {Blocking: true, Handle: func(_ context.Context, c *Call, r *Reply) error {
			r.Message = append(r.Message, c.Param[len(c.Param)])
			return nil
		}},
		"Partial": {Handle: func(_ context.Context, _ *Call, r *Reply) error {
			r.Message, r.Cells = append(r.Message, "half"...), append(r.Cells, "half"...)
			return Errorf("a.Late", "too late")
		}},
		"Fatal": {Handle: func(context.Context, *Call, *Reply) error {
			return &Error{Class: "a.Fatal", Message: "end", Fatal: true}
		}},
	})
	c := s.connect()
	c.write(request(1, "Moved", "", ""))
	e := c.want(1, "", "a.Moved").GetException()
	if e.GetHostname() != "other" || e.GetPort() != 7 || e.GetDoNotRetry() || !e.GetServerOverloaded() ||
		e.GetStackTrace() != "a.Moved: gone\n\tat basalt.ClientService.Moved\n" {
		t.Errorf("%v", e)
	}
	c.write(request(2, "Wrapped", "", ""))
	if e := c.want(2, "", "a.No").GetException(); !e.GetDoNotRetry() || !strings.HasPrefix(e.GetStackTrace(), "a.No: for good\n\tat ") {
		t.Errorf("%v", e)
	}
	c.write(request(3, "Odd", "", ""))
	if e := c.want(3, "", classIO).GetException(); e.GetDoNotRetry() {
		t.Errorf("%v", e)
	}
	c.write(request(4, "Panic", "", ""))
	c.want(4, "", classDoNotRetry)
	c.write(request(5, "PanicBeside", "", ""))
	c.want(5, "", classDoNotRetry)
	c.write(request(6, "Partial", "", ""))
	c.want(6, "", "a.Late")
	c.write(request(7, "NoSuchMethod", "", ""))
	if e := c.want(7, "", classDoNotRetry).GetException(); !strings.HasPrefix(e.GetStackTrace(), classDoNotRetry+": java.lang.UnsupportedOperationException: NoSuchMethod\n") {
		t.Errorf("%v", e)
	}
	c.write(requestWith(&pbtest.RequestHeader{CallId: proto.Uint32(8), MethodName: proto.String("Echo")}, "", ""))
	c.want(8, "", classDoNotRetry)
	c.write(request(9, "Echo", "still here", ""))
	c.want(9, "still here", "")
	c.write(request(10, "Fatal", "", "") + request(11, "Echo", "", ""))
	c.want(10, "", "a.Fatal")
	c.wantEnd()
	for _, want := range []string{"ClientService.Moved:a.Moved", "ClientService.Panic:" + classDoNotRetry, "ClientService.unknown:" + classDoNotRetry, "ClientService.Echo: "} {
		if !strings.Contains(o.list(), want) {
			t.Errorf("no %q in %s", want, o.list())
		}
	}
	if strings.Contains(o.list(), "bad numbers") {
		t.Error(o.list())
	}
}

// TestBadFrames is case E19: the call is answered where its id can be read, else
// the connection ends; others do not notice.
func TestBadFrames(t *testing.T) {
	s := start(t, Config{MaxFrameBytes: 1 << 20}, nil)
	other := s.connect()
	h := mustMarshal(&pbtest.RequestHeader{CallId: proto.Uint32(5), MethodName: proto.String("Echo"), RequestParam: proto.Bool(true)})
	announce := func(n uint32) string {
		return string(append(append(binary.BigEndian.AppendUint32(nil, n), byte(len(h))), h...))
	}
	for _, n := range []uint32{1<<20 + 1, 1<<31 - 1, 1<<32 - 1} {
		c := s.connect()
		c.write(request(1, "Echo", "ok", "") + announce(n) + strings.Repeat("body", 1000))
		c.want(1, "ok", "")
		c.want(5, "", classRequestTooBig)
		c.wantEnd()
	}
	// A client that did not say its version gets an older exception.
	bare := s.dial()
	bare.write(simple + header(&pbtest.ConnectionHeader{ServiceName: proto.String("ClientService")}) + announce(1<<30))
	bare.want(5, "", classDoNotRetry)
	bare.wantEnd()

	for _, bytes := range []string{
		"\x00\x00\x00\x00",                                      // nothing
		"\x00\x00\x00\x03\x7fab",                                // a header longer than the frame
		"\x00\x00\x00\x03\x02\xff\xff",                          // a header that is none
		"\x00\x00\x00\x03\x02\x20\x01",                          // a header without a call id
		"\x7f\xff\xff\xff" + strings.Repeat("\xff", inputBytes), // too large, and no header
	} {
		c := s.connect()
		c.write(bytes)
		if r := c.read(); r != nil {
			if r.GetCallId() != wire.NoCall || r.class() != classFatalConnection {
				t.Errorf("%q: %v", bytes[:4], r)
			}
			c.wantEnd()
		}
	}
	// The header is good, the rest is not: the call fails, the connection stays.
	c := s.connect()
	c.write(framed(append(append([]byte{byte(len(h))}, h...), 0x7f, 'a')) + request(6, "Echo", "b", ""))
	c.want(5, "", classDoNotRetry)
	c.want(6, "b", "")
	lying := &pbtest.RequestHeader{CallId: proto.Uint32(7), MethodName: proto.String("Echo"), RequestParam: proto.Bool(true), CellBlockMeta: &pbtest.CellBlockMeta{Length: proto.Uint32(1000)}}
	c.write(requestWith(lying, "p", "") + request(8, "Echo", "c", ""))
	c.want(7, "", classDoNotRetry)
	c.want(8, "c", "")

	other.write(request(1, "Echo", "untouched", ""))
	other.want(1, "untouched", "")
}

func TestCallQueueTooBig(t *testing.T) {
	g := newGate()
	s := start(t, Config{MaxQueuedBytes: 100_000}, Service{"Wait": {Handle: g.handle, Blocking: true}})
	c := s.connect()
	c.write(request(1, "Wait", strings.Repeat("a", 10_000), ""))
	<-g.entered
	for i := range 20 {
		c.write(request(uint32(10+i), "Wait", strings.Repeat("b", 10_000), ""))
	}
	c.write(request(40, "Echo", "", ""))
	refused := 0
	for {
		r := c.read()
		if r.GetCallId() == 40 {
			break
		}
		if r.class() != classCallQueueTooBig || !r.GetException().GetServerOverloaded() || r.GetException().GetDoNotRetry() {
			t.Fatalf("%v", r)
		}
		refused++
	}
	if refused < 11 || refused == 20 {
		t.Errorf("%d of 20 refused", refused)
	}
	close(g.open)
	for range 21 - refused {
		if r := c.read(); r.class() != "" {
			t.Fatalf("%v", r)
		}
	}
	// A frame larger than all there is: answered and skipped, without its
	// memory being had.
	go c.write(request(50, "Echo", strings.Repeat("c", 300_000), "") + request(51, "Echo", "after", ""))
	c.want(50, "", classCallQueueTooBig)
	c.want(51, "after", "")
}

func TestDeadline(t *testing.T) {
	got := make(chan time.Duration, 1)
	s := start(t, Config{}, Service{
		"Left": {Handle: func(_ context.Context, c *Call, _ *Reply) error {
			got <- c.Deadline.Sub(c.Received)
			return nil
		}},
		"Nap": {Handle: func(context.Context, *Call, *Reply) error { time.Sleep(30 * time.Millisecond); return nil }},
	})
	timed := func(id uint32, method string, ms uint32) string {
		return requestWith(&pbtest.RequestHeader{CallId: &id, MethodName: &method, RequestParam: proto.Bool(true), Timeout: &ms, Priority: proto.Uint32(200)}, "", "")
	}
	c := s.connect()
	c.write(timed(1, "Left", 1500))
	c.want(1, "", "")
	if d := <-got; d != 1500*time.Millisecond {
		t.Errorf("%v", d)
	}
	// Both wait behind a nap of the leader; the one with too little time is
	// dropped.
	s2 := start(t, Config{}, Service{"Nap": {Handle: func(context.Context, *Call, *Reply) error { time.Sleep(30 * time.Millisecond); return nil }}})
	c = s2.connect()
	c.write(request(1, "Nap", "", "") + timed(2, "Nap", 5) + timed(3, "Nap", 60_000))
	c.want(1, "", "")
	c.want(3, "", "")
	if n := s2.Stats().Dropped; n != 1 {
		t.Errorf("%d dropped", n)
	}
}

func TestCompressedCellBlocks(t *testing.T) {
	s := start(t, Config{MaxFrameBytes: 1 << 20}, nil)
	for _, class := range []string{"SnappyCodec", "Lz4Codec", "GzipCodec", "DefaultCodec"} {
		class = "org.apache.hadoop.io.compress." + class
		compression, _ := wire.CompressionByClass(class)
		h := javaHeader()
		h.CellBlockCompressorClass = &class
		c := s.dial()
		cells := strings.Repeat("some cells ", 1000)
		c.write(simple + header(h) + request(1, "Echo", "p", string(compression.Compress(nil, []byte(cells)))))
		r := c.want(1, "p", "")
		if got, err := compression.Decompress(nil, []byte(r.cells), 1<<20); err != nil || string(got) != cells || len(r.cells) > len(cells)/2 {
			t.Errorf("%s: %d bytes, %v", class, len(got), err)
		}
		bomb := string(compression.Compress(nil, make([]byte, 1<<20+1)))
		c.write(request(2, "Echo", "", "garbage") + request(3, "Echo", "", bomb) + request(4, "Echo", "fine", ""))
		c.want(2, "", classDoNotRetry)
		c.want(3, "", classDoNotRetry)
		c.want(4, "fine", "")
	}
}
