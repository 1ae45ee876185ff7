package mysql

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/basaltdb/basalt/internal/mysql/wire"
	"github.com/basaltdb/basalt/internal/sql"
)

// errStopped ends a connection of a server that shuts down.
var errStopped = errors.New("the server shuts down")

// commandNames are what Metrics are told.
var commandNames = [...]string{
	wire.ComQuit: "quit", wire.ComInitDB: "init_db", wire.ComQuery: "query", wire.ComFieldList: "field_list",
	wire.ComRefresh: "refresh", wire.ComShutdown: "shutdown", wire.ComStatistics: "statistics",
	wire.ComProcessInfo: "process_info", wire.ComProcessKill: "process_kill", wire.ComDebug: "debug", wire.ComPing: "ping",
	wire.ComChangeUser: "change_user", wire.ComStmtPrepare: "stmt_prepare", wire.ComStmtExecute: "stmt_execute",
	wire.ComStmtSendLongData: "stmt_send_long_data", wire.ComStmtClose: "stmt_close", wire.ComStmtReset: "stmt_reset",
	wire.ComSetOption: "set_option", wire.ComStmtFetch: "stmt_fetch", wire.ComResetConnection: "reset_connection",
}

// CommandNames are all that Metrics.Observe is told.
func CommandNames() []string {
	names := []string{otherCommand}
	for _, n := range commandNames {
		if n != "" {
			names = append(names, n)
		}
	}
	return names
}

const otherCommand = "other"

// next waits for a command and answers it. An error ends the connection.
func (c *conn) next() error {
	if c.stopping.Load() {
		return errStopped
	}
	c.idleTimeout.Store(int64(c.session.IdleTimeout()))
	b, err := c.readPacket(c.session.MaxAllowedPacket())
	switch {
	case errors.Is(err, errTooBig):
		c.sendErr(errPacketTooBig)
		return err
	case errors.Is(err, errNoMemory):
		c.sendErr(errOutOfMemory)
		return err
	case err != nil && c.idledOut.Load():
		c.out.Seq = 0
		c.sendErr(errIdle)
		return err
	case err != nil:
		return err
	case len(b) == 0:
		c.sendErr(errMalformed)
		return wire.ErrMalformed
	}
	c.inCommand = true
	c.enter(phaseRunning)
	begin := time.Now()
	command := wire.Command(b[0])
	code, err := c.guarded(command, b[1:])
	c.inCommand = false
	if m := c.srv.cfg.Metrics; m != nil {
		name := otherCommand
		if int(command) < len(commandNames) && commandNames[command] != "" {
			name = commandNames[command]
		}
		m.Observe(name, time.Since(begin), code)
	}
	return err
}

// guarded runs a command. If it panics, the client learns that and the
// connection ends, since nobody knows what state its session is in.
func (c *conn) guarded(command wire.Command, b []byte) (code uint16, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.srv.cfg.Logger.Error("command failed", "client", c.raw.RemoteAddr(), "connection", c.id,
				"panic", p, "stack", string(debug.Stack()))
			code = c.sendErr(&sql.Error{Code: 1105, State: "HY000", Message: "Internal error; the server's log has more"})
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return c.command(command, b)
}

// command answers one command, b without its first byte. code is that of the
// error that was answered; err ends the connection.
func (c *conn) command(command wire.Command, b []byte) (code uint16, err error) {
	switch command {
	case wire.ComQuery:
		return c.query(string(b))
	case wire.ComStmtExecute:
		return c.execute(b)
	case wire.ComStmtPrepare:
		return c.answer(c.prepare(string(b)))
	case wire.ComStmtSendLongData:
		return 0, c.longData(b)
	case wire.ComStmtClose:
		return 0, c.closeStmt(b)
	case wire.ComStmtReset:
		return c.answer(c.resetStmt(b))
	case wire.ComStmtFetch:
		return c.answer(c.fetch(b))
	case wire.ComQuit:
		return 0, errQuit
	case wire.ComPing:
		c.ok()
	case wire.ComInitDB:
		if err := c.session.UseDatabase(c.ctx, string(b)); err != nil {
			return c.answer(err)
		}
		c.ok()
	case wire.ComFieldList:
		return c.answer(c.fieldList(b))
	case wire.ComStatistics:
		c.out.Begin()
		c.out.Buf = append(c.out.Buf, c.srv.cfg.Engine.Statistics()...)
		c.out.End()
	case wire.ComSetOption:
		return c.answer(c.setOption(b))
	case wire.ComResetConnection:
		if err := c.session.Reset(c.ctx); err != nil {
			return c.answer(err)
		}
		c.stmts.closeAll()
		c.ok()
	case wire.ComChangeUser:
		return 0, c.changeUser(b)
	case wire.ComProcessInfo:
		return c.query("SHOW PROCESSLIST")
	case wire.ComProcessKill:
		cur := wire.NewCursor(b)
		id := cur.Uint32()
		if !cur.OK() {
			return c.answer(errMalformed)
		}
		return c.query("KILL CONNECTION " + strconv.FormatUint(uint64(id), 10))
	case wire.ComRefresh:
		return c.refresh(b)
	case wire.ComShutdown:
		return c.query("SHUTDOWN")
	case wire.ComDebug:
		c.out.Begin()
		c.out.Buf = wire.AppendEndOfRows(c.out.Buf, c.caps, &wire.OK{Status: c.status()})
		c.out.End()
	default:
		return c.answer(errUnknown)
	}
	return 0, nil
}

