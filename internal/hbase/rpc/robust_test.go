package rpc

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"
)

// TestDamagedStreams: connections whose bytes were changed at random end or get
// answers; the server and its other clients live.
func TestDamagedStreams(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := start(t, Config{MaxFrameBytes: 1 << 20, HandshakeTimeout: 200 * time.Millisecond, StallTimeout: 200 * time.Millisecond, InlineBudget: defaultInlineBudget},
		Service{"Beside": {Blocking: true, Handle: func(_ context.Context, c *Call, r *Reply) error {
			r.Message = append(r.Message, c.Param...)
			return nil
		}}})
	control := s.connect()
	good := simple + header(javaHeader()) + request(1, "Echo", "a", "cells") + request(2, "Beside", "b", "") + request(3, "Echo", "", "")
	for range 200 {
		b := []byte(good)
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		b = b[:r.IntN(len(b)+1)]
		nc, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		// Whatever comes back is fine, and so is being cut off.
		if _, err := nc.Write(b); err == nil && nc.SetReadDeadline(time.Now().Add(time.Millisecond)) == nil {
			_, _ = io.Copy(io.Discard, nc)
		}
		nc.Close()
	}
	control.write(request(9, "Echo", "alive", ""))
	control.want(9, "alive", "")
	control.Close()
	eventually(t, "all connections are gone", func() bool { st := s.Stats(); return st.Connections == 0 && st.QueuedBytes == 0 })
}
