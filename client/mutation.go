package client

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// Durability is what a server does before it acknowledges a write.
type Durability uint8

// The durabilities, in HBase's numbers.
const (
	UseDefault Durability = iota // what the table says
	SkipWAL                      // nothing
	AsyncWAL                     // nothing; it is logged soon
	SyncWAL                      // it is in the log
	FsyncWAL                     // the log is on disk
)

func (d Durability) String() string {
	names := [...]string{"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"}
	if int(d) < len(names) {
		return names[d]
	}
	return fmt.Sprintf("Durability(%d)", uint8(d))
}

// Mutation is a change of one row: *Put, *Delete, *Append or *Increment.
// A mutation, and the byte slices it was made of, must not be changed until it
// has been carried out.
type Mutation interface {
	Op
	// Row is the row that it changes.
	Row() []byte
	base() *mutation
}

// mutation is what the four have in common.
type mutation struct {
	m     pb.Mutation
	cells []cell.Cell
	err   error // what is wrong with it
}

func (m *mutation) base() *mutation { return m }

// Row is the row that it changes.
func (m *mutation) Row() []byte { return m.m.Row }

func (m *mutation) rowKey() []byte { return m.m.Row }

func (m *mutation) init(row []byte, kind uint32) {
	m.m = pb.Mutation{Row: row, HasRow: true, Type: kind}
}

func (m *mutation) add(family string, qualifier, value []byte, ts int64, t cell.Type) {
	c := cell.Cell{Row: m.m.Row, Qualifier: qualifier, Value: value, Timestamp: ts, Type: t}
	// Cells of one family share its bytes.
	if n := len(m.cells); n > 0 && string(m.cells[n-1].Family) == family {
		c.Family = m.cells[n-1].Family
	} else {
		c.Family = []byte(family)
	}
	if ts < 0 && m.err == nil {
		m.err = invalid("timestamp %d", ts)
	}
	m.cells = append(m.cells, c)
}

func (m *mutation) check() error {
	if m.err != nil {
		return m.err
	}
	if err := checkRow(m.m.Row); err != nil {
		return err
	}
	if len(m.cells) == 0 && m.m.Type != pb.MutateDelete {
		return invalid("a mutation without a column")
	}
	for i := range m.cells {
		if err := checkFamily(m.cells[i].Family); err != nil {
			return err
		}
	}
	return checkTimeRange(m.m.TimeRange)
}

// size is about what it takes in a request.
func (m *mutation) size() int {
	n := 64 + len(m.m.Row)
	for i := range m.cells {
		n += wire.KeyValueSize(&m.cells[i], false)
	}
	return n
}

// withNonce gives an increment or append the number by which a server
// recognises that it was sent before.
func (m *mutation) withNonce() {
	if m.counts() && !m.m.HasNonce {
		m.m.Nonce, m.m.HasNonce = rand.Uint64()|1, true
	}
}

// counts: doing it twice is not as doing it once.
func (m *mutation) counts() bool {
	return m.m.Type == pb.MutateIncrement || m.m.Type == pb.MutateAppend
}

func (m *mutation) setAttribute(name string, value []byte) {
	m.m.Attributes = setAttribute(m.m.Attributes, name, value)
}

func (m *mutation) setTTL(ttl time.Duration) {
	m.setAttribute("_ttl", binary.BigEndian.AppendUint64(nil, uint64(max(ttl.Milliseconds(), 0))))
}

func (m *mutation) setReturnResults(want bool) {
	b := byte(0xff)
	if !want {
		b = 0
	}
	m.setAttribute("_rr_", []byte{b})
}

// Put writes cells of a row.
type Put struct{ mutation }

// NewPut makes a Put without cells.
func NewPut(row []byte) *Put {
	p := new(Put)
	p.init(row, pb.MutatePut)
	return p
}

// Add adds a cell with the server's time as its version.
func (p *Put) Add(family string, qualifier, value []byte) *Put {
	p.add(family, qualifier, value, LatestTimestamp, cell.Put)
	return p
}

// AddAt adds a cell of that version.
func (p *Put) AddAt(family string, qualifier []byte, ts int64, value []byte) *Put {
	p.add(family, qualifier, value, ts, cell.Put)
	return p
}

// SetDurability chooses what is done before the answer.
func (p *Put) SetDurability(d Durability) *Put {
	p.m.Durability = uint32(d)
	return p
}

// SetTTL lets the cells expire after a while, in whole milliseconds.
func (p *Put) SetTTL(ttl time.Duration) *Put {
	p.setTTL(ttl)
	return p
}

// SetAttribute sets an attribute, which coprocessors of the server may read.
func (p *Put) SetAttribute(name string, value []byte) *Put {
	p.setAttribute(name, value)
	return p
}

// Delete deletes cells of a row, or the row when nothing is added to it.
type Delete struct{ mutation }

// NewDelete makes a Delete of the whole row.
func NewDelete(row []byte) *Delete {
	d := new(Delete)
	d.init(row, pb.MutateDelete)
	return d
}

// SetTimestamp makes a Delete of the whole row one of the versions up to ts.
func (d *Delete) SetTimestamp(ts int64) *Delete {
	d.m.Timestamp, d.m.HasTimestamp = ts, true
	if ts < 0 {
		d.err = invalid("timestamp %d", ts)
	}
	return d
}

