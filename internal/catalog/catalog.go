package catalog

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// Options of Open. The zero value is usable.
type Options struct {
	// Clock is the time in ms. Nil: the machine's.
	Clock func() int64
	// MaxRegionsPerTable bounds the regions of one table. 0: 20000.
	MaxRegionsPerTable int
	// MaxTables bounds the tables, and by itself the namespaces. 0: 10000.
	MaxTables int
	// Log gets what no caller could act on. Nil: slog.Default().
	Log *slog.Logger
}

// Catalog is the one owner of the View. All methods are safe for concurrent
// use; changes queue behind one another.
type Catalog struct {
	engine kv.Engine
	clock  func() int64
	log    *slog.Logger
	limits Options // the bounds of it

	// What the store record says for ever. Set by Open.
	clusterID string
	createdMs int64

	view  atomic.Pointer[View]
	drain atomic.Pointer[func(*Table)]

	mu    sync.Mutex  // held by a change, and guards what follows
	store storeRecord // as stored
	// broken is set when the log failed under a change: the stored state and
	// the View may differ from then on, and no further change is made.
	broken error
}

// Open reads the catalog that an engine holds, or makes an empty one. What an
// earlier process dropped and did not live to delete is deleted now.
func Open(engine kv.Engine, o Options) (*Catalog, error) {
	c := &Catalog{engine: engine, clock: o.Clock, log: o.Log, limits: o}
	if c.clock == nil {
		c.clock = func() int64 { return time.Now().UnixMilli() }
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	if c.limits.MaxRegionsPerTable <= 0 {
		c.limits.MaxRegionsPerTable = 20000
	}
	if c.limits.MaxTables <= 0 {
		c.limits.MaxTables = 10000
	}
	l, err := load(engine)
	if err != nil {
		return nil, err
	}
	first := &change{tables: l.tables, namespaces: l.namespaces, switches: l.switches,
		sqlTables: l.sqlTables, sqlObjects: l.sqlObjects, blobs: l.blobs}
	if l.store != nil {
		first.metaReplicas = l.store.MetaReplicas
	}
	view := emptyView().with(first)
	c.view.Store(view)
	if l.store == nil {
		if len(view.Tables)+len(view.SQLTables) > 0 {
			return nil, fmt.Errorf("catalog: tables without a store record: %w", kv.ErrCorrupt)
		}
		if err := c.create(); err != nil {
			return nil, err
		}
	} else {
		c.store = *l.store
	}
	c.clusterID, c.createdMs = c.store.ClusterID, c.store.CreatedMs
	for _, id := range l.trash {
		if err := c.sweep(id); err != nil {
			return nil, fmt.Errorf("catalog: deleting dropped data %d: %w", id, err)
		}
	}
	return c, nil
}

// create writes the first records.
func (c *Catalog) create() error {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return fmt.Errorf("catalog: making a cluster id: %w", err)
	}
	id[6], id[8] = id[6]&0x0F|0x40, id[8]&0x3F|0x80 // a random UUID
	now := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.begin()
	u.store = storeRecord{
		ClusterID:  fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]),
		CreatedMs:  now,
		NextDataID: 1,
		LastID:     now,
	}
	for _, name := range []string{DefaultNamespace, SystemNamespace} {
		u.putNamespace(&Namespace{Name: name})
	}
	return u.commit()
}

// View is the catalog of now.
func (c *Catalog) View() *View { return c.view.Load() }

// ClusterID names this database for ever: a UUID.
func (c *Catalog) ClusterID() string { return c.clusterID }

// CreatedMs is when the catalog was made.
func (c *Catalog) CreatedMs() int64 { return c.createdMs }

// SetDrain sets the hook that waits until no operation uses the data of a table
// any more. It is called for a table that was disabled, dropped or truncated,
// after the new View is visible, and may block. Set it before the first change.
func (c *Catalog) SetDrain(drain func(t *Table)) { c.drain.Store(&drain) }

func (c *Catalog) drained(t *Table) {
	if f := c.drain.Load(); f != nil {
		(*f)(t)
	}
}

// update is one change on its way: records to write and what the View gets.
type update struct {
	c     *Catalog
	batch kv.Batch
	store storeRecord
	// frees says that the change makes room, and so is allowed on a full disk.
	frees bool
	change
}

// begin starts a change. c.mu is held until it is committed or given up.
func (c *Catalog) begin() *update {
	return &update{
		c: c, batch: c.engine.NewBatch(), store: c.store,
		change: change{
			tables:     map[TableName]*Table{},
			namespaces: map[string]*Namespace{},
			switches:   map[string]bool{},
		},
	}
}

// nextID gives a region id: the time in ms, but newer than every one before.
func (u *update) nextID() int64 {
	u.store.LastID = max(u.c.clock(), u.store.LastID+1)
	return u.store.LastID
}

