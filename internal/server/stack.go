package server

import (
	"context"
	"fmt"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv/pebblekv"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// openStore opens what holds data, from the engine up.
func (s *Server) openStore() error {
	c := &s.config
	engine, err := pebblekv.Open(pebblekv.Options{
		Dir:           c.DataDir,
		Merger:        cell.Merger{},
		Sync:          c.Sync,
		CacheBytes:    int64(c.CacheBytes),
		MemtableBytes: int64(c.MemtableBytes),
		ReserveBytes:  uint64(c.DiskReserveBytes),
		Logger:        s.log,
	})
	if err != nil {
		return fmt.Errorf("--data %s: %w", c.DataDir, err)
	}
	s.engine = engine
	s.closers = append(s.closers, engine.Close)
	if s.startCode, err = nextStartCode(context.Background(), engine, s.started, s.log); err != nil {
		return err
	}
	if s.catalog, err = catalog.Open(engine, catalog.Options{Log: s.log}); err != nil {
		return err
	}
	s.store, err = wide.New(engine, wide.Options{
		MaxCellBytes: int(c.MaxCellBytes),
		MaxRowBytes:  int64(c.MaxRowBytes),
		LockTimeout:  c.RowLockTimeout,
		SnapshotAge:  c.ScannerLease,
		Logger:       s.log,
	})
	if err != nil {
		return err
	}
	s.onClose(s.store.Close)
	s.catalog.SetDrain(s.store.Drain)
	return nil
}
