package rpc

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// Config of a Server. Zero values mean the defaults below.
type Config struct {
	// Services are looked up by the name in a connection's header. Any service
	// may be asked for on any listener.
	Services map[string]Service
	// ClusterID answers clients that look for the cluster.
	ClusterID string
	// Log is what a reply's mark is held against. Without one, replies are not
	// held back.
	Log Log

	// MaxFrameBytes bounds a request, and what its cell block decompresses to.
	MaxFrameBytes int
	// MaxConnections bounds open connections: more are closed at once.
	MaxConnections int
	// MaxQueuedBytes bounds what the server holds of requests beyond each
	// connection's small read buffer. Past it calls get
	// CallQueueTooBigException.
	MaxQueuedBytes int64
	// MaxPendingBytes bounds the replies that a connection's client has not
	// taken: past it nothing more is read from the client.
	MaxPendingBytes int
	// MaxCallsPerConnection bounds the calls of a connection that run beside
	// its leader: past it nothing more is read.
	MaxCallsPerConnection int

	// HandshakeTimeout ends a connection that has not sent its header.
	HandshakeTimeout time.Duration
	// IdleTimeout > 0 ends a connection that asks nothing for so long.
	IdleTimeout time.Duration
	// StallTimeout ends a connection that stops inside a frame, or that takes
	// nothing of its replies.
	StallTimeout time.Duration
	// InlineBudget is how long a call may keep the leader of its connection.
	InlineBudget time.Duration

	Logger  *slog.Logger
	Metrics Metrics
}

// Log is the part of kv.Engine that holds replies back.
type Log interface {
	Synced() kv.Mark
	WaitSynced(ctx context.Context, m kv.Mark) error
}

// Metrics takes an observation of every call. It is called on the hot path, by
// many goroutines.
type Metrics interface {
	// Observe is told the service and method, the time from the arrival of a
	// request to its reply, the Java class of its exception ("" without one),
	// and the bytes of both frames.
	Observe(service, method string, d time.Duration, class string, inBytes, outBytes int)
}

// Stats are the gauges of a Server.
type Stats struct {
	Connections int
	// QueuedBytes is what counts against MaxQueuedBytes.
	QueuedBytes int64
	// RunningCalls run beside the leaders of their connections.
	RunningCalls int64
	// Refused counts the connections past MaxConnections, since the start.
	Refused int64
	// Dropped counts the calls whose deadline had passed before they could
	// start, since the start.
	Dropped int64
}

// Defaults.
const (
	defaultMaxFrameBytes         = 256 << 20
	defaultMaxConnections        = 4096
	defaultMaxQueuedBytes        = 1 << 30
	defaultMaxPendingBytes       = 64 << 20
	defaultMaxCallsPerConnection = 1024
	defaultHandshakeTimeout      = 10 * time.Second
	defaultStallTimeout          = time.Minute
	defaultInlineBudget          = 2 * time.Millisecond
)

func (c Config) withDefaults() Config {
	setDefault(&c.MaxFrameBytes, defaultMaxFrameBytes)
	setDefault(&c.MaxConnections, defaultMaxConnections)
	setDefault(&c.MaxQueuedBytes, defaultMaxQueuedBytes)
	setDefault(&c.MaxPendingBytes, defaultMaxPendingBytes)
	setDefault(&c.MaxCallsPerConnection, defaultMaxCallsPerConnection)
	setDefault(&c.HandshakeTimeout, defaultHandshakeTimeout)
	setDefault(&c.StallTimeout, defaultStallTimeout)
	setDefault(&c.InlineBudget, defaultInlineBudget)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Log == nil {
		c.Log = noLog{}
	}
	if c.Metrics == nil {
		c.Metrics = noMetrics{}
	}
	return c
}

func setDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

type noMetrics struct{}

func (noMetrics) Observe(string, string, time.Duration, string, int, int) {}

// noLog stands for an engine without a log: everything is synced.
type noLog struct{}

func (noLog) Synced() kv.Mark                           { return math.MaxUint64 }
func (noLog) WaitSynced(context.Context, kv.Mark) error { return nil }
