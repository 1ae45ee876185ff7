package general

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// SessionOptions of NewSession.
type SessionOptions struct {
	ID         uint32
	User, Host string // of the account
	Address    string
	FoundRows  bool
	LocalFile  bool
}

// Session is one client's session as the engine keeps it. Not safe for
// concurrent use.
type Session struct {
	*sql.BaseSession
	engine *Engine
	// Tx is the transaction that statements run in. Package sql sets it before
	// each one.
	Tx *rel.Txn
	// aliases and describes are the running statement's.
	aliases   map[string]string
	describes bool
	// For the running statement: what is locked while it is read, by table, and
	// for the tables that are not named there.
	locks  map[catalog.TableName]rel.Lock
	others rel.Lock
	// duplicate is the last refused key, for its message.
	duplicate *rel.DuplicateKeyError
	// rowKeys are keys of rows that have no other name than their values, which
	// the engine gives back to have them changed.
	rowKeys map[rowName][][]byte
	sink    answer.Sink
	// unchecked makes the engine plan changes as if foreign keys were not
	// checked: they are, by rel, with locks.
	unchecked bool
	// exact makes tables show types that compare byte by byte: by them the engine
	// decides whether an UPDATE changes a row, and 'a' to 'A' is a change.
	exact bool

	zoneName string
	zoneOf   *time.Location
}

type rowName struct {
	table  uint64
	values string
}

// NewSession opens a session. It must be closed.
func (e *Engine) NewSession(o SessionOptions) *Session {
	client := sql.Client{User: o.User, Address: o.Host}
	if o.FoundRows {
		client.Capabilities |= mysql.CapabilityClientFoundRows
	}
	s := &Session{BaseSession: sql.NewBaseSessionWithClientServer("", client, o.ID), engine: e}
	e.gms.ProcessList.AddConnection(o.ID, o.Address)
	e.gms.ProcessList.ConnectionReady(s)
	return s
}

// SetStatus sets status variables of the session.
func (s *Session) SetStatus(values map[string]string) error {
	for name, value := range values {
		if err := s.SetStatusVariable(nil, name, value); err != nil {
			return fmt.Errorf("status variable %s: %w", name, err)
		}
	}
	return nil
}

// Close frees what the engine holds for the session.
func (s *Session) Close() {
	ctx := s.context(context.Background(), "")
	_, _ = s.engine.gms.LS.ReleaseAll(ctx)
	s.engine.gms.CloseSession(s.ID())
	s.engine.gms.ProcessList.RemoveConnection(s.ID())
}

// Kill ends the running statement of a session.
func (e *Engine) Kill(id uint32) { e.gms.ProcessList.Kill(id) }

func sessionOf(ctx *sql.Context) *Session { return ctx.Session.(*Session) }

func (s *Session) context(ctx context.Context, text string) *sql.Context {
	return sql.NewContext(ctx, sql.WithSession(s), sql.WithPid(s.engine.pid.Add(1)), sql.WithQuery(text),
		sql.WithProcessList(s.engine.gms.ProcessList), sql.WithMemoryManager(s.engine.gms.MemoryManager),
		sql.WithServices(sql.Services{KillConnection: s.engine.disconnect, LoadInfile: s.localFile}))
}

// table finds a table and pins it in the transaction.
func (s *Session) table(ctx context.Context, name catalog.TableName) (*table, error) {
	var t *rel.Table
	var err error
	if s.Tx != nil {
		t, err = s.Tx.Table(ctx, name)
		var unlocked *rel.NotHeldError
		if s.describes && errors.As(err, &unlocked) {
			// LOCK TABLES does not hide what tables there are.
			if t, err = s.engine.store.Lookup(name); err == nil && t == nil {
				err = &rel.NoTableError{Name: name}
			}
		}
	} else if t, err = s.engine.store.Lookup(name); err == nil && t == nil {
		err = &rel.NoTableError{Name: name}
	}
	if err != nil {
		return nil, err
	}
	shape, err := s.engine.shapeOf(t)
	if err != nil {
		return nil, err
	}
	return &table{shape: shape, s: s}, nil
}

func (s *Session) lockOf(name catalog.TableName) rel.Lock {
	if l, ok := s.locks[name]; ok {
		return l
	}
	return s.others
}

// remember keeps the key of a row of a table without a primary key.
func (s *Session) remember(t *rel.Table, values []row.Value, pk []byte) {
	if s.rowKeys == nil {
		s.rowKeys = map[rowName][][]byte{}
	}
	n := rowName{t.Def.ID, string(t.Encode(nil, values))}
	key := string(pk)
	for _, k := range s.rowKeys[n] {
		if string(k) == key {
			return
		}
	}
	s.rowKeys[n] = append(s.rowKeys[n], []byte(key))
}

// recall takes the key of one row with these values, nil if none was read.
func (s *Session) recall(t *rel.Table, values []row.Value) []byte {
	n := rowName{t.Def.ID, string(t.Encode(nil, values))}
	known := s.rowKeys[n]
	if len(known) == 0 {
		return nil
	}
	s.rowKeys[n] = known[1:]
	return known[0]
}

// GetSessionVariable implements the engine's session.
func (s *Session) GetSessionVariable(ctx *sql.Context, name string) (any, error) {
	if s.unchecked && name == "foreign_key_checks" {
		return int8(0), nil
	}
	return s.BaseSession.GetSessionVariable(ctx, name)
}

// Variable is a session variable's value.
func (s *Session) Variable(name string) (any, error) {
	return s.GetSessionVariable(sql.NewContext(context.Background(), sql.WithSession(s)), name)
}

// SetVariable sets a session variable, as SET does.
func (s *Session) SetVariable(name string, value any) error {
	return s.SetSessionVariable(sql.NewContext(context.Background(), sql.WithSession(s)), name, value)
}

func (s *Session) uintVariable(ctx *sql.Context, name string) uint64 {
	v, err := s.GetSessionVariable(ctx, name)
	if err != nil {
		return 0
	}
	if n, ok := toInt(v); ok && n >= 0 {
		return uint64(n)
	}
	if u, ok := v.(uint64); ok {
		return u
	}
	return 0
}

func (s *Session) lockWait(ctx *sql.Context) time.Duration {
	return time.Duration(s.uintVariable(ctx, "innodb_lock_wait_timeout")) * time.Second
}

// zone is the session's time zone.
func (s *Session) zone(ctx *sql.Context) *time.Location {
	v, err := s.GetSessionVariable(ctx, "time_zone")
	name, ok := v.(string)
	if err != nil || !ok {
		return time.UTC
	}
	if s.zoneOf == nil || name != s.zoneName {
		s.zoneName, s.zoneOf = name, zoneNamed(name)
	}
	return s.zoneOf
}

// zoneNamed reads SYSTEM, an offset as +08:00, or a name.
func zoneNamed(name string) *time.Location {
	if strings.EqualFold(name, "SYSTEM") {
		return time.Local
	}
	if len(name) >= 5 && (name[0] == '+' || name[0] == '-') {
		hours, minutes, ok := strings.Cut(name[1:], ":")
		h, herr := strconv.Atoi(hours)
		m, merr := strconv.Atoi(minutes)
		if ok && herr == nil && merr == nil {
			offset := h*3600 + m*60
			if name[0] == '-' {
				offset = -offset
			}
			return time.FixedZone(name, offset)
		}
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	return time.UTC
}
