package mysql

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/basaltdb/basalt/internal/sql"
)

// Config of a Server. Zero values have defaults where there is one.
type Config struct {
	// Engine runs the statements.
	Engine sql.Engine
	// TLS is for clients that ask for it; nil: it is not offered.
	TLS *tls.Config
	// Run starts f, which serves one connection until its end. nil: a goroutine
	// for each.
	Run func(f func())

	// MaxConnections bounds the open connections; further ones get error 1040.
	MaxConnections int
	// MaxQueuedBytes bounds what all connections together hold of requests.
	MaxQueuedBytes int64
	// MaxStatements bounds the prepared statements of all connections
	// (max_prepared_stmt_count); further ones get error 1461.
	MaxStatements int
	// ConnectTimeout bounds a login, however slowly it comes (connect_timeout).
	ConnectTimeout time.Duration
	// ReadTimeout bounds the wait for the rest of a packet (net_read_timeout).
	ReadTimeout time.Duration
	// WriteTimeout bounds the wait for a client to take an answer
	// (net_write_timeout).
	WriteTimeout time.Duration

	Logger  *slog.Logger
	Metrics Metrics
}

// Metrics counts commands.
type Metrics interface {
	// Observe is told of each command when it is answered: its name, how long it
	// took, and the code of the error if it was one.
	Observe(command string, d time.Duration, code uint16)
}

func (c Config) withDefaults() Config {
	if c.Run == nil {
		c.Run = func(f func()) { go f() }
	}
	if c.MaxConnections == 0 {
		c.MaxConnections = 4096
	}
	if c.MaxStatements == 0 {
		c.MaxStatements = 1 << 20
	}
	if c.MaxQueuedBytes == 0 {
		c.MaxQueuedBytes = 1 << 30
	}
	for _, d := range []struct {
		at       *time.Duration
		standard time.Duration
	}{
		{&c.ConnectTimeout, 10 * time.Second}, {&c.ReadTimeout, 30 * time.Second}, {&c.WriteTimeout, time.Minute},
	} {
		if *d.at == 0 {
			*d.at = d.standard
		}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
