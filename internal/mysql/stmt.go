package mysql

import (
	"fmt"

	"github.com/basaltdb/basalt/internal/mysql/wire"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql"
)

// statements are a connection's prepared ones.
type statements struct {
	srv  *Server
	byID map[uint32]*statement
	last uint32
}

// statement is a prepared one with what its client has bound.
type statement struct {
	id   uint32
	stmt sql.Stmt
	// types are those of the last execute that sent them; bound tells that one
	// did. args is used again by each execute.
	types []wire.ParamType
	bound bool
	args  []sql.Value
	// long has the parameters that came as long data, nil when there are none;
	// longErr is what was wrong with one, told by the next execute.
	long      [][]byte
	longBytes int
	longErr   error
	cursor    *cursor
}

func (s *statements) add(stmt sql.Stmt, params int) *statement {
	if s.byID == nil {
		s.byID = make(map[uint32]*statement)
	}
	s.last++
	st := &statement{id: s.last, stmt: stmt, types: make([]wire.ParamType, params), args: make([]sql.Value, params)}
	s.byID[st.id] = st
	return st
}

// get finds a statement for a command.
func (s *statements) get(id uint32, command string) (*statement, error) {
	if st := s.byID[id]; st != nil {
		return st, nil
	}
	return nil, &sql.Error{Code: 1243, State: "HY000",
		Message: fmt.Sprintf("Unknown prepared statement handler (%d) given to %s", id, command)}
}

func (s *statements) close(st *statement) {
	st.reset(s.srv)
	st.stmt.Close()
	delete(s.byID, st.id)
	s.srv.stmts.Add(-1)
}

func (s *statements) closeAll() {
	for _, st := range s.byID {
		s.close(st)
	}
}

// reset drops long data and the cursor.
func (st *statement) reset(srv *Server) {
	srv.budget.give(st.longBytes)
	st.long, st.longBytes, st.longErr = nil, 0, nil
	st.cursor.close()
	st.cursor = nil
}

// prepare is COM_STMT_PREPARE.
func (c *conn) prepare(text string) error {
	srv := c.srv
	if srv.stmts.Add(1) > int64(srv.cfg.MaxStatements) {
		srv.stmts.Add(-1)
		return &sql.Error{Code: 1461, State: "42000",
			Message: fmt.Sprintf("Can't create more than max_prepared_stmt_count statements (current value: %d)", srv.cfg.MaxStatements)}
	}
	stmt, err := c.session.Prepare(c.ctx, text)
	if err != nil {
		srv.stmts.Add(-1)
		return err
	}
	params, columns := stmt.Params(), stmt.Columns()
	st := c.stmts.add(stmt, len(params))
	c.out.Begin()
	c.out.Buf = wire.AppendPrepared(c.out.Buf, st.id, len(columns), len(params), 0)
	c.out.End()
	for _, definitions := range [][]sql.Column{params, columns} {
		if len(definitions) > 0 {
			c.sendDefinitions(definitions)
			c.endDefinitions()
		}
	}
	return nil
}

// execute is COM_STMT_EXECUTE.
func (c *conn) execute(b []byte) (uint16, error) {
	e, err := wire.DecodeExecute(b)
	if err != nil {
		return c.answer(errMalformed)
	}
	st, err := c.stmts.get(e.Statement, "mysqld_stmt_execute")
	if err != nil {
		return c.answer(err)
	}
	st.cursor.close()
	st.cursor = nil
	if err := st.bind(&e); err != nil {
		st.reset(c.srv)
		return c.answer(err)
	}
	c.rows.begin(true)
	if e.Cursor != 0 {
		c.rows.cursor = &cursor{budget: &c.srv.budget}
	}
	result, err := st.stmt.Execute(c.ctx, st.args, c)
	if st.long != nil || st.longErr != nil {
		st.reset(c.srv)
	}
	kept := c.rows.cursor
	c.rows.cursor = nil
	if err != nil {
		kept.close()
		return c.answer(err)
	}
	if kept != nil && result.Rows {
		st.cursor = kept
		// The one end marker, for older clients too, tells of the cursor.
		c.sendColumns(c.rows.columns)
		c.endRows(&wire.OK{Status: c.status() | wire.CursorExists, Warnings: result.Warnings})
		return 0, c.sinkErr
	}
	c.finish(&result, false)
	return 0, c.sinkErr
}

// bind fills args. Their bytes alias the packet and the long data.
func (st *statement) bind(e *wire.Execute) error {
	if len(st.args) == 0 {
		return nil
	}
	if st.longErr != nil {
		return st.longErr
	}
	p, err := e.Params(st.types)
	if err != nil {
		return errMalformed
	}
	st.bound = st.bound || p.Bound
	if !st.bound {
		return errMalformed
	}
	values := p.Values()
	for i := range st.args {
		switch {
		case st.long != nil && st.long[i] != nil:
			st.args[i] = row.BytesValue(st.long[i])
		case p.Null(i):
			st.args[i] = sql.Value{}
		default:
			if st.args[i], err = param(values, st.types[i]); err != nil {
				return err
			}
		}
	}
	if !values.OK() {
		return errMalformed
	}
	return nil
}

