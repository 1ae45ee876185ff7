package rpc

import (
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

const (
	// maxIdleReleasers is how many releasers stay when no reply waits.
	maxIdleReleasers = 64
	// keepEnds is of how many replies a releaser keeps the room.
	keepEnds = 4096
)

// releaser waits for the log in the place of connections with parked replies.
// One that is done takes the next connection's instead of ending: a goroutine for
// each would grow a new stack each time, which costs more than the waiting.
type releaser struct {
	batch []byte
	ends  []ending
}

type releaseTask struct {
	c    *conn
	mark kv.Mark
}

// release has the parked replies of c sent as the log comes up to mark and beyond.
func (c *conn) release(mark kv.Mark) {
	t := releaseTask{c, mark}
	select {
	case c.srv.toRelease <- t:
	default:
		c.srv.wg.Add(1)
		go c.srv.runReleaser(t)
	}
}

func (s *Server) runReleaser(t releaseTask) {
	defer s.wg.Done()
	var r releaser
	for {
		r.run(t.c, t.mark)
		t.c.unref()
		if cap(r.batch) > keepBytes || cap(r.ends) > keepEnds {
			r = releaser{}
		}
		t = releaseTask{}
		if s.idleReleasers.Add(1) > maxIdleReleasers {
			s.idleReleasers.Add(-1)
			return
		}
		select {
		case t = <-s.toRelease:
			s.idleReleasers.Add(-1)
		case <-s.ctx.Done():
			return
		}
	}
}

// run sends the parked replies of one connection as the log comes up to them.
func (r *releaser) run(c *conn, mark kv.Mark) {
	o, log := &c.out, c.srv.cfg.Log
	for ok := true; ok; mark, ok = o.nextAwaited(mark) {
		if err := log.WaitSynced(c.ctx, mark); err != nil {
			// What the replies show may be lost in a crash: they must not go
			// out. The client learns that it does not know.
			if c.ctx.Err() == nil {
				c.srv.cfg.Logger.Error("cannot wait for the log, closing the connection", "client", c.client.Remote, "error", err)
			}
			c.abort()
			continue
		}
		r.batch, r.ends = o.takeSynced(log.Synced(), r.batch[:0], r.ends[:0])
		now, fatal := time.Now(), false
		for i := range r.ends {
			r.ends[i].observe(&c.srv.cfg, now)
			fatal = fatal || r.ends[i].fatal
		}
		// A failed write closes the connection, which ends the loop.
		_ = c.send(r.batch, nil)
		if fatal {
			c.linger()
		}
	}
}
