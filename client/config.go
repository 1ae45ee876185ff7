package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"time"

	"github.com/basaltdb/basalt/client/internal/rpc"
)

// Config sets how a client behaves. The zero value of each field stands for its
// default.
type Config struct {
	// User is the name that servers see. Default: the environment's USER.
	User string
	// ConnectionsPerServer is how many connections to each server share its
	// calls, in turn. Default: 1, which carries thousands of calls at a time.
	ConnectionsPerServer int
	// OperationTimeout bounds an operation with all its attempts; a context with
	// an earlier deadline goes first. For scans it bounds each fetch of rows.
	// Default: 60 s.
	OperationTimeout time.Duration
	// RPCTimeout bounds one call to a server. It is looked at about 20 times a
	// second. Default: 20 s.
	RPCTimeout time.Duration
	// DialTimeout bounds opening a connection. Default: 10 s.
	DialTimeout time.Duration
	// MaxAttempts bounds the attempts of an operation. Default: as many as the
	// time allows.
	MaxAttempts int
	// Pause is the wait before a second attempt; later ones wait longer.
	// Default: 100 ms.
	Pause time.Duration
	// PauseOverloaded is used in place of Pause when a server says that it has
	// too much to do. Default: 500 ms.
	PauseOverloaded time.Duration
	// MaxResponseBytes bounds a response. Default: 256 MiB.
	MaxResponseBytes int
	// MaxBatchBytes is where the actions of a batch for one server are parted
	// into several calls. Default: 4 MiB.
	MaxBatchBytes int
	// MaxBatches and MaxBatchesPerServer bound the batch calls in flight.
	// Default: no bound.
	MaxBatches          int
	MaxBatchesPerServer int
	// Dial opens network connections. Default: net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (c *Config) setDefaults() error {
	set := func(v *int, d int) error {
		if *v == 0 {
			*v = d
		}
		if *v < 0 {
			return invalid("a negative number in the configuration")
		}
		return nil
	}
	setTime := func(v *time.Duration, d time.Duration) error {
		if *v == 0 {
			*v = d
		}
		if *v < 0 {
			return invalid("a negative duration in the configuration")
		}
		return nil
	}
	if c.User == "" {
		if c.User = os.Getenv("USER"); c.User == "" {
			c.User = "basalt"
		}
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	for _, err := range []error{
		set(&c.ConnectionsPerServer, 1),
		set(&c.MaxAttempts, 1<<30),
		set(&c.MaxResponseBytes, 256<<20),
		set(&c.MaxBatchBytes, 4<<20),
		set(&c.MaxBatches, 0),
		set(&c.MaxBatchesPerServer, 0),
		setTime(&c.OperationTimeout, time.Minute),
		setTime(&c.RPCTimeout, 20*time.Second),
		setTime(&c.DialTimeout, 10*time.Second),
		setTime(&c.Pause, 100*time.Millisecond),
		setTime(&c.PauseOverloaded, 500*time.Millisecond),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// backOff is the factor on the pause before each further attempt, as HBase's own
// client has it; the last one stays.
var backOff = [...]int{1, 2, 3, 5, 10, 20, 40, 100}

// pauseFor is the wait after attempt (from 1) failed.
func (c *Config) pauseFor(p pause, attempt int) time.Duration {
	var d time.Duration
	switch p {
	case pauseNone:
		return 0
	case pauseOverloaded:
		d = c.PauseOverloaded
	default:
		d = c.Pause
	}
	d *= time.Duration(backOff[min(attempt, len(backOff))-1])
	return d + time.Duration(rand.Int64N(int64(d)/10+1))
}

// target is where to find a cluster.
type target struct {
	zk     bool
	hosts  []string // HOST:PORT
	parent string   // of HBase's znodes
}

// parseTarget reads
//
//	[zk:// | hbase:// | hbase+zk:// | rpc:// | hbase+rpc://] HOST[:PORT] {, HOST[:PORT]} [/ZNODE]
//
// As in HBase's own form HOST,HOST:PORT, the last port is that of hosts without
// one.
func parseTarget(s string) (target, error) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "zk", s
	}
	t := target{parent: "/hbase"}
	port := "16000"
	switch scheme {
	case "zk", "hbase", "hbase+zk":
		t.zk, port = true, "2181"
	case "rpc", "hbase+rpc":
	default:
		return t, invalid("target %q: unknown scheme %q, want zk:// or rpc://", s, scheme)
	}
	hosts, path, _ := strings.Cut(rest, "/")
	if path = strings.Trim(path, "/"); path != "" {
		if !t.zk {
			return t, invalid("target %q: a path, which only ZooKeeper has", s)
		}
		t.parent = "/" + path
	}
	t.hosts = strings.Split(hosts, ",")
	for i := len(t.hosts) - 1; i >= 0; i-- {
		h := t.hosts[i]
		if h == "" {
			return t, invalid("target %q: an empty host", s)
		}
		if _, p, err := net.SplitHostPort(h); err == nil {
			port = p
		} else {
			h = strings.TrimSuffix(strings.TrimPrefix(h, "["), "]")
			t.hosts[i] = net.JoinHostPort(h, port)
		}
	}
	return t, nil
}

func (c *Client) options(service string) rpc.Options {
	return rpc.Options{
		Service: service, User: c.config.User, MaxResponseBytes: c.config.MaxResponseBytes,
		WriteTimeout: c.config.RPCTimeout, Counters: &c.counters,
	}
}

func (t target) String() string {
	scheme := "rpc"
	if t.zk {
		scheme = "zk"
	}
	return fmt.Sprintf("%s://%s", scheme, strings.Join(t.hosts, ","))
}