func (u *update) nextDataID() uint64 {
	id := u.store.NextDataID
	u.store.NextDataID++
	return id
}

// putTable writes the table, and its regions if they are new.
func (u *update) putTable(t *Table, regions bool) {
	u.batch.Put(tableKey(t.Name), encode(t.record()))
	if regions {
		if old := u.c.View().Tables[t.Name]; old != nil {
			for _, r := range old.Regions {
				u.batch.Delete(regionKey(t.Name, r.Start))
			}
		}
		for _, r := range t.Regions {
			u.batch.Put(regionKey(t.Name, r.Start), encode(regionRecord{r.End, r.RegionID}))
		}
	}
	u.tables[t.Name] = t
}

func (u *update) dropTable(t *Table) {
	u.batch.Delete(tableKey(t.Name))
	for _, r := range t.Regions {
		u.batch.Delete(regionKey(t.Name, r.Start))
	}
	u.tables[t.Name] = nil
}

func (u *update) putTrash(dataIDs []uint64) {
	for _, id := range dataIDs {
		u.batch.Put(trashKey(id), encode(trashRecord{}))
	}
}

func (u *update) putNamespace(n *Namespace) {
	u.batch.Put(namespaceKey(n.Name), encode(namespaceRecord{stringRecords(n.Configuration)}))
	u.namespaces[n.Name] = n
}

// commit makes the change durable, then visible, then retires what it replaced.
func (u *update) commit() error {
	c := u.c
	if c.broken != nil {
		return fmt.Errorf("catalog: an earlier change failed: %w", c.broken)
	}
	if err := c.engine.Writable(); err != nil && !u.frees {
		return fmt.Errorf("catalog: %w", err)
	}
	if u.store != c.store {
		u.batch.Put(storeKey(), encode(u.store))
	}
	mark, err := c.engine.Apply(u.batch, kv.DurabilitySync, nil)
	if err != nil {
		if errors.Is(err, kv.ErrUndetermined) {
			c.broken = err
		}
		return fmt.Errorf("catalog: writing a change: %w", err)
	}
	if err := c.engine.WaitSynced(context.Background(), mark); err != nil {
		c.broken = err
		return fmt.Errorf("catalog: syncing a change: %w", err)
	}
	c.store = u.store
	c.publish(&u.change)
	return nil
}

func (c *Catalog) publish(ch *change) {
	old := c.view.Load()
	c.view.Store(old.with(ch))
	for name := range ch.tables {
		if t := old.Tables[name]; t != nil {
			t.Retire()
		}
	}
	for name := range ch.sqlTables {
		if t := old.SQLTables[name]; t != nil {
			t.retired.Store(true)
		}
	}
}

// discard deletes dropped data once nobody uses it. The change that dropped it
// is done: what fails here is tried again at the next start.
func (c *Catalog) discard(t *Table) {
	c.drained(t)
	for _, id := range t.DataIDs {
		if err := c.sweep(id); err != nil {
			c.log.Error("dropped data is left for the next start", "table", t.Name.String(), "data", id, "error", err)
		}
	}
}

// sweep deletes the data of an id and then the note that this has to be done.
func (c *Catalog) sweep(id uint64) error {
	data := kv.KeyRange{Start: keys.AppendData(nil, id), End: keys.AppendDataEnd(nil, id)}
	if err := c.engine.DeleteRange(context.Background(), data); err != nil {
		return err
	}
	// The id may as well have been an index of a SQL table.
	entries := kv.KeyRange{Start: keys.AppendRel(nil, id), End: keys.AppendRelEnd(nil, id)}
	if err := c.engine.DeleteRange(context.Background(), entries); err != nil {
		return err
	}
	b := c.engine.NewBatch()
	b.Delete(trashKey(id))
	_, err := c.engine.Apply(b, kv.DurabilityAsync, nil)
	return err
}

// SetMetaReplicas sets how often the region of hbase:meta is listed.
func (c *Catalog) SetMetaReplicas(n int) error {
	if n < 1 || n > maxReplicas {
		return argumentErrorf("REGION_REPLICATION of %d: it must be between 1 and %d", n, maxReplicas)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.begin()
	u.store.MetaReplicas, u.metaReplicas = n, n
	return u.commit()
}

// SetSwitch sets an administrator's boolean durably and returns what it was, or
// absent when nobody had set it.
func (c *Catalog) SetSwitch(name string, on, absent bool) (was bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was = c.View().Switch(name, absent)
	if was == on {
		return was, nil
	}
	u := c.begin()
	u.batch.Put(switchKey(name), encode(switchRecord{on}))
	u.switches[name] = on
	return was, u.commit()
}
