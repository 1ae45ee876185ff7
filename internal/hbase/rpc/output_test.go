package rpc

// Replies: held back for the log, not taken by the client, or under way when the
// server ends.

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// marked is a handler whose parameter is the mark of its reply.
func marked(_ context.Context, c *Call, r *Reply) error {
	r.Message = append(r.Message, c.Param...)
	r.Mark = kv.Mark(binary.BigEndian.Uint64(c.Param))
	return nil
}

func mark(m uint64) string { return string(binary.BigEndian.AppendUint64(nil, m)) }

// TestMarks: a reply is held back until the log has its mark, while others,
// later ones included, go out.
func TestMarks(t *testing.T) {
	log := newFakeLog()
	o := new(observed)
	s := start(t, Config{Log: log, Metrics: o}, Service{
		"Put":    {Handle: marked},
		"Beside": {Handle: marked, Blocking: true},
		"Fail": {Handle: func(_ context.Context, c *Call, r *Reply) error {
			r.Mark = 20
			return Errorf("a.Shown", "state")
		}},
	})
	c := s.connect()
	c.write(request(1, "Put", mark(10), "") + request(2, "Put", mark(5), "") + request(3, "Put", mark(0), "") + request(4, "Echo", "x", ""))
	c.want(3, mark(0), "")
	c.want(4, "x", "")
	log.sync(5)
	c.want(2, mark(5), "")
	c.write(request(5, "Beside", mark(12), "") + request(6, "Fail", "", "") + request(7, "Echo", "y", ""))
	c.want(7, "y", "")
	log.sync(10)
	c.want(1, mark(10), "")
	if strings.Contains(o.list(), "Fail") {
		t.Error("a held reply counts as given")
	}
	log.sync(19)
	c.want(5, mark(12), "")
	log.sync(20)
	c.want(6, "", "a.Shown")
	// What is synced already goes out with the rest.
	c.write(request(8, "Put", mark(20), "") + request(9, "Put", mark(21), "") + request(10, "Put", mark(19), ""))
	c.want(8, mark(20), "")
	c.want(10, mark(19), "")
	log.sync(21)
	c.want(9, mark(21), "")
}

// TestMarksKeepOrder: replies that one sync releases come as they were parked.
func TestMarksKeepOrder(t *testing.T) {
	log := newFakeLog()
	c := start(t, Config{Log: log}, Service{"Put": {Handle: marked}}).connect()
	const n = 200
	var all strings.Builder
	for i := range n {
		all.WriteString(request(uint32(i), "Put", mark(uint64(n-i)), ""))
	}
	c.write(all.String() + request(n, "Echo", "", ""))
	c.want(n, "", "")
	log.sync(n / 2)
	for i := n / 2; i < n; i++ {
		c.want(uint32(i), mark(uint64(n-i)), "")
	}
	log.sync(n)
	for i := range n / 2 {
		c.want(uint32(i), mark(uint64(n-i)), "")
	}
}

// TestBrokenLog: a reply that may be lost in a crash never goes out.
func TestBrokenLog(t *testing.T) {
	log := newFakeLog()
	c := start(t, Config{Log: log}, Service{"Put": {Handle: marked}}).connect()
	c.write(request(1, "Put", mark(1), "") + request(2, "Echo", "", ""))
	c.want(2, "", "")
	log.fail(errors.New("disk gone"))
	c.wantEnd()
}

// TestSlowReader: a client that takes no replies is read no further, holds a
// bounded number of bytes, and is closed in the end; others do not notice.
func TestSlowReader(t *testing.T) {
	s := start(t, Config{MaxPendingBytes: 1 << 20, StallTimeout: 700 * time.Millisecond}, nil)
	c := s.connect()
	body := strings.Repeat("x", 100_000)
	sent := make(chan int, 1)
	go func() {
		n := 0
		for n < 2000 {
			if _, err := c.Write([]byte(request(uint32(n), "Echo", body, ""))); err != nil {
				break
			}
			n++
		}
		sent <- n
	}()
	other := s.connect()
	for i := range 20 {
		other.write(request(uint32(i), "Echo", "o", ""))
		other.want(uint32(i), "o", "")
		time.Sleep(10 * time.Millisecond)
	}
	if n := s.Stats().QueuedBytes; n > 1<<20 {
		t.Errorf("%d bytes held", n)
	}
	select {
	case n := <-sent:
		// 2000 requests would be 200 MB: kernel buffers hold a few.
		if n >= 1000 {
			t.Errorf("%d requests were read from a client that takes no reply", n)
		}
	case <-time.After(10 * time.Second):
		t.Error("the client is never cut off")
	}
	eventually(t, "the connection is gone", func() bool { return s.Stats().Connections == 1 })
}

