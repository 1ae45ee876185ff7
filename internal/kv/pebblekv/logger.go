package pebblekv

import (
	"fmt"
	"log/slog"
)

// logger implements pebble.Logger. Pebble calls Fatalf when the log or the
// manifest cannot be written: memory would then hold what a restart loses, so
// the process ends and recovers by restarting.
type logger struct {
	log  *slog.Logger
	exit func(code int)
}

func (l *logger) Infof(format string, args ...any) {
	l.log.Debug(fmt.Sprintf(format, args...))
}

func (l *logger) Errorf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...))
}

func (l *logger) Fatalf(format string, args ...any) {
	l.log.Error("cannot write to the data directory, ending: what was acknowledged is safe, restart to recover", "err", fmt.Sprintf(format, args...))
	l.exit(1)
}
