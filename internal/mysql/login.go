package mysql

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/basaltdb/basalt/internal/mysql/password"
	"github.com/basaltdb/basalt/internal/mysql/wire"
	"github.com/basaltdb/basalt/internal/sql"
)

// offered are the capabilities that the server has, but for TLS, which depends.
const offered = wire.LongPassword | wire.FoundRows | wire.LongFlag | wire.ConnectWithDB | wire.NoSchema |
	wire.Compress | wire.ODBC | wire.LocalFiles | wire.IgnoreSpace | wire.Protocol41 | wire.Interactive |
	wire.IgnoreSigpipe | wire.Transactions | wire.Reserved | wire.SecureConnection | wire.MultiStatements |
	wire.MultiResults | wire.PSMultiResults | wire.PluginAuth | wire.ConnectAttrs |
	wire.PluginAuthLenencClientData | wire.CanHandleExpiredPasswords | wire.SessionTrack | wire.DeprecateEOF

// defaultCollation is that of MySQL 8's utf8mb4.
const defaultCollation = 255

// maxAttributes of a client are kept; performance_schema shows them.
const maxAttributes = 64

// login is the connection's first exchange: the greeting, TLS if the client
// wants it, and its proof.
func (c *conn) login() error {
	c.enter(phaseLogin)
	c.scramble = newScramble()
	caps := offered
	if c.srv.cfg.TLS != nil {
		caps |= wire.SSL
	}
	c.borrowOut()
	c.out.Begin()
	c.out.Buf = wire.AppendGreeting(c.out.Buf, &wire.Greeting{
		Version:      c.srv.cfg.Engine.Version(),
		ConnectionID: c.id,
		Scramble:     c.scramble,
		Capabilities: caps,
		Charset:      defaultCollation,
		Status:       wire.Autocommit,
		AuthPlugin:   defaultPlugin,
	})
	c.out.End()

	l, err := c.readLogin()
	if err != nil {
		return err
	}
	if l.Capabilities&caps&wire.SSL != 0 && !c.tls {
		if err := c.startTLS(); err != nil {
			return fmt.Errorf("TLS handshake: %w", err)
		}
		if l, err = c.readLogin(); err != nil {
			return err
		}
	}
	c.caps = l.Capabilities & caps
	x := &exchange{c: c, scramble: c.scramble, plugin: string(l.AuthPlugin), answer: bytes.Clone(l.Auth)}
	if c.caps&wire.PluginAuth == 0 {
		x.plugin = password.Native
	}
	o := c.options(&l, uint16(l.Charset))
	if err := c.authenticate(x, &o); err != nil {
		return err
	}
	o.Disconnect = c.abort
	if c.session, err = c.srv.cfg.Engine.NewSession(o); err != nil {
		c.sendErr(err)
		return err
	}
	c.welcome(o.Database)
	if err := c.flush(); err != nil {
		return err
	}
	if o.Compressed {
		c.startCompression()
	}
	return nil
}

// readLogin reads a login, or a request for TLS. What it returns aliases the
// input.
func (c *conn) readLogin() (wire.Login, error) {
	b, err := c.readPacket(maxAuthBytes)
	if err != nil {
		return wire.Login{}, err
	}
	l, err := wire.DecodeLogin(b)
	if err != nil {
		c.sendErr(errBadHandshake)
		return l, fmt.Errorf("login: %w", err)
	}
	return l, nil
}

