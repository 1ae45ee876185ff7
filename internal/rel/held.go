package rel

import (
	"context"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
)

// Held is a set of tables that a session has locked as a whole (LOCK TABLES):
// others may not use those it writes, nor write those it reads.
type Held struct {
	kv     kv.Txn
	tables map[catalog.TableName]*Table
	writes map[catalog.TableName]bool
}

// NotHeldError: a session that has locked tables uses another one, or changes one
// that it only reads.
type NotHeldError struct {
	Name catalog.TableName
	// Read: it is held, for reading.
	Read bool
}

func (e *NotHeldError) Error() string { return "rel: table " + e.Name.String() + " is not locked" }

// Hold locks tables, true in the map for those to be written. Release ends it.
func (s *Store) Hold(ctx context.Context, wait time.Duration, names []catalog.TableName, writes map[catalog.TableName]bool) (*Held, error) {
	x, err := s.engine.Begin(context.WithoutCancel(ctx), kv.TxnOptions{})
	if err != nil {
		return nil, err
	}
	h := &Held{kv: x, tables: map[catalog.TableName]*Table{}, writes: writes}
	for _, name := range names {
		for h.tables[name] == nil {
			t, err := s.Lookup(name)
			if err == nil && t == nil {
				err = &NoTableError{name}
			}
			mode := kv.LockShared
			if writes[name] {
				mode = kv.LockExclusive
			}
			w := kv.LockWait{Timeout: wait}
			if err == nil {
				_, err = x.Lock(ctx, mode, w, t.lockName)
			}
			if err == nil && t.Def.Retired() {
				continue
			}
			if err == nil && !writes[name] {
				// Whoever writes shares the table's lock too: its rows are what
				// keeps them out.
				start, end := t.Primary.All()
				err = x.LockRange(ctx, kv.LockShared, w, kv.KeyRange{Start: start, End: end})
			}
			if err != nil {
				x.Rollback()
				return nil, err
			}
			h.tables[name] = t
		}
	}
	return h, nil
}

// Release gives the tables up.
func (h *Held) Release() { h.kv.Rollback() }
