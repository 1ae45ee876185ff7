package server

import "sync/atomic"

// state is where a server's life is.
type state int32

const (
	starting state = iota
	serving
	draining
	stopped
)

func (s state) String() string {
	return [...]string{"starting", "ready", "draining", "stopped"}[s]
}

// stateBox is a state that one goroutine sets and others read.
type stateBox struct{ v atomic.Int32 }

func (b *stateBox) Load() state   { return state(b.v.Load()) }
func (b *stateBox) Store(s state) { b.v.Store(int32(s)) }

// begin moves from starting to serving; false: it was shut down before.
func (b *stateBox) begin() bool {
	return b.v.CompareAndSwap(int32(starting), int32(serving))
}
