package mysql

import (
	"io"
	"strconv"

	"github.com/basaltdb/basalt/internal/mysql/wire"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql"
)

// rows is the state of the result set that a statement gives.
type rows struct {
	binary  bool
	open    bool // between Columns and the end
	columns []sql.Column
	// cursor takes the rows instead of the client, when it asked for one.
	cursor *cursor
}

// begin prepares for a statement.
func (r *rows) begin(binary bool) {
	r.binary, r.open, r.columns, r.cursor = binary, false, nil, nil
}

// Columns implements sql.Sink.
func (c *conn) Columns(columns []sql.Column) error {
	r := &c.rows
	if r.open {
		// Another set of the same statement.
		ok := wire.OK{Status: c.status() | wire.MoreResultsExist}
		c.endRows(&ok)
		if c.sinkErr != nil {
			return c.sinkErr
		}
	}
	r.open, r.columns = true, columns
	if r.cursor != nil {
		return nil
	}
	c.sendColumns(columns)
	c.endDefinitions()
	return nil
}

// sendColumns sends how many there are, and each one's definition.
func (c *conn) sendColumns(columns []sql.Column) {
	c.out.Begin()
	c.out.Buf = wire.AppendLenencInt(c.out.Buf, uint64(len(columns)))
	c.out.End()
	c.sendDefinitions(columns)
}

func (c *conn) sendDefinitions(columns []sql.Column) {
	for i := range columns {
		w := wireColumn(&columns[i])
		c.out.Begin()
		c.out.Buf = wire.AppendColumn(c.out.Buf, &w)
		c.out.End()
	}
}

// endDefinitions tells older clients that there are no more.
func (c *conn) endDefinitions() {
	if c.caps&wire.DeprecateEOF == 0 {
		c.out.Begin()
		c.out.Buf = wire.AppendEndOfRows(c.out.Buf, c.caps, &wire.OK{Status: c.status()})
		c.out.End()
	}
}

func wireColumn(c *sql.Column) wire.Column {
	return wire.Column{
		Schema: c.Schema, Table: c.Table, OrgTable: c.OrgTable, Name: c.Name, OrgName: c.OrgName,
		Charset: c.Collation, Length: c.Length, Type: wire.Type(c.Type), Flags: c.Flags, Decimals: c.Decimals,
	}
}

// Row implements sql.Sink.
func (c *conn) Row(values []sql.Value) error {
	r := &c.rows
	if r.cursor != nil {
		if !r.cursor.add(r.columns, values) {
			return nil
		}
		// Too much to keep: the client gets the rows now, without a cursor.
		kept := r.cursor
		r.cursor = nil
		defer kept.close()
		c.sendColumns(r.columns)
		c.endDefinitions()
		for kept.next() {
			if err := c.sendKept(kept); err != nil {
				return err
			}
		}
		return nil
	}
	c.out.Begin()
	if r.binary {
		c.out.Buf = appendBinaryRow(c.out.Buf, r.columns, values)
	} else {
		c.out.Buf = appendTextRow(c.out.Buf, r.columns, values)
	}
	c.out.End()
	return c.flushSome()
}

// flushSome sends what there is of an answer when that is enough for a write.
func (c *conn) flushSome() error {
	if len(c.out.Buf) < flushBytes {
		return nil
	}
	if err := c.flush(); err != nil {
		c.sinkErr = err
		return err
	}
	if cap(c.out.Buf) > keepBytes {
		c.out.Buf = nil // one large row
	}
	return nil
}

// endRows ends a result set.
func (c *conn) endRows(ok *wire.OK) {
	c.noteChanges(ok)
	c.out.Begin()
	c.out.Buf = wire.AppendEndOfRows(c.out.Buf, c.caps, ok)
	c.out.End()
	c.rows.open = false
	c.flushSome() // sinkErr keeps its error
}

