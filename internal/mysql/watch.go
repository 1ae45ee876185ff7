package mysql

import "time"

// phase is what a connection waits for, so that the watcher knows which timeout
// holds. Setting it costs two stores; a deadline of the socket's would cost a
// timer with each read.
type phase uint32

const (
	phaseLogin   phase = iota // the login is under way
	phaseIdle                 // for the next command
	phasePartial              // for the rest of a packet
	phaseRunning              // for a statement to end
	phaseWriting              // for the client to take its answer
)

// watchInterval is how often the watcher looks. Timeouts are late by up to this.
const watchInterval = 250 * time.Millisecond

// goneAfter is how long a statement runs before the watcher looks whether its
// client is still there.
const goneAfter = 2 * time.Second

// watch ends connections whose time is up.
func (s *Server) watch() {
	defer s.wg.Done()
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-tick.C:
			s.clock.Store(now.UnixNano())
			s.each(func(c *conn) { c.checkTimeout(now) })
		}
	}
}

// enter changes the phase.
func (c *conn) enter(p phase) {
	c.since.Store(c.srv.clock.Load())
	c.phase.Store(uint32(p))
}

func (c *conn) checkTimeout(now time.Time) {
	cfg := &c.srv.cfg
	// The phase is read after the time: what changes in between is younger than
	// it looks for one tick only, as if it had been looked at before.
	since := time.Unix(0, c.since.Load())
	var limit time.Duration
	switch phase(c.phase.Load()) {
	case phaseLogin:
		limit = cfg.ConnectTimeout
	case phaseIdle:
		limit = time.Duration(c.idleTimeout.Load())
	case phasePartial:
		limit = cfg.ReadTimeout
	case phaseWriting:
		limit = cfg.WriteTimeout
	case phaseRunning:
		// A statement waits for nothing of its client's. If that is gone, it
		// should not go on to hold locks.
		if now.Sub(since) > goneAfter && gone(c.raw) {
			c.abort()
		}
		return
	}
	if limit <= 0 || now.Sub(since) <= limit {
		return
	}
	if phase(c.phase.Load()) == phaseIdle {
		// Its goroutine says why.
		c.idledOut.Store(true)
		c.interruptRead()
		return
	}
	c.abort()
}
