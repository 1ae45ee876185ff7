package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// salvageLog cuts the newest log of a directory that was last open with SyncOS
// behind its last whole record.
//
// Without syncs a power failure may leave a hole in the log with later pieces
// behind it. Those pieces say how far the log was synced, as far as Pebble knew,
// so that Pebble would take the hole for damage and refuse to open. SyncOS
// promises nothing across a power failure but a consistent state, and that is
// what is before the hole. Older logs were synced when they were closed: damage
// there stays an error.
func salvageLog(vf vfs.FS, dir string, log *slog.Logger) error {
	names, err := vf.List(dir)
	if err != nil {
		return err
	}
	newest, number := "", wal.NumWAL(0)
	for _, name := range names {
		if n, _, ok := wal.ParseLogFilename(name); ok && (newest == "" || n > number) {
			newest, number = name, n
		}
	}
	if newest == "" {
		return nil
	}
	path := vf.PathJoin(dir, newest)
	whole, clean, err := wholeRecords(vf, path, uint64(number))
	if err != nil || clean {
		return err
	}
	temp := path + ".tmp"
	if err := copyPrefix(vf, path, temp, whole); err != nil {
		return fmt.Errorf("pebblekv: cutting %s: %w", newest, err)
	}
	if err := vf.Rename(temp, path); err != nil {
		return fmt.Errorf("pebblekv: cutting %s: %w", newest, err)
	}
	log.Info("cut the log behind its last whole record", "file", newest, "bytes", whole)
	return syncDir(vf, dir)
}

// wholeRecords is the length of the whole records at the start of a log, and
// whether the log ends there as it should.
func wholeRecords(vf vfs.FS, path string, number uint64) (n int64, clean bool, err error) {
	f, err := vf.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = f.Close() }()
	r := newRecordReader(record.NewReader, f, number)
	for {
		rec, err := r.Next()
		if err == nil {
			_, err = io.Copy(io.Discard, rec)
		}
		switch {
		case err == nil:
			n = r.Offset()
		case errors.Is(err, io.EOF):
			return n, true, nil
		case errors.Is(err, record.ErrUnexpectedEOF), record.IsInvalidRecord(err):
			return n, false, nil
		default:
			return n, false, fmt.Errorf("pebblekv: reading %s: %w", path, err)
		}
	}
}

// newRecordReader calls record.NewReader, whose second parameter has a type
// that cannot be named outside Pebble.
func newRecordReader[N ~uint64](f func(io.Reader, N) *record.Reader, r io.Reader, number uint64) *record.Reader {
	return f(r, N(number))
}

func copyPrefix(vf vfs.FS, from, to string, n int64) error {
	src, err := vf.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	dst, err := vf.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, io.LimitReader(src, n))
	if err == nil {
		err = dst.Sync()
	}
	if cerr := dst.Close(); err == nil {
		err = cerr
	}
	return err
}