// TestParkedRepliesAreBounded: neither may replies that wait for the log pile up.
func TestParkedRepliesAreBounded(t *testing.T) {
	log := newFakeLog()
	s := start(t, Config{Log: log, MaxPendingBytes: 100_000}, Service{"Put": {Handle: marked}})
	c := s.connect()
	go func() {
		pad := strings.Repeat("p", 10_000)
		for i := range 1000 {
			if _, err := c.Write([]byte(request(uint32(i), "Put", mark(1)+pad, ""))); err != nil {
				return
			}
		}
	}()
	time.Sleep(200 * time.Millisecond)
	var conn *conn
	for _, conn = range s.connections() {
	}
	conn.out.mu.Lock()
	held := len(conn.out.frames)
	conn.out.mu.Unlock()
	if held == 0 || held > 150_000 {
		t.Errorf("%d bytes parked", held)
	}
	log.sync(1)
	for range 1000 {
		if r := c.read(); r == nil {
			t.Fatal("the connection ended")
		}
	}
}

// TestTooManyCalls: past the limit nothing is read, but what runs goes on.
func TestTooManyCalls(t *testing.T) {
	g := newGate()
	s := start(t, Config{MaxCallsPerConnection: 3}, Service{"Wait": {Handle: g.handle, Blocking: true}})
	c := s.connect()
	for i := range 5 {
		c.write(request(uint32(i), "Wait", "", ""))
	}
	for range 3 {
		<-g.entered
	}
	time.Sleep(50 * time.Millisecond)
	if n := s.Stats().RunningCalls; n != 3 {
		t.Errorf("%d calls run", n)
	}
	close(g.open)
	for range 5 {
		if r := c.read(); r.class() != "" {
			t.Errorf("%v", r)
		}
	}
}

func TestIdleAndStalledClients(t *testing.T) {
	g := newGate()
	s := start(t, Config{IdleTimeout: 400 * time.Millisecond, StallTimeout: 400 * time.Millisecond}, Service{"Wait": {Handle: g.handle, Blocking: true}})
	idle, half, waiting := s.connect(), s.connect(), s.connect()
	half.write(request(1, "Echo", "abc", "")[:10])
	waiting.write(request(1, "Wait", "w", ""))
	began := time.Now()
	idle.wantEnd()
	half.wantEnd()
	if d := time.Since(began); d < 300*time.Millisecond || d > 5*time.Second {
		t.Errorf("after %v", d)
	}
	close(g.open)
	waiting.want(1, "w", "")
}

// TestShutdownDrains: what was read is answered, whatever holds it up; then the
// connections end.
func TestShutdownDrains(t *testing.T) {
	log := newFakeLog()
	g, slow := newGate(), newGate()
	s := start(t, Config{Log: log, InlineBudget: defaultInlineBudget}, Service{
		"Wait": {Handle: g.handle, Blocking: true},
		"Slow": {Handle: slow.handle},
		"Put":  {Handle: marked},
	})
	c, idle, mute := s.connect(), s.connect(), s.dial()
	c.write(request(1, "Wait", "waited", "") + request(2, "Put", mark(1), "") + request(3, "Slow", "slept", "") + request(4, "Echo", "e", ""))
	c.want(4, "e", "")
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(context.Background()) }()
	idle.wantEnd()
	mute.wantEnd()
	if nc, err := s.dialError(); err == nil {
		nc.Close()
		t.Error("still accepts")
	}
	log.sync(1)
	c.want(2, mark(1), "")
	close(slow.open)
	c.want(3, "slept", "")
	select {
	case err := <-done:
		t.Fatalf("Shutdown is done with a call running: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(g.open)
	c.want(1, "waited", "")
	c.wantEnd()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func (s *testServer) dialError() (*client, error) {
	nc, err := net.DialTimeout("tcp", s.addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	// The kernel may accept for a listener that is being closed.
	one := make([]byte, 1)
	if _, err := nc.Read(one); err != nil {
		nc.Close()
		return nil, err
	}
	return &client{s.t, nc}, nil
}

func TestShutdownGivesUp(t *testing.T) {
	g := newGate()
	s := start(t, Config{}, Service{"Wait": {Handle: g.handle, Blocking: true}})
	c := s.connect()
	c.write(request(1, "Wait", "", ""))
	<-g.entered
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	c.wantEnd()
}

// TestGoneClient: the calls of a client that went away are cancelled.
func TestGoneClient(t *testing.T) {
	g := newGate()
	s := start(t, Config{}, Service{"Wait": {Handle: g.handle, Blocking: true}})
	c := s.connect()
	c.write(request(1, "Wait", "", ""))
	<-g.entered
	c.Close()
	eventually(t, "the call ends", func() bool { return s.Stats().RunningCalls == 0 && s.Stats().Connections == 0 })
}
