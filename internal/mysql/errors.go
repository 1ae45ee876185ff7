package mysql

import (
	"errors"
	"unicode/utf8"

	"github.com/basaltdb/basalt/internal/mysql/wire"
	"github.com/basaltdb/basalt/internal/sql"
)

// Errors of the protocol itself. Everything else comes from the session.
var (
	errBadHandshake = &sql.Error{Code: 1043, State: "08S01", Message: "Bad handshake"}
	errMalformed    = &sql.Error{Code: 1835, State: "HY000", Message: "Malformed communication packet."}
	errUnknown      = &sql.Error{Code: 1047, State: "08S01", Message: "Unknown command"}
	errPacketTooBig = &sql.Error{Code: 1153, State: "08S01", Message: "Got a packet bigger than 'max_allowed_packet' bytes"}
	errOutOfMemory  = &sql.Error{Code: 1041, State: "HY000", Message: "Out of memory; the server's bound on the requests of all clients together is reached"}
	errIdle         = &sql.Error{Code: 4031, State: "HY000", Message: "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior."}
	errNoLocalFile  = &sql.Error{Code: 3948, State: "42000",
		Message: "Loading local data is disabled; this must be enabled on both the client and server sides"}
	errNotPreparable = &sql.Error{Code: 1295, State: "HY000",
		Message: "This command is not supported in the prepared statement protocol yet"}
	errExecuteArguments = &sql.Error{Code: 1210, State: "HY000", Message: "Incorrect arguments to mysqld_stmt_execute"}
	errLongDataTooBig   = &sql.Error{Code: 1105, State: "HY000",
		Message: "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes"}
)

// maxMessageBytes is where MySQL's clients stop reading a message.
const maxMessageBytes = 511

// sendErr answers with an error. What is no sql.Error is a fault of the server,
// which is logged: its text is not for clients.
func (c *conn) sendErr(err error) (code uint16) {
	var e *sql.Error
	if !errors.As(err, &e) {
		c.srv.cfg.Logger.Error("statement failed by an internal error", "client", c.raw.RemoteAddr(), "connection", c.id, "error", err)
		e = &sql.Error{Code: 1105, State: "HY000", Message: "Internal error; the server's log has more"}
	}
	c.out.Begin()
	c.out.Buf = wire.AppendErr(c.out.Buf, e.Code, e.State, cut(e.Message, maxMessageBytes))
	c.out.End()
	return e.Code
}

// cut shortens s to at most n bytes, between two characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// isFatal tells whether the connection ends after an error.
func isFatal(err error) bool {
	var e *sql.Error
	return errors.As(err, &e) && e.Fatal
}
