package pebblekv

import (
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/kv"
)

// logFS is a file system that knows the files of the log. It times their syncs
// and, with SyncOS, leaves them out: Pebble writes before it syncs, so what it
// takes for synced is at least with the operating system.
//
// A log that is closed is synced even then. So only the newest can be damaged
// by a power failure.
type logFS struct {
	vfs.FS
	mode  kv.SyncMode
	syncs histogram
}

func isLog(name string) bool { return strings.HasSuffix(name, ".log") }

func (fs *logFS) wrap(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil || !isLog(name) {
		return f, err
	}
	return &logFile{File: f, fs: fs}, nil
}

func (fs *logFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, c)
	return fs.wrap(name, f, err)
}

func (fs *logFS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(oldname, newname, c)
	return fs.wrap(newname, f, err)
}

func (fs *logFS) Unwrap() vfs.FS { return fs.FS }

type logFile struct {
	vfs.File
	fs *logFS
}

func (f *logFile) timed(sync func() error) error {
	start := time.Now()
	if f.fs.mode == kv.SyncDisk {
		if err := sync(); err != nil {
			return err
		}
	}
	f.fs.syncs.observe(time.Since(start))
	return nil
}

func (f *logFile) Sync() error     { return f.timed(f.File.Sync) }
func (f *logFile) SyncData() error { return f.timed(f.File.SyncData) }

func (f *logFile) Close() error {
	if f.fs.mode == kv.SyncOS {
		if err := f.File.SyncData(); err != nil {
			_ = f.File.Close()
			return err
		}
	}
	return f.File.Close()
}
