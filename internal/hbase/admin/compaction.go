package admin

import (
	"context"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// Bounds of the compactions that clients ask for.
const (
	compactionsAtOnce  = 2
	compactionsWaiting = 50000
)

// compactionTries is how often a compaction starts again because the table
// changed under it.
const compactionTries = 5

// job is one wanted compaction. Until it starts, equal ones are one.
type job struct {
	region string // encoded
	family string // "": all
	major  bool
}

// compactions runs them in the background, a few at a time, and knows which
// regions have one waiting or running: clients poll for that.
type compactions struct {
	c      *Config
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{}
	jobs   sync.WaitGroup

	mu      sync.Mutex
	waiting map[job]bool
	// minor and major count what waits or runs, by encoded region name.
	minor, major map[string]int
	// done is when the newest major compaction of a family began, by encoded
	// region name and family id.
	done map[string]map[uint32]int64
}

func newCompactions(c *Config) *compactions {
	ctx, cancel := context.WithCancel(context.Background())
	return &compactions{
		c: c, ctx: ctx, cancel: cancel,
		slots:   make(chan struct{}, compactionsAtOnce),
		waiting: map[job]bool{},
		minor:   map[string]int{},
		major:   map[string]int{},
		done:    map[string]map[uint32]int64{},
	}
}

func (cs *compactions) close() {
	cs.cancel()
	cs.jobs.Wait()
}

// start takes a job on. When it returns, state shows it.
func (cs *compactions) start(j job) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	switch {
	case cs.ctx.Err() != nil:
		return cs.ctx.Err()
	case cs.waiting[j]:
		return nil
	case len(cs.waiting) >= compactionsWaiting:
		return rpc.Retryf(classRegionTooBusy, "%d compactions are waiting already", len(cs.waiting))
	}
	cs.waiting[j] = true
	cs.count(j)[j.region]++
	cs.jobs.Add(1)
	go cs.run(j)
	return nil
}

func (cs *compactions) count(j job) map[string]int {
	if j.major {
		return cs.major
	}
	return cs.minor
}

func (cs *compactions) run(j job) {
	defer cs.jobs.Done()
	select {
	case cs.slots <- struct{}{}:
		defer func() { <-cs.slots }()
	case <-cs.ctx.Done():
	}
	cs.mu.Lock()
	wanted := cs.waiting[j]
	delete(cs.waiting, j)
	cs.mu.Unlock()

	began := cs.c.Clock()
	var region *catalog.Region
	var err error
	if wanted {
		region, err = cs.compact(j)
	}
	if err != nil && cs.ctx.Err() == nil {
		cs.c.Log.Warn("compaction failed", "region", j.region, "family", j.family, "major", j.major, "error", err)
	}

	cs.mu.Lock()
	defer cs.mu.Unlock()
	if err == nil && j.major && region != nil {
		cs.record(region, j.family, began)
	}
	if count := cs.count(j); count[j.region] > 1 {
		count[j.region]--
	} else {
		delete(count, j.region)
	}
}

// compact does the work. It returns the region that was compacted, nil when it
// is gone or closed by now.
func (cs *compactions) compact(j job) (region *catalog.Region, err error) {
	for try := range compactionTries {
		if err := cs.ctx.Err(); err != nil {
			return nil, err
		}
		region = cs.c.Catalog.View().ByEncoded[j.region]
		if region == nil || region.Table.State != catalog.Enabled {
			return nil, nil
		}
		if !j.major {
			return region, cs.c.Engine.Compact(cs.ctx, keyRange(region))
		}
		var family []byte
		if j.family != "" {
			family = []byte(j.family)
		}
		err = cs.c.Store.MajorCompact(cs.ctx, region, family)
		if err == nil || !region.Table.Retired() {
			return region, err
		}
		time.Sleep(time.Duration(try) * 10 * time.Millisecond)
	}
	return region, err
}

// clear drops what waits and has not begun.
func (cs *compactions) clear() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	clear(cs.waiting)
}

