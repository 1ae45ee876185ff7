package rpc

import (
	"sync"
	"time"
)

// Request is one call as it travels. The connection copies what it needs before
// Start returns.
type Request struct {
	Method string
	// Message is the encoded request.
	Message []byte
	// Cells is the cell block; empty: none.
	Cells    []byte
	Priority uint32
	// Deadline ends the wait for the response. It is sent along, so that a
	// server need not work on what nobody waits for.
	Deadline time.Time
}

// Response is the answer to a call. Both slices are views of one buffer that is
// the receiver's alone.
type Response struct {
	Message []byte
	Cells   []byte
}

// Call is a call in flight. Calls come from a pool: after Wait a call is gone.
type Call struct {
	done     chan struct{} // has room for the one completion
	response Response
	err      error

	conn     *Conn
	id       uint32
	start    uint64 // offset of the request in the connection's output
	deadline time.Time
	began    time.Time
	discard  bool // nobody waits
}

var calls = sync.Pool{New: func() any { return &Call{done: make(chan struct{}, 1)} }}

func newCall() *Call { return calls.Get().(*Call) }

func (c *Call) free() {
	c.response, c.err, c.conn, c.discard = Response{}, nil, nil, false
	calls.Put(c)
}

// complete ends a call that has been taken out of its connection's table.
func (c *Call) complete() {
	if c.discard {
		c.free()
		return
	}
	c.done <- struct{}{}
}

// table finds calls by id. An id is a slot and the slot's generation, so that a
// late answer to a call that was given up does not meet the slot's next call.
//
//	id = generation << slotBits | slot
type table struct {
	slots []slot
	free  []uint32
	used  int
}

type slot struct {
	call       *Call
	generation uint32
}

const (
	slotBits       = 14
	maxCalls       = 1 << slotBits
	generationMask = 1<<(31-slotBits) - 1
)

func (t *table) full() bool { return t.used == maxCalls }

func (t *table) add(c *Call) {
	var i uint32
	if n := len(t.free); n > 0 {
		i, t.free = t.free[n-1], t.free[:n-1]
	} else {
		i = uint32(len(t.slots))
		t.slots = append(t.slots, slot{})
	}
	s := &t.slots[i]
	s.call = c
	c.id = s.generation<<slotBits | i
	t.used++
}

// take removes the call of that id; nil when it is not, or no longer, there.
func (t *table) take(id uint32) *Call {
	i := id & (maxCalls - 1)
	if i >= uint32(len(t.slots)) {
		return nil
	}
	s := &t.slots[i]
	if s.call == nil || s.call.id != id {
		return nil
	}
	c := s.call
	s.call = nil
	s.generation = (s.generation + 1) & generationMask
	t.free = append(t.free, i)
	t.used--
	return c
}

// each calls f for all calls in flight; f may take the one it is given.
func (t *table) each(f func(*Call)) {
	for i := range t.slots {
		if c := t.slots[i].call; c != nil {
			f(c)
		}
	}
}