// param takes a value of a type.
func param(c *wire.Cursor, t wire.ParamType) (sql.Value, error) {
	switch t.Type {
	case wire.TypeNull:
		return sql.Value{}, nil
	case wire.TypeTiny:
		v := c.Byte()
		return integer(int64(int8(v)), uint64(v), t), nil
	case wire.TypeShort, wire.TypeYear:
		v := c.Uint16()
		return integer(int64(int16(v)), uint64(v), t), nil
	case wire.TypeLong, wire.TypeInt24:
		v := c.Uint32()
		return integer(int64(int32(v)), uint64(v), t), nil
	case wire.TypeLongLong:
		v := c.Uint64()
		return integer(int64(v), v, t), nil
	case wire.TypeFloat:
		return row.FloatValue(c.Float()), nil
	case wire.TypeDouble:
		return row.DoubleValue(c.Double()), nil
	case wire.TypeDate, wire.TypeDatetime, wire.TypeTimestamp:
		d := c.DateTime()
		if d.Year > 9999 || d.Month > 12 || d.Day > 31 || d.Hour > 23 || d.Minute > 59 || d.Second > 59 || d.Micro > 999999 {
			return sql.Value{}, errExecuteArguments
		}
		return row.DateTimeValue(row.Civil(d)), nil
	case wire.TypeTime:
		d := c.Duration()
		if d.Hours > maxHours || d.Minutes > 59 || d.Seconds > 59 || d.Micro > 999999 {
			return sql.Value{}, errExecuteArguments
		}
		micros := (int64(d.Hours)*3600+int64(d.Minutes)*60+int64(d.Seconds))*1e6 + int64(d.Micro)
		if d.Negative {
			micros = -micros
		}
		return sql.Value{Kind: row.Time, Num: uint64(micros)}, nil
	case wire.TypeDecimal, wire.TypeNewDecimal, wire.TypeVarchar, wire.TypeBit, wire.TypeEnum, wire.TypeSet,
		wire.TypeTinyBlob, wire.TypeMediumBlob, wire.TypeLongBlob, wire.TypeBlob, wire.TypeVarString, wire.TypeString,
		wire.TypeGeometry, wire.TypeJSON:
		return row.BytesValue(c.LenencBytes()), nil
	}
	return sql.Value{}, errExecuteArguments
}

// maxHours is the range of TIME, with room: what is beyond it is for the
// session to refuse or to cut.
const maxHours = 24 * 366

func integer(signed int64, unsigned uint64, t wire.ParamType) sql.Value {
	if t.Unsigned {
		return row.UintValue(unsigned)
	}
	return row.IntValue(signed)
}

// longData is COM_STMT_SEND_LONG_DATA, which has no answer: a piece of a
// parameter's value.
//
//	statement4  parameter2  bytes
func (c *conn) longData(b []byte) error {
	cur := wire.NewCursor(b)
	st := c.stmts.byID[cur.Uint32()]
	i := int(cur.Uint16())
	data := cur.Rest()
	switch {
	case !cur.OK():
		return wire.ErrMalformed
	case st == nil || st.longErr != nil:
		return nil
	case i >= len(st.args):
		st.longErr = errExecuteArguments
		return nil
	case st.long != nil && len(st.long[i])+len(data) > c.session.MaxAllowedPacket():
		st.longErr = errLongDataTooBig
		return nil
	case !c.srv.budget.take(len(data)):
		st.longErr = errOutOfMemory
		return nil
	}
	st.longBytes += len(data)
	if st.long == nil {
		st.long = make([][]byte, len(st.args))
	}
	if st.long[i] == nil {
		st.long[i] = []byte{} // of no bytes is not NULL
	}
	st.long[i] = append(st.long[i], data...)
	return nil
}

// closeStmt is COM_STMT_CLOSE, which has no answer.
func (c *conn) closeStmt(b []byte) error {
	cur := wire.NewCursor(b)
	st := c.stmts.byID[cur.Uint32()]
	if !cur.OK() {
		return wire.ErrMalformed
	}
	if st != nil {
		c.stmts.close(st)
	}
	return nil
}

// resetStmt is COM_STMT_RESET.
func (c *conn) resetStmt(b []byte) error {
	cur := wire.NewCursor(b)
	id := cur.Uint32()
	if !cur.OK() {
		return errMalformed
	}
	st, err := c.stmts.get(id, "mysqld_stmt_reset")
	if err != nil {
		return err
	}
	st.reset(c.srv)
	c.ok()
	return nil
}

// fetch is COM_STMT_FETCH: some more rows of a cursor.
//
//	statement4  rows4
func (c *conn) fetch(b []byte) error {
	cur := wire.NewCursor(b)
	id, n := cur.Uint32(), cur.Uint32()
	if !cur.OK() {
		return errMalformed
	}
	st, err := c.stmts.get(id, "mysqld_stmt_fetch")
	if err != nil {
		return err
	}
	if st.cursor == nil {
		return &sql.Error{Code: 1421, State: "HY000", Message: fmt.Sprintf("The statement (%d) has no open cursor.", id)}
	}
	for ; n > 0 && st.cursor.next(); n-- {
		if err := c.sendKept(st.cursor); err != nil {
			return err
		}
	}
	status := c.status() | wire.CursorExists
	if st.cursor.done() {
		status = c.status() | wire.LastRowSent
		st.cursor.close()
		st.cursor = nil
	}
	c.endRows(&wire.OK{Status: status})
	return nil
}