// options are what the session begins with. Nothing in them aliases the login.
func (c *conn) options(l *wire.Login, collation uint16) sql.SessionOptions {
	o := sql.SessionOptions{
		ConnectionID: c.id,
		User:         string(l.User),
		Address:      c.raw.RemoteAddr().String(),
		Database:     string(l.Database),
		Collation:    collation,
		FoundRows:    c.caps&wire.FoundRows != 0,
		IgnoreSpace:  c.caps&wire.IgnoreSpace != 0,
		Interactive:  c.caps&wire.Interactive != 0,
		Compressed:   c.caps&wire.Compress != 0,
	}
	if t, ok := c.nc.(*tls.Conn); ok {
		state := t.ConnectionState()
		// MySQL writes TLSv1.3 what Go writes TLS 1.3.
		o.TLSVersion = strings.Replace(tls.VersionName(state.Version), "TLS ", "TLSv", 1)
		o.TLSCipher = tls.CipherSuiteName(state.CipherSuite)
	}
	if c.raw.LocalAddr().Network() == "unix" {
		o.Address = localhost
	}
	// Attributes that are malformed are left out, as MySQL does: a login does
	// not fail by them.
	_ = wire.EachAttr(l.Attrs, func(k, v []byte) {
		if len(o.Attributes) < maxAttributes {
			o.Attributes = append(o.Attributes, [2]string{string(k), string(v)})
		}
	})
	return o
}

// localhost stands for an address over a Unix socket.
const localhost = "localhost"

// host is the client's address without a port, and whether it is this machine.
func (c *conn) host() (host string, local bool) {
	switch a := c.raw.RemoteAddr().(type) {
	case *net.TCPAddr:
		return a.IP.String(), a.IP.IsLoopback()
	default:
		return localhost, true
	}
}

// authenticate finds the account of a login and makes the client prove that it
// is its own. A refusal is sent.
func (c *conn) authenticate(x *exchange, o *sql.SessionOptions) error {
	host, local := c.host()
	a, known := c.srv.cfg.Engine.Account(o.User, host)
	known = known && (local || !a.LocalOnly) && (c.tls || !a.RequireTLS)
	if !known {
		// Nobody shall learn which accounts there are: this one has a password
		// that nothing matches.
		a = sql.Account{Plugin: defaultPlugin, Stored: noPassword}
	}
	err := x.prove(a.Plugin, a.Stored, known)
	switch {
	case errors.Is(err, errDenied):
		using := "NO"
		if x.named {
			using = "YES"
		}
		c.sendErr(&sql.Error{Code: 1045, State: "28000",
			Message: fmt.Sprintf("Access denied for user '%s'@'%s' (using password: %s)", o.User, host, using)})
	case errors.Is(err, errOldClient):
		c.sendErr(&sql.Error{Code: 1251, State: "08004",
			Message: "Client does not support authentication protocol requested by server; consider upgrading MySQL client"})
	case err == nil && a.Locked:
		err = errDenied
		c.sendErr(&sql.Error{Code: 3118, State: "HY000",
			Message: fmt.Sprintf("Access denied for user '%s'@'%s'. Account is locked.", o.User, host)})
	}
	o.Account = a
	return err
}

// noPassword is a stored form without a password.
var noPassword = password.HashSHA2(fmt.Sprintf("%x", newScramble()))

// welcome ends a login.
func (c *conn) welcome(database string) {
	c.loggedIn = true
	c.database = database
	c.sendOK(&wire.OK{Status: wire.Status(c.session.Status())})
}

// changeUser is COM_CHANGE_USER: another login on the same connection. When it
// fails the connection ends.
func (c *conn) changeUser(b []byte) error {
	l, collation, err := wire.DecodeChangeUser(b, c.caps)
	if err != nil {
		c.sendErr(errMalformed)
		return err
	}
	x := &exchange{c: c, scramble: c.scramble, answer: bytes.Clone(l.Auth)}
	if c.caps&wire.PluginAuth == 0 {
		x.plugin = password.Native
	}
	if collation == 0 {
		collation = defaultCollation
	}
	o := c.options(&l, collation)
	if err := c.authenticate(x, &o); err != nil {
		return err
	}
	c.stmts.closeAll()
	o.Disconnect = c.abort
	if err := c.session.ChangeUser(c.ctx, o); err != nil {
		c.sendErr(err)
		return err
	}
	c.welcome(o.Database)
	return nil
}
