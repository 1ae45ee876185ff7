package wide

import (
	"bytes"
	"context"
	"errors"
	"sort"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// mutState is what a write needs, reused.
type mutState struct {
	batch kv.Batch
	write rowWrite
	keys  []byte
	names [][]byte
	get   getState
}

func (s *Store) takeMut() *mutState {
	if m, ok := s.muts.Get().(*mutState); ok {
		return m
	}
	return &mutState{batch: s.engine.NewBatch()}
}

func (s *Store) giveMut(m *mutState) {
	m.batch.Reset()
	m.keys, m.names = m.keys[:0], m.names[:0]
	s.muts.Put(m)
}

// Mutate applies one mutation to its row, atomically, if the condition (which
// may be nil) holds.
func (s *Store) Mutate(ctx context.Context, r *catalog.Region, m *Mutation, cond *Condition) (Outcome, error) {
	one := [1]*Mutation{m}
	return s.MutateRow(ctx, r, m.Row, one[:], cond, m.NonceGroup, m.Nonce)
}

// MutateRow applies mutations of one row together, atomically, if the condition
// (which may be nil) holds. Increments and appends read the state before all of
// them. A nonce, when not 0, makes it run once.
func (s *Store) MutateRow(ctx context.Context, r *catalog.Region, row []byte, ms []*Mutation, cond *Condition, nonceGroup, nonce uint64) (Outcome, error) {
	if cond != nil && !bytes.Equal(cond.Row, row) {
		return Outcome{}, argumentf("Action's getRow must match")
	}
	if err := checkRow(r, row); err != nil {
		return Outcome{}, err
	}
	for _, m := range ms {
		if !bytes.Equal(m.Row, row) {
			return Outcome{}, argumentf("Action's getRow must match")
		}
		if cond == nil { // else, as in HBase, only once the condition holds
			if err := checkFamilies(r.Table, m); err != nil {
				return Outcome{}, err
			}
		}
		if err := s.checkCells(r, m); err != nil {
			return Outcome{}, err
		}
	}
	gate, err := s.enterWrite(r.Table)
	if err != nil {
		return Outcome{}, err
	}
	defer gate.RUnlock()
	r.CountWrites(len(ms))
	if nonce == 0 {
		return s.mutateRow(ctx, r, row, ms, cond, nil)
	}
	n, done, err := s.nonces.begin(ctx, nonceGroup, nonce)
	if err != nil {
		return Outcome{}, err
	}
	if done {
		return s.nonces.outcome(n)
	}
	out, err := s.mutateRow(ctx, r, row, ms, cond, n)
	// A condition that did not hold left nothing behind: its retry runs again.
	s.nonces.end(n, err == nil && out.Applied)
	return out, err
}

func (s *Store) enterWrite(t *catalog.Table) (interface{ RUnlock() }, error) {
	if t.ReadOnly {
		return nil, ErrReadOnly
	}
	return s.enter(t)
}

func (s *Store) mutateRow(ctx context.Context, r *catalog.Region, row []byte, ms []*Mutation, cond *Condition, n *nonce) (out Outcome, err error) {
	st := s.takeMut()
	defer s.giveMut(st)
	st.keys = keys.AppendRow(st.keys[:0], r.Table.DataID(), row)
	st.names = append(st.names[:0], st.keys)
	latch, err := s.latch(ctx, st.names)
	if err != nil {
		return out, err
	}
	unlocked := false
	unlock := func() {
		if !unlocked {
			latch.Unlock()
			unlocked = true
		}
	}
	defer unlock()
	st.batch.Reset()
	w := &st.write
	w.begin(s, r.Table, st.keys, s.o.Clock())
	out.Applied = true
	if cond != nil {
		out.Applied, err = s.holds(st, r, cond)
		for i := 0; i < len(ms) && out.Applied && err == nil; i++ {
			err = checkFamilies(r.Table, ms[i])
		}
		if err != nil || !out.Applied {
			unlock()
			out.Mark = s.engine.ReadMark(st.keys)
			return out, err
		}
	}
	for _, m := range ms {
		switch m.Kind {
		case KindPut, KindDelete:
			err = s.stageCells(st, r, m)
		default:
			err = s.stageDeltas(st, r, m, &out)
		}
		if err != nil {
			unlock()
			out.Mark = s.engine.ReadMark(st.keys)
			return out, err
		}
	}
	w.flush(st.batch)
	if n != nil {
		s.nonces.record(st.batch, n, &out)
	}
	mark, err := s.engine.Apply(st.batch, durability(r.Table, ms), latch)
	unlock()
	if err != nil {
		return out, err
	}
	s.noteWrite(r.Table, st.keys)
	// What the row showed may be of commits that are not synced yet.
	out.Mark = mark
	if cond != nil || out.Result != nil || n != nil {
		out.Mark = max(mark, s.engine.ReadMark(st.keys))
	}
	return out, nil
}

// MutateBatch applies puts and deletes of many rows, each for itself but with
// one timestamp: errs[i] is the error of ms[i]. The mark covers all of them.
func (s *Store) MutateBatch(ctx context.Context, r *catalog.Region, ms []*Mutation, errs []error) kv.Mark {
	fail := func(err error) kv.Mark {
		for i := range ms {
			if errs[i] == nil {
				errs[i] = err
			}
		}
		return 0
	}
	gate, err := s.enterWrite(r.Table)
	if err != nil {
		return fail(err)
	}
	defer gate.RUnlock()
	r.CountWrites(len(ms))
	st := s.takeMut()
	defer s.giveMut(st)
	st.keys, st.names = st.keys[:0], st.names[:0]
	ends := make([]int, 0, len(ms))
	for i, m := range ms {
		if m.Kind != KindPut && m.Kind != KindDelete {
			errs[i] = argumentf("a batch has puts and deletes only")
		} else if errs[i] = s.checkMutation(r, m); errs[i] == nil {
			st.keys = keys.AppendRow(st.keys, r.Table.DataID(), m.Row)
		}
		ends = append(ends, len(st.keys))
	}
	start := 0
	for i := range ms {
		if errs[i] == nil {
			st.names = append(st.names, st.keys[start:ends[i]:ends[i]])
		} else {
			st.names = append(st.names, nil)
		}
		start = ends[i]
	}
	locks := make([][]byte, 0, len(ms))
	for _, n := range st.names {
		if n != nil {
			locks = append(locks, n)
		}
	}
	if len(locks) == 0 {
		return 0
	}
	latch, err := s.latch(ctx, locks)
	if err != nil {
		return fail(err)
	}
	defer latch.Unlock()
	st.batch.Reset()
	now := s.o.Clock()
	d := kv.DurabilityAsync
	for i, m := range ms {
		if errs[i] != nil {
			continue
		}
		st.write.begin(s, r.Table, st.names[i], now)
		if errs[i] = s.stageCells(st, r, m); errs[i] != nil {
			continue
		}
		st.write.flush(st.batch)
		if durability(r.Table, ms[i:i+1]) == kv.DurabilitySync {
			d = kv.DurabilitySync
		}
	}
	if st.batch.Count() == 0 {
		return 0
	}
	mark, err := s.engine.Apply(st.batch, d, latch)
	if err != nil {
		return fail(err)
	}
	for i, n := range st.names {
		if errs[i] == nil {
			s.noteWrite(r.Table, n)
		}
	}
	return mark
}

// MutateRows applies puts and deletes of several rows of one region together,
// atomically, if all conditions hold.
func (s *Store) MutateRows(ctx context.Context, r *catalog.Region, ms []*Mutation, conds []*Condition) (out Outcome, err error) {
	gate, err := s.enterWrite(r.Table)
	if err != nil {
		return out, err
	}
	defer gate.RUnlock()
	r.CountWrites(len(ms))
	st := s.takeMut()
	defer s.giveMut(st)
	st.names = st.names[:0]
	name := func(row []byte) []byte { return keys.AppendRow(nil, r.Table.DataID(), row) }
	for _, m := range ms {
		if m.Kind != KindPut && m.Kind != KindDelete {
			return out, argumentf("a batch of several rows has puts and deletes only")
		}
		if err := s.checkMutation(r, m); err != nil {
			return out, err
		}
		st.names = append(st.names, name(m.Row))
	}
	for _, c := range conds {
		if err := checkRow(r, c.Row); err != nil {
			return out, err
		}
		st.names = append(st.names, name(c.Row))
	}
	latch, err := s.latch(ctx, append([][]byte(nil), st.names...))
	if err != nil {
		return out, err
	}
	defer latch.Unlock()
	st.batch.Reset()
	now := s.o.Clock()
	defer func() {
		for _, n := range st.names {
			out.Mark = max(out.Mark, s.engine.ReadMark(n))
		}
	}()
	for i, c := range conds {
		st.write.begin(s, r.Table, st.names[len(ms)+i], now)
		ok, err := s.holds(st, r, c)
		if err != nil || !ok {
			return out, err
		}
	}
	for i, m := range ms {
		st.write.begin(s, r.Table, st.names[i], now)
		if err := s.stageCells(st, r, m); err != nil {
			return out, err
		}
		st.write.flush(st.batch)
	}
	if out.Mark, err = s.engine.Apply(st.batch, durability(r.Table, ms), latch); err != nil {
		return out, err
	}
	for _, n := range st.names[:len(ms)] {
		s.noteWrite(r.Table, n)
	}
	out.Applied = true
	return out, nil
}

// latch locks rows, no longer than the store allows.
func (s *Store) latch(ctx context.Context, names [][]byte) (kv.Latch, error) {
	if l, ok := s.engine.TryLatch(names...); ok {
		return l, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.LockTimeout)
	defer cancel()
	l, err := s.engine.Latch(ctx, names...)
	if errors.Is(err, kv.ErrLockTimeout) {
		return nil, ErrRowLock
	}
	return l, err
}

// durability of mutations that are written together: the strongest of theirs.
func durability(t *catalog.Table, ms []*Mutation) kv.Durability {
	for _, m := range ms {
		d := m.Durability
		if d == catalog.UseDefault {
			d = t.Durability
		}
		if d != catalog.SkipWAL && d != catalog.AsyncWAL {
			return kv.DurabilitySync
		}
	}
	return kv.DurabilityAsync
}

// checkMutation refuses what can never be written.
func (s *Store) checkMutation(r *catalog.Region, m *Mutation) error {
	if err := checkRow(r, m.Row); err != nil {
		return err
	}
	if err := checkFamilies(r.Table, m); err != nil {
		return err
	}
	return s.checkCells(r, m)
}

// checkCells is checkMutation but for the row and the families.
func (s *Store) checkCells(r *catalog.Region, m *Mutation) error {
	if len(m.Cells) == 0 && m.Kind != KindDelete {
		return argumentf("No columns in the mutation of row %q", m.Row)
	}
	for i := range m.Cells {
		c := &m.Cells[i]
		if c.Timestamp < 0 {
			return argumentf("Timestamp cannot be negative. ts=%d", c.Timestamp)
		}
		// A put may bring markers with it; the others may not.
		if !c.Type.Valid() || m.Kind != KindPut && (m.Kind == KindDelete) != c.Type.IsDelete() {
			return argumentf("a cell of type %s in a mutation of another kind", c.Type)
		}
		if err := s.checkSize(r.Table, m.Row, c); err != nil {
			return err
		}
	}
	return nil
}

// checkFamilies refuses cells of families that the table does not have.
func checkFamilies(t *catalog.Table, m *Mutation) error {
	for i := range m.Cells {
		f := m.Cells[i].Family
		if (i == 0 || !bytes.Equal(f, m.Cells[i-1].Family)) && t.Family(f) == nil {
			return &NoFamilyError{Family: append([]byte(nil), f...), Table: t.Name.String()}
		}
	}
	return nil
}

// checkSize refuses cells past the table's limit, or the server's.
func (s *Store) checkSize(t *catalog.Table, row []byte, c *cell.Cell) error {
	limit := s.o.MaxCellBytes
	if t.MaxCellBytes != 0 {
		limit = t.MaxCellBytes
	}
	n := len(row) + len(c.Family) + len(c.Qualifier) + len(c.Value) + keyValueOverhead
	if limit > 0 && n > limit && c.Type == cell.Put {
		return &CellTooBigError{Bytes: n, Limit: limit}
	}
	return nil
}

// keyValueOverhead is what HBase's KeyValue adds to the bytes of a cell,
// its length prefix included.
const keyValueOverhead = 24

// stageCells stamps the cells of a put or delete and adds them to the write.
func (s *Store) stageCells(st *mutState, r *catalog.Region, m *Mutation) error {
	w := &st.write
	if m.Kind == KindDelete && len(m.Cells) == 0 {
		ts := m.Timestamp
		if ts == cell.Latest {
			ts = w.now
		}
		for _, f := range r.Table.Families {
			w.add(f, &cell.Cell{Timestamp: ts, Type: cell.DeleteFamily})
		}
		return nil
	}
	var f *catalog.Family
	for i := range m.Cells {
		c := m.Cells[i]
		if f == nil || !bytes.Equal(f.Name, c.Family) {
			f = r.Table.Family(c.Family)
		}
		if c.Timestamp == cell.Latest {
			c.Timestamp = w.stamp
			if c.Type == cell.Delete && m.Kind == KindDelete {
				ts, err := s.newestVersion(st, r, f, m.Cells[:i], &c)
				if err != nil {
					return err
				}
				c.Timestamp = ts
			}
		}
		if c.Type == cell.DeleteFamily || c.Type == cell.DeleteFamilyVersion {
			c.Qualifier = nil
		}
		if m.CellTTL > 0 && c.Type == cell.Put {
			c.Tags = cell.AppendTTLTag(append([]byte(nil), c.Tags...), m.CellTTL)
		}
		w.add(f, &c)
	}
	return nil
}

// newestVersion is the timestamp that a delete of the newest version stands
// for: that of the k-th newest visible one for the k-th such delete of the
// column in its mutation, or now when there is none.
func (s *Store) newestVersion(st *mutState, r *catalog.Region, f *catalog.Family, before []cell.Cell, c *cell.Cell) (int64, error) {
	k := 1
	for i := range before {
		b := &before[i]
		if b.Type == cell.Delete && b.Timestamp == cell.Latest &&
			bytes.Equal(b.Family, c.Family) && bytes.Equal(b.Qualifier, c.Qualifier) {
			k++
		}
	}
	got, err := s.readColumns(st, r, f, [][]byte{c.Qualifier}, AllTime, k)
	if err != nil {
		return 0, err
	}
	if len(got) < k {
		return st.write.now, nil
	}
	return got[k-1].Timestamp, nil
}

// collector keeps the cells that a read emits. They own their bytes.
type collector struct{ cells []cell.Cell }

func (c *collector) Cell(x *cell.Cell) { c.cells = append(c.cells, x.Clone()) }
func (c *collector) EndResult(bool)    {}

// readColumns reads columns of the row of the write at hand, which is locked.
func (s *Store) readColumns(st *mutState, r *catalog.Region, f *catalog.Family, columns [][]byte, tr TimeRange, versions int) ([]cell.Cell, error) {
	q := Query{
		Columns:    []Column{{Family: f.Name, Qualifiers: columns}},
		TimeRange:  tr,
		StoreLimit: -1, MaxVersions: versions,
	}
	return s.readLocked(st, r, &q)
}

func (s *Store) readLocked(st *mutState, r *catalog.Region, q *Query) ([]cell.Cell, error) {
	g := &st.get
	g.table = r.Table
	defer g.read.closeSources()
	if err := bind(&g.read.plan, q, r.Table, st.write.now); err != nil {
		return nil, err
	}
	g.key = append(g.key[:0], st.write.prefix...)
	var out collector
	// The row is locked: all reads of it are of one state.
	if _, err := s.readRowAt(g, s.engine, &out, true); err != nil {
		return nil, err
	}
	return out.cells, nil
}

// rowWrite collects the cells of one row that are written together, by family,
// and turns them into operands.
type rowWrite struct {
	s      *Store
	table  *catalog.Table
	prefix []byte
	now    int64
	// stamp replaces the timestamp of cells without one: now, or later when a
	// condition was checked against a later cell.
	stamp int64
	fams  []familyWrite
	n     int // of fams in use
	key   []byte
	buf   []byte
}

type familyWrite struct {
	family *catalog.Family
	cells  []cell.Cell
}

func (w *rowWrite) begin(s *Store, t *catalog.Table, prefix []byte, now int64) {
	w.s, w.table, w.prefix, w.now, w.stamp, w.n = s, t, prefix, now, now, 0
}

func (w *rowWrite) add(f *catalog.Family, c *cell.Cell) {
	if f.NewVersionBehavior {
		c.Seq = w.s.seq.Add(1)
	}
	for i := range w.fams[:w.n] {
		if w.fams[i].family == f {
			w.fams[i].cells = append(w.fams[i].cells, *c)
			return
		}
	}
	if w.n == len(w.fams) {
		w.fams = append(w.fams, familyWrite{})
	}
	fw := &w.fams[w.n]
	w.n++
	fw.family = f
	fw.cells = append(fw.cells[:0], *c)
}

// flush adds the operands to a batch.
func (w *rowWrite) flush(b kv.Batch) {
	for i := range w.fams[:w.n] {
		fw := &w.fams[i]
		fw.cells = sortCells(fw.cells)
		w.operand(b, fw)
	}
	w.n = 0
}

// operand writes the cells of one family: those with large values to keys of
// their own, with stubs for them in the operand.
func (w *rowWrite) operand(b kv.Batch, fw *familyWrite) {
	large := w.s.o.LargeValueBytes
	total := 0
	for i := range fw.cells {
		total += len(fw.cells[i].Qualifier) + len(fw.cells[i].Value)
	}
	if total > w.s.o.SpillBytes {
		// One write that alone fills a row: keep the operand small.
		large = min(large, 128)
	}
	stubs := false
	for i := range fw.cells {
		c := &fw.cells[i]
		if len(c.Value) <= large {
			continue
		}
		stubs = true
		w.key = keys.AppendCell(append(w.key[:0], w.prefix...), fw.family.ID, c.Qualifier, c.Timestamp, byte(c.Type))
		w.buf = cell.AppendCellValue(w.buf[:0], c)
		b.Put(w.key, w.buf)
	}
	w.key = keys.AppendPacked(append(w.key[:0], w.prefix...), fw.family.ID)
	if stubs {
		w.buf = cell.AppendPacked(w.buf[:0], fw.cells, func(i int) bool { return len(fw.cells[i].Value) > large }, true)
	} else {
		w.buf = cell.AppendPacked(w.buf[:0], fw.cells, nil, false)
	}
	b.Merge(w.key, w.buf)
}

// sortCells sorts cells of one row and family; of equal ones the last stays.
func sortCells(cells []cell.Cell) []cell.Cell {
	sorted := true
	for i := 1; i < len(cells) && sorted; i++ {
		sorted = cell.Compare(&cells[i-1], &cells[i]) < 0
	}
	if sorted {
		return cells
	}
	sort.SliceStable(cells, func(i, j int) bool { return cell.Compare(&cells[i], &cells[j]) < 0 })
	n := 0
	for i := range cells {
		if i+1 < len(cells) && cell.Compare(&cells[i], &cells[i+1]) == 0 {
			continue
		}
		cells[n] = cells[i]
		n++
	}
	return cells[:n]
}