// appendTextRow appends a row of the text protocol.
func appendTextRow(b []byte, columns []sql.Column, values []sql.Value) []byte {
	for i := range values {
		v := &values[i]
		switch v.Kind {
		case row.Null:
			b = wire.AppendTextNull(b)
		case row.Bytes:
			b = wire.AppendLenencString(b, v.Bytes)
		case row.Int, row.Uint:
			b = appendTextInt(b, &columns[i], v)
		case row.Float:
			b = wire.AppendTextFloat(b, v.Float64(), 32, columns[i].Decimals)
		case row.Double:
			b = wire.AppendTextFloat(b, v.Float64(), 64, columns[i].Decimals)
		case row.DateTime:
			if d := wire.DateTime(v.Civil()); columns[i].Type == sql.TypeDate {
				b = wire.AppendTextDate(b, d)
			} else {
				b = wire.AppendTextDateTime(b, d, columns[i].Decimals)
			}
		case row.Time:
			b = wire.AppendTextDuration(b, duration(v.Micros()), columns[i].Decimals)
		}
	}
	return b
}

// appendTextInt appends an integer. Those with ZEROFILL, and years, fill their
// width.
func appendTextInt(b []byte, c *sql.Column, v *sql.Value) []byte {
	width := 0
	switch {
	case c.Flags&sql.FlagZerofill != 0:
		width = int(c.Length)
	case c.Type == sql.TypeYear:
		width = 4
	case v.Kind == row.Int:
		return wire.AppendTextInt(b, v.Int())
	default:
		return wire.AppendTextUint(b, v.Uint())
	}
	var digits [20]byte
	d := strconv.AppendUint(digits[:0], v.Uint(), 10)
	b = wire.AppendLenencInt(b, uint64(max(width, len(d))))
	for range width - len(d) {
		b = append(b, '0')
	}
	return append(b, d...)
}

// appendBinaryRow appends a row of the binary protocol.
func appendBinaryRow(b []byte, columns []sql.Column, values []sql.Value) []byte {
	b, bitmap := wire.AppendBinaryRow(b, len(values))
	for i := range values {
		v := &values[i]
		switch v.Kind {
		case row.Null:
			wire.SetBinaryNull(b, bitmap, i)
		case row.Bytes:
			b = wire.AppendLenencString(b, v.Bytes)
		case row.Int, row.Uint:
			b = wire.AppendBinaryInt(b, wire.Type(columns[i].Type), v.Num)
		case row.Float:
			b = wire.AppendBinaryFloat(b, float32(v.Float64()))
		case row.Double:
			b = wire.AppendBinaryDouble(b, v.Float64())
		case row.DateTime:
			if d := wire.DateTime(v.Civil()); columns[i].Type == sql.TypeDate {
				b = wire.AppendBinaryDate(b, d)
			} else {
				b = wire.AppendBinaryDateTime(b, d)
			}
		case row.Time:
			b = wire.AppendBinaryDuration(b, duration(v.Micros()))
		}
	}
	return b
}

// duration takes microseconds apart.
func duration(micros int64) wire.Duration {
	d := wire.Duration{Negative: micros < 0}
	u := uint64(micros)
	if micros < 0 {
		u = -u
	}
	d.Micro = uint32(u % 1e6)
	u /= 1e6
	d.Seconds, d.Minutes, d.Hours = uint8(u%60), uint8(u/60%60), uint32(u/3600)
	return d
}

// LocalFile implements sql.Sink.
func (c *conn) LocalFile(name string) (io.ReadCloser, error) {
	switch {
	case c.rows.binary:
		return nil, errNotPreparable
	case c.caps&wire.LocalFiles == 0:
		return nil, errNoLocalFile
	}
	c.out.Begin()
	c.out.Buf = wire.AppendLocalFile(c.out.Buf, name)
	c.out.End()
	return &localFile{c: c}, nil
}

// localFile is a file that the client sends in packets, the last one empty.
type localFile struct {
	c     *conn
	piece []byte // in the input
	ended bool
}

// Read implements io.Reader.
func (f *localFile) Read(b []byte) (int, error) {
	for len(f.piece) == 0 {
		if f.ended {
			return 0, io.EOF
		}
		piece, err := f.c.readPacket(f.c.session.MaxAllowedPacket())
		f.c.enter(phaseRunning)
		if err != nil {
			f.c.sinkErr = err
			return 0, err
		}
		f.piece, f.ended = piece, len(piece) == 0
	}
	n := copy(b, f.piece)
	f.piece = f.piece[n:]
	return n, nil
}

// Close takes what the client still sends: it sends all, whatever is wrong.
func (f *localFile) Close() error {
	f.piece = nil
	if f.ended || f.c.sinkErr != nil {
		return nil
	}
	_, err := io.Copy(io.Discard, f)
	return err
}

var _ sql.Sink = (*conn)(nil)