// answer sends an error if there is one. One of the client's, met while a
// statement gave rows, ends the connection without a word.
func (c *conn) answer(err error) (uint16, error) {
	switch {
	case c.sinkErr != nil:
		return 0, c.sinkErr
	case err == nil:
		return 0, nil
	}
	code := c.sendErr(err)
	if isFatal(err) {
		return code, err
	}
	return code, nil
}

// status is the session's for the next reply.
func (c *conn) status() wire.Status { return wire.Status(c.session.Status()) }

// ok answers that something is done.
func (c *conn) ok() { c.sendOK(&wire.OK{Status: c.status()}) }

// sendOK sends an OK packet, with what changed in the session since the last.
func (c *conn) sendOK(ok *wire.OK) {
	c.noteChanges(ok)
	c.out.Begin()
	c.out.Buf = wire.AppendOK(c.out.Buf, c.caps, ok)
	c.out.End()
}

// noteChanges tells of another database, to clients that want to know.
func (c *conn) noteChanges(ok *wire.OK) {
	if c.caps&wire.SessionTrack == 0 {
		return
	}
	if now := c.session.Database(); now != c.database {
		c.database = strings.Clone(now)
		ok.Changes = wire.AppendSchemaChange(nil, now)
	}
}

// query runs a text of one statement, or of several if the client may send
// those. Each has its answer; an error is the last one.
func (c *conn) query(text string) (uint16, error) {
	if c.caps&wire.MultiStatements == 0 {
		return c.queryOne(text, false)
	}
	stmt, rest := c.session.Split(text)
	if stmt == "" {
		// Comments, perhaps: the session knows.
		return c.queryOne(text, false)
	}
	for {
		code, err := c.queryOne(stmt, rest != "")
		if code != 0 || err != nil || rest == "" {
			return code, err
		}
		stmt, rest = c.session.Split(rest)
	}
}

func (c *conn) queryOne(text string, more bool) (uint16, error) {
	c.rows.begin(false)
	result, err := c.session.Query(c.ctx, text, c)
	if err != nil {
		return c.answer(err)
	}
	c.finish(&result, more)
	return 0, c.sinkErr
}

// finish ends the answer of a statement.
func (c *conn) finish(result *sql.Result, more bool) {
	ok := wire.OK{Status: c.status(), Warnings: result.Warnings}
	if more {
		ok.Status |= wire.MoreResultsExist
	}
	if result.Rows {
		c.endRows(&ok)
		return
	}
	if c.rows.open {
		// A procedure gave rows: its own end follows them.
		between := wire.OK{Status: ok.Status | wire.MoreResultsExist}
		c.endRows(&between)
	}
	ok.AffectedRows, ok.LastInsertID, ok.Info = result.AffectedRows, result.LastInsertID, result.Info
	c.sendOK(&ok)
}

// Flags of COM_REFRESH that have a statement; the rest, of replication and
// query cache, is done by doing nothing.
var refreshes = [...]struct {
	flag      byte
	statement string
}{
	{0x01, "FLUSH PRIVILEGES"}, {0x02, "FLUSH LOGS"}, {0x04, "FLUSH TABLES"}, {0x10, "FLUSH STATUS"},
}

// refresh is what older administration tools send for FLUSH.
func (c *conn) refresh(b []byte) (uint16, error) {
	if len(b) == 0 {
		return c.answer(errMalformed)
	}
	for _, r := range refreshes {
		if b[0]&r.flag == 0 {
			continue
		}
		if _, err := c.session.Query(c.ctx, r.statement, c); err != nil {
			return c.answer(err)
		}
	}
	c.ok()
	return 0, nil
}

// Options of COM_SET_OPTION.
const (
	multiStatementsOn  = 0
	multiStatementsOff = 1
)

func (c *conn) setOption(b []byte) error {
	cur := wire.NewCursor(b)
	option := cur.Uint16()
	switch {
	case cur.OK() && option == multiStatementsOn:
		c.caps |= wire.MultiStatements
	case cur.OK() && option == multiStatementsOff:
		c.caps &^= wire.MultiStatements
	default:
		return errUnknown
	}
	c.out.Begin()
	c.out.Buf = wire.AppendEndOfRows(c.out.Buf, c.caps, &wire.OK{Status: c.status()})
	c.out.End()
	return nil
}

// fieldList answers with the definitions of a table's columns:
//
//	table 00  pattern
func (c *conn) fieldList(b []byte) error {
	cur := wire.NewCursor(b)
	table, pattern := string(cur.Null()), string(cur.Rest())
	if !cur.OK() {
		return errMalformed
	}
	columns, defaults, err := c.session.Fields(c.ctx, table, pattern)
	if err != nil {
		return err
	}
	for i := range columns {
		value := ""
		if defaults[i] != nil {
			value = *defaults[i]
		}
		w := wireColumn(&columns[i])
		c.out.Begin()
		c.out.Buf = wire.AppendFieldListColumn(c.out.Buf, &w, value, defaults[i] == nil)
		c.out.End()
	}
	c.out.Begin()
	c.out.Buf = wire.AppendEndOfRows(c.out.Buf, c.caps, &wire.OK{Status: c.status()})
	c.out.End()
	return nil
}
