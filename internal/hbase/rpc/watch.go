package rpc

import (
	"errors"
	"syscall"
	"time"
)

const (
	// quietTicks without a running call stop the watchdog's ticking.
	quietTicks = 50
	// watchShare bounds the watchdog to 1/watchShare of a processor, however
	// many connections there are.
	watchShare = 200
	// checkInterval is how often timeouts are looked at.
	checkInterval = 250 * time.Millisecond
)

// startedCall makes sure that the watchdog ticks. A leader calls it after it has
// marked a call as running; the watchdog, before it sleeps, looks once more
// after it has cleared watching. So one of them sees the other.
func (s *Server) startedCall() {
	if !s.watching.Load() && s.watching.CompareAndSwap(false, true) {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// watchCalls is the watchdog: it takes the lead from calls that have kept it for
// a whole tick. It sleeps while no calls come.
func (s *Server) watchCalls() {
	defer s.wg.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	pause := s.cfg.InlineBudget
	for quiet := 0; ; {
		if quiet < quietTicks {
			timer.Reset(pause)
			select {
			case <-timer.C:
			case <-s.ctx.Done():
				return
			}
		} else {
			s.watching.Store(false)
			if !s.takeOverdue() {
				select {
				case <-s.wake:
				case <-s.ctx.Done():
					return
				}
			}
			s.watching.Store(true)
			quiet = 0
			continue
		}
		start := time.Now()
		if s.takeOverdue() {
			quiet = 0
		} else {
			quiet++
		}
		pause = max(s.cfg.InlineBudget, watchShare*time.Since(start))
	}
}

// takeOverdue looks at every connection once and tells whether any had a call
// since the last look.
func (s *Server) takeOverdue() (active bool) {
	for _, c := range s.connections() {
		if c.watch() {
			active = true
		}
	}
	return active
}

// watchConnections ends connections that are idle or stuck.
func (s *Server) watchConnections() {
	defer s.wg.Done()
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			for _, c := range s.connections() {
				c.checkTimeouts(now)
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// outOfFiles tells whether accepting failed for want of something that comes
// back.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.ECONNABORTED)
}