// record notes a finished major compaction. cs.mu is held.
func (cs *compactions) record(region *catalog.Region, family string, began int64) {
	v := cs.c.Catalog.View()
	if len(cs.done) > len(v.ByEncoded)+1000 {
		for name := range cs.done {
			if v.ByEncoded[name] == nil {
				delete(cs.done, name)
			}
		}
	}
	times := cs.done[region.Encoded]
	if times == nil {
		times = map[uint32]int64{}
		cs.done[region.Encoded] = times
	}
	for _, f := range region.Table.Families {
		if family == "" || family == string(f.Name) {
			times[f.ID] = began
		}
	}
}

// last is when the oldest of the families' newest major compactions began,
// leaving out families that never had one; 0 if none had.
func (cs *compactions) last(region *catalog.Region) int64 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	oldest := int64(0)
	for _, f := range region.Table.Families {
		if at, ok := cs.done[region.Encoded][f.ID]; ok && (oldest == 0 || at < oldest) {
			oldest = at
		}
	}
	return oldest
}

func (cs *compactions) state(region *catalog.Region) adminpb.CompactionState {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	minor, major := cs.minor[region.Encoded] > 0, cs.major[region.Encoded] > 0
	switch {
	case minor && major:
		return adminpb.CompactionState_MAJOR_AND_MINOR
	case major:
		return adminpb.CompactionState_MAJOR
	case minor:
		return adminpb.CompactionState_MINOR
	}
	return adminpb.CompactionState_NO_COMPACTION
}

// compactRegion starts a compaction and does not wait for it.
func (a *Admin) compactRegion(_ context.Context, q *adminpb.CompactRegionRequest) (*adminpb.CompactRegionResponse, error) {
	r, err := a.open(q.GetRegion())
	if err != nil {
		return nil, err
	}
	if len(q.GetFamily()) > 0 && r.Table.Family(q.GetFamily()) == nil {
		return nil, rpc.Errorf(classNoFamily, "column family %s does not exist in region %s",
			q.GetFamily(), catalog.DisplayBytes(r.Name))
	}
	// A virtual table has no data to compact. With the switch off HBase drops
	// the request too, but without a word.
	switch {
	case r.Table.Name.IsSystem():
		return &adminpb.CompactRegionResponse{}, nil
	case !a.Catalog.View().Switch(switchCompaction, true):
		return nil, rpc.Errorf(classDoNotRetry, "Compactions are switched off (compaction_switch)")
	}
	return &adminpb.CompactRegionResponse{}, a.compactions.start(job{r.Encoded, string(q.GetFamily()), q.GetMajor()})
}

func (a *Admin) compactionSwitch(_ context.Context, q *adminpb.CompactionSwitchRequest) (*adminpb.CompactionSwitchResponse, error) {
	was, err := a.set(switchCompaction, q.GetEnabled())
	return &adminpb.CompactionSwitchResponse{PrevState: was}, err
}

func (a *Admin) lastMajorCompaction(_ context.Context, q *adminpb.MajorCompactionTimestampRequest) (*adminpb.MajorCompactionTimestampResponse, error) {
	oldest := int64(0)
	if t, err := a.table(tableName(q.GetTableName())); err == nil {
		for i, r := range t.Regions {
			if at := a.compactions.last(r); i == 0 || at < oldest {
				oldest = at
			}
		}
	}
	return &adminpb.MajorCompactionTimestampResponse{CompactionTimestamp: &oldest}, nil
}

func (a *Admin) lastMajorCompactionOfRegion(_ context.Context, q *adminpb.MajorCompactionTimestampForRegionRequest) (*adminpb.MajorCompactionTimestampResponse, error) {
	at := int64(0)
	if r := a.region(q.GetRegion().GetValue()); r != nil {
		at = a.compactions.last(r)
	}
	return &adminpb.MajorCompactionTimestampResponse{CompactionTimestamp: &at}, nil
}
