package pebblekv

import (
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/kv"
)

// keepLogged writes DurabilityAsync commits to the log soon after they were
// applied. Pebble itself does so only when a block of the log is full or when
// another commit is synced.
func (db *DB) keepLogged() {
	for {
		select {
		case <-db.poke:
		case <-db.stop:
			return
		}
		select {
		case <-time.After(db.o.AsyncDelay):
		case <-db.stop:
			return // closing writes the log
		}
		db.unlogged.Store(false) // commits from here on poke again
		if err := db.p.LogData(nil, pebble.Sync); err != nil {
			db.o.Logger.Error("writing the log", "err", err)
		}
	}
}

// keepReserve refuses writes while the disk is nearly full.
func (db *DB) keepReserve() {
	t := time.NewTicker(db.o.ReserveCheck)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			db.checkReserve()
		case <-db.stop:
			return
		}
	}
}

// checkReserve looks at the free space once. Writes come back when a tenth more
// than the reserve is free, so that they do not flap.
func (db *DB) checkReserve() {
	u, err := db.log.GetDiskUsage(db.o.Dir)
	if err != nil {
		if !errors.Is(err, vfs.ErrUnsupported) {
			db.o.Logger.Error("reading the free disk space", "err", err)
		}
		return
	}
	refused := db.refused.Load() != nil
	reserve := db.o.ReserveBytes
	switch {
	case u.AvailBytes < reserve:
		err := fmt.Errorf("%w: disk nearly full: %d MiB free, reserve is %d MiB", kv.ErrUnavailable, u.AvailBytes>>20, reserve>>20)
		db.refused.Store(&err)
		if !refused {
			db.o.Logger.Error("disk nearly full, refusing writes", "free_bytes", u.AvailBytes, "reserve_bytes", reserve, "dir", db.o.Dir)
		}
	case refused && u.AvailBytes >= reserve+reserve/10:
		db.refused.Store(nil)
		db.o.Logger.Info("disk space is back, accepting writes", "free_bytes", u.AvailBytes, "dir", db.o.Dir)
	}
}
