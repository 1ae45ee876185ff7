package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"

	"github.com/basaltdb/basalt/internal/kv"
)

// formatVersion is the version of what Basalt itself puts into a data
// directory. It is raised by every change that an older Basalt must not touch.
const formatVersion = 1

// The file formatFile of a data directory, text:
//
//	basalt data <version>
//	sync disk|os
//
// The second line is how deep the log was written when the directory was last
// opened for writing; see salvage.go.
const (
	formatFile     = "FORMAT"
	formatTemp     = "FORMAT.tmp"
	maxFormatBytes = 4096
)

// format is the decoded formatFile.
type format struct {
	version int
	sync    kv.SyncMode
}

func (f format) String() string {
	mode := "disk"
	if f.sync == kv.SyncOS {
		mode = "os"
	}
	return fmt.Sprintf("basalt data %d\nsync %s\n", f.version, mode)
}

// parseFormat reads what String wrote. Of a newer version only the number is
// understood.
func parseFormat(s string) (f format, err error) {
	first, rest, _ := strings.Cut(s, "\n")
	n, ok := strings.CutPrefix(first, "basalt data ")
	if !ok {
		return f, fmt.Errorf("%w: %s does not start with a version", kv.ErrCorrupt, formatFile)
	}
	if f.version, err = strconv.Atoi(n); err != nil || f.version < 1 {
		return f, fmt.Errorf("%w: %s has the version %q", kv.ErrCorrupt, formatFile, n)
	}
	if f.version > formatVersion {
		return f, fmt.Errorf("%w: version %d, this Basalt knows up to %d", kv.ErrNewerFormat, f.version, formatVersion)
	}
	switch rest {
	case "sync disk\n":
	case "sync os\n":
		f.sync = kv.SyncOS
	default:
		return f, fmt.Errorf("%w: %s has %q after its version", kv.ErrCorrupt, formatFile, rest)
	}
	return f, nil
}

// readFormat reads a directory's format. A directory that Pebble never used has
// none: found is false.
func readFormat(vf vfs.FS, dir string) (f format, found bool, err error) {
	file, err := vf.Open(vf.PathJoin(dir, formatFile))
	if errors.Is(err, fs.ErrNotExist) {
		desc, err := pebble.Peek(dir, vf)
		if err != nil {
			return f, false, fmt.Errorf("pebblekv: looking into %s: %w", dir, err)
		}
		if desc.Exists {
			return f, false, fmt.Errorf("pebblekv: %s holds a database that is not Basalt's (no file %s)", dir, formatFile)
		}
		return f, false, nil
	}
	if err != nil {
		return f, false, err
	}
	defer func() { _ = file.Close() }()
	b, err := io.ReadAll(io.LimitReader(file, maxFormatBytes))
	if err != nil {
		return f, false, err
	}
	f, err = parseFormat(string(b))
	return f, true, err
}

// writeFormat replaces the file in one step.
func writeFormat(vf vfs.FS, dir string, f format) error {
	temp := vf.PathJoin(dir, formatTemp)
	file, err := vf.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, f.String())
	if err == nil {
		err = file.Sync()
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = vf.Rename(temp, vf.PathJoin(dir, formatFile))
	}
	if err == nil {
		err = syncDir(vf, dir)
	}
	if err != nil {
		return fmt.Errorf("pebblekv: writing %s: %w", formatFile, err)
	}
	return nil
}

func syncDir(vf vfs.FS, dir string) error {
	d, err := vf.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// pebbleVersionMarker is the name under which Pebble stores its own version.
const pebbleVersionMarker = "format-version"

// checkPebbleFormat refuses a directory of a newer Pebble, for which Pebble has
// no error of its own.
func checkPebbleFormat(vf vfs.FS, dir string) error {
	s, err := atomicfs.ReadMarker(vf, dir, pebbleVersionMarker)
	if err != nil {
		return fmt.Errorf("pebblekv: reading the storage format: %w", err)
	}
	if s == "" {
		return nil
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: the storage format is %q", kv.ErrCorrupt, s)
	}
	if v > uint64(pebble.FormatNewest) {
		return fmt.Errorf("%w: storage format %d, this Basalt knows up to %d", kv.ErrNewerFormat, v, pebble.FormatNewest)
	}
	return nil
}
