package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/lock"
	"github.com/basaltdb/basalt/internal/kv/txn"
)

// slowDisk is how long a disk operation takes before it is logged.
const slowDisk = 5 * time.Second

// Open opens a data directory, or makes one. ErrInUse: another process has it
// open. ErrNewerFormat: a newer Basalt wrote it. ErrCorrupt: its bytes are
// damaged.
func Open(o Options) (_ *DB, err error) {
	if o.Dir == "" || o.Merger == nil {
		return nil, errors.New("pebblekv: Dir and Merger are required")
	}
	o.setDefaults()
	db := &DB{
		o:      o,
		locks:  lock.NewTable(),
		events: events{log: o.Logger, start: time.Now()},
		poke:   make(chan struct{}, 1),
		stop:   make(chan struct{}),
	}
	db.txns = txn.Manager{Store: db, Locks: db.locks, Merger: o.Merger, MaxBytes: o.TxnBytes}
	logger := &logger{log: o.Logger, exit: o.Exit}
	db.syncer = newSyncer(func(err error) { logger.Fatalf("writing the log: %v", err) })

	var closers []func() error
	db.release = func() error {
		var errs []error
		for i := len(closers) - 1; i >= 0; i-- {
			errs = append(errs, closers[i]())
		}
		return errors.Join(errs...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.release())
		}
	}()

	p := o.pebbleOptions()
	listener := db.events.listener()
	base := o.FS
	if base == nil {
		var watcher io.Closer
		base, watcher = vfs.WithDiskHealthChecks(vfs.Default, slowDisk, nil, func(i vfs.DiskSlowInfo) { listener.DiskSlow(i) })
		closers = append(closers, watcher.Close)
	}
	db.log = &logFS{FS: base, mode: o.Sync}

	if err := base.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("pebblekv: making the data directory: %w", err)
	}
	dirLock, err := pebble.LockDirectory(o.Dir, base)
	if err != nil {
		if lockHeld(err) {
			return nil, fmt.Errorf("%w: %s", kv.ErrInUse, o.Dir)
		}
		return nil, fmt.Errorf("pebblekv: locking %s: %w", o.Dir, err)
	}
	closers = append(closers, dirLock.Close)
	was, err := prepareDir(base, o)
	if err != nil {
		return nil, err
	}

	cache := pebble.NewCache(o.CacheBytes)
	closers = append(closers, func() error { cache.Unref(); return nil })
	p.Cache, p.FS, p.Lock, p.Logger, p.EventListener = cache, db.log, dirLock, logger, listener
	if db.p, err = pebble.Open(o.Dir, p); err != nil {
		if pebble.IsCorruptionError(err) {
			return nil, fmt.Errorf("%w: opening %s: %w", kv.ErrCorrupt, o.Dir, err)
		}
		return nil, fmt.Errorf("pebblekv: opening %s: %w", o.Dir, err)
	}
	if was.sync == kv.SyncOS && o.Sync == kv.SyncDisk {
		// Pebble has replayed and flushed the logs that were not synced.
		if err := writeFormat(base, o.Dir, format{formatVersion, o.Sync}); err != nil {
			return nil, errors.Join(err, db.p.Close())
		}
	}
	db.keepers.Go(db.keepLogged)
	if o.ReserveBytes > 0 {
		db.checkReserve()
		db.keepers.Go(db.keepReserve)
	}
	return db, nil
}

// lockHeld tells a lock that another has from a lock file that cannot be made.
func lockHeld(err error) bool {
	var path *fs.PathError
	var errno syscall.Errno
	switch {
	case errors.As(err, &path):
		return false
	case errors.As(err, &errno):
		return errno == syscall.EAGAIN || errno == syscall.EACCES || errno == syscall.EWOULDBLOCK
	}
	return true // not the system's word: this process has it
}

// prepareDir checks the format of a locked directory, or writes it, and gets
// the log of an earlier SyncOS ready to be read. It returns the format found.
func prepareDir(vf vfs.FS, o Options) (format, error) {
	was, found, err := readFormat(vf, o.Dir)
	if err != nil {
		return was, err
	}
	if !found {
		was = format{formatVersion, o.Sync}
		return was, writeFormat(vf, o.Dir, was)
	}
	if err := checkPebbleFormat(vf, o.Dir); err != nil {
		return was, err
	}
	if was.sync == kv.SyncOS {
		if err := salvageLog(vf, o.Dir, o.Logger); err != nil {
			return was, err
		}
	} else if o.Sync == kv.SyncOS {
		// Known before the first log that is not synced.
		return was, writeFormat(vf, o.Dir, format{formatVersion, o.Sync})
	}
	return was, nil
}