// AddColumn deletes the newest version of a column. The server has to read to
// find it; AddColumns is cheaper.
func (d *Delete) AddColumn(family string, qualifier []byte) *Delete {
	d.add(family, qualifier, nil, LatestTimestamp, cell.Delete)
	return d
}

// AddColumnAt deletes one version of a column.
func (d *Delete) AddColumnAt(family string, qualifier []byte, ts int64) *Delete {
	d.add(family, qualifier, nil, ts, cell.Delete)
	return d
}

// AddColumns deletes all versions of a column.
func (d *Delete) AddColumns(family string, qualifier []byte) *Delete {
	d.add(family, qualifier, nil, LatestTimestamp, cell.DeleteColumn)
	return d
}

// AddColumnsUpTo deletes all versions of a column up to ts.
func (d *Delete) AddColumnsUpTo(family string, qualifier []byte, ts int64) *Delete {
	d.add(family, qualifier, nil, ts, cell.DeleteColumn)
	return d
}

// AddFamily deletes all columns of a family.
func (d *Delete) AddFamily(family string) *Delete {
	d.add(family, nil, nil, LatestTimestamp, cell.DeleteFamily)
	return d
}

// AddFamilyUpTo deletes all versions up to ts of all columns of a family.
func (d *Delete) AddFamilyUpTo(family string, ts int64) *Delete {
	d.add(family, nil, nil, ts, cell.DeleteFamily)
	return d
}

// AddFamilyVersion deletes one version of all columns of a family.
func (d *Delete) AddFamilyVersion(family string, ts int64) *Delete {
	d.add(family, nil, nil, ts, cell.DeleteFamilyVersion)
	return d
}

// SetDurability chooses what is done before the answer.
func (d *Delete) SetDurability(durability Durability) *Delete {
	d.m.Durability = uint32(durability)
	return d
}

// SetAttribute sets an attribute, which coprocessors of the server may read.
func (d *Delete) SetAttribute(name string, value []byte) *Delete {
	d.setAttribute(name, value)
	return d
}

// Append appends to the values of columns.
type Append struct{ mutation }

// NewAppend makes an Append without columns.
func NewAppend(row []byte) *Append {
	a := new(Append)
	a.init(row, pb.MutateAppend)
	return a
}

// Add appends to the value of a column; one that is not there is empty.
func (a *Append) Add(family string, qualifier, value []byte) *Append {
	a.add(family, qualifier, value, LatestTimestamp, cell.Put)
	return a
}

// SetTimeRange looks for the old values among versions from min up to max.
func (a *Append) SetTimeRange(min, max int64) *Append {
	a.m.TimeRange, a.m.HasTimeRange = pb.TimeRange{Min: min, Max: max}, true
	return a
}

// SetReturnResults tells whether the new values should come back; they do unless
// told.
func (a *Append) SetReturnResults(want bool) *Append {
	a.setReturnResults(want)
	return a
}

// SetDurability chooses what is done before the answer.
func (a *Append) SetDurability(d Durability) *Append {
	a.m.Durability = uint32(d)
	return a
}

// SetTTL lets the new cells expire after a while, in whole milliseconds.
func (a *Append) SetTTL(ttl time.Duration) *Append {
	a.setTTL(ttl)
	return a
}

// SetAttribute sets an attribute, which coprocessors of the server may read.
func (a *Append) SetAttribute(name string, value []byte) *Append {
	a.setAttribute(name, value)
	return a
}

// Increment adds to columns that hold numbers of 8 bytes.
type Increment struct{ mutation }

// NewIncrement makes an Increment without columns.
func NewIncrement(row []byte) *Increment {
	i := new(Increment)
	i.init(row, pb.MutateIncrement)
	return i
}

// Add adds amount to a column; one that is not there is 0.
func (i *Increment) Add(family string, qualifier []byte, amount int64) *Increment {
	i.add(family, qualifier, binary.BigEndian.AppendUint64(nil, uint64(amount)), LatestTimestamp, cell.Put)
	return i
}

// SetTimeRange looks for the old values among versions from min up to max.
func (i *Increment) SetTimeRange(min, max int64) *Increment {
	i.m.TimeRange, i.m.HasTimeRange = pb.TimeRange{Min: min, Max: max}, true
	return i
}

// SetReturnResults tells whether the new values should come back; they do unless
// told.
func (i *Increment) SetReturnResults(want bool) *Increment {
	i.setReturnResults(want)
	return i
}

// SetDurability chooses what is done before the answer.
func (i *Increment) SetDurability(d Durability) *Increment {
	i.m.Durability = uint32(d)
	return i
}

// SetTTL lets the new cells expire after a while, in whole milliseconds.
func (i *Increment) SetTTL(ttl time.Duration) *Increment {
	i.setTTL(ttl)
	return i
}

// SetAttribute sets an attribute, which coprocessors of the server may read.
func (i *Increment) SetAttribute(name string, value []byte) *Increment {
	i.setAttribute(name, value)
	return i
}

// Int64 reads the value of a column that increments count in; false when it is
// not there or has not 8 bytes.
func (r *Result) Int64(family string, qualifier []byte) (int64, bool) {
	v := r.Value(family, qualifier)
	if len(v) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(v)), true
}
