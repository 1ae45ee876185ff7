package client

import (
	"context"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/basaltdb/basalt/client/internal/rpc"
)

// Client talks to one cluster. It is safe for concurrent use; programs usually
// have one. Nothing is connected before it is needed.
type Client struct {
	config   Config
	registry registry
	counters rpc.Counters
	retries  atomic.Uint64
	moves    atomic.Uint64
	lookups  atomic.Uint64

	// ctx ends when the client is closed.
	ctx    context.Context
	cancel context.CancelFunc

	nonceGroup uint64
	batches    chan struct{} // a place for each batch call in flight; nil: no bound

	meta metaLocation

	mu      sync.Mutex
	servers map[string]*server
	tables  map[string]*Table
	closed  bool
}

// Open makes a client for the cluster at target:
//
//	zk://HOST:PORT,HOST:PORT/ZNODE   the ZooKeeper quorum, and where HBase's
//	                                 znodes are (default /hbase)
//	rpc://HOST:PORT,HOST:PORT        masters or region servers, asked over RPC
//
// zk is also called hbase and hbase+zk, rpc also hbase+rpc; without a scheme it
// is zk. Ports may be left out: 2181 and 16000.
func Open(target string, config Config) (*Client, error) {
	at, err := parseTarget(target)
	if err != nil {
		return nil, err
	}
	if err := config.setDefaults(); err != nil {
		return nil, err
	}
	c := &Client{
		config: config, nonceGroup: rand.Uint64() | 1,
		servers: make(map[string]*server), tables: make(map[string]*Table),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.meta.lock = make(chan struct{}, 1)
	if config.MaxBatches > 0 {
		c.batches = make(chan struct{}, config.MaxBatches)
	}
	if at.zk {
		c.registry = &zkRegistry{c: c, hosts: at.hosts, parent: at.parent}
	} else {
		c.registry = newRPCRegistry(c, at.hosts)
	}
	return c, nil
}

// Close ends all calls in flight, closes all connections, and returns when their
// goroutines have ended. Scanners and mutators of the client fail afterwards.
func (c *Client) Close() error {
	c.cancel()
	c.mu.Lock()
	c.closed = true
	servers := c.servers
	c.servers = nil
	c.mu.Unlock()
	for _, s := range servers {
		s.close()
	}
	c.registry.close()
	return nil
}

// Stats counts what a client did since it was opened.
type Stats struct {
	// Calls is the number of requests sent, of any kind.
	Calls uint64
	// BytesOut and BytesIn are what went over connections to servers.
	BytesOut, BytesIn uint64
	// Dials is the number of connections that were tried to open.
	Dials uint64
	// Retries is the number of attempts that failed and were followed by
	// another.
	Retries uint64
	// Moves is the number of answers that a region is not where it was.
	Moves uint64
	// MetaLookups is the number of questions to hbase:meta.
	MetaLookups uint64
}

// Stats returns the counters as they are now.
func (c *Client) Stats() Stats {
	return Stats{
		Calls: c.counters.Calls.Load(), BytesOut: c.counters.BytesOut.Load(), BytesIn: c.counters.BytesIn.Load(),
		Dials: c.counters.Dials.Load(), Retries: c.retries.Load(), Moves: c.moves.Load(), MetaLookups: c.lookups.Load(),
	}
}

// server is one server's connections, a pool for each service.
type server struct {
	addr    string
	client  *rpc.Pool
	batches chan struct{} // as Client's
	c       *Client

	mu     sync.Mutex
	pools  map[string]*rpc.Pool // of other services
	closed bool
}

// server returns the server at an address.
func (c *Client) server(addr string) (*server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	s := c.servers[addr]
	if s == nil {
		s = &server{addr: addr, c: c, pools: make(map[string]*rpc.Pool)}
		s.client = c.pool(addr, "ClientService", c.config.ConnectionsPerServer)
		if n := c.config.MaxBatchesPerServer; n > 0 {
			s.batches = make(chan struct{}, n)
		}
		c.servers[addr] = s
	}
	return s, nil
}

func (c *Client) pool(addr, service string, size int) *rpc.Pool {
	return rpc.NewPool(addr, size, c.config.Dial, c.config.DialTimeout, c.options(service))
}

// service returns the connection for a service other than ClientService.
func (s *server) service(name string) (*rpc.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	p := s.pools[name]
	if p == nil {
		p = s.c.pool(s.addr, name, 1)
		s.pools[name] = p
	}
	return p, nil
}

func (s *server) close() {
	s.client.Close()
	s.mu.Lock()
	s.closed = true
	pools := s.pools
	s.mu.Unlock()
	for _, p := range pools {
		p.Close()
	}
}

func joinHostPort(host string, port uint32) string {
	return net.JoinHostPort(host, strconv.FormatUint(uint64(port), 10))
}
