package hbase

import (
	"log/slog"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// Limits bound what one client can ask for. Zero means the default.
type Limits struct {
	// MaxScanners open at once, of all clients together.
	MaxScanners int
	// ScannerLease is how long a scanner lives between two calls.
	ScannerLease time.Duration
	// MaxResultBytes bounds the cells of one scan response; past it a batch is
	// cut too, for clients that know how to go on. A scan that names no size
	// gets DefaultResultBytes.
	MaxResultBytes, DefaultResultBytes int64
	// MaxReplyBytes bounds the answer to a batch from a client that does not
	// expect one to be cut.
	MaxReplyBytes int64
	// MaxMultiActions bounds the actions of one Multi.
	MaxMultiActions int
	// Filter bounds the filters that clients send.
	Filter filter.Limits
	// A scan call sends a heartbeat after half of its timeout or of the lease,
	// whichever is shorter, but no earlier than MinTimeSlice. DefaultTimeout
	// stands in for the timeout of a call that names none.
	DefaultTimeout, MinTimeSlice time.Duration
	// InlineBytes and InlineRows: larger batches and scans leave the goroutine
	// that reads the connection.
	InlineBytes, InlineRows int
}

func (l *Limits) setDefaults() {
	for _, d := range []struct {
		at    *int64
		value int64
	}{
		{&l.MaxResultBytes, 100 << 20},
		{&l.DefaultResultBytes, 2 << 20},
		{&l.MaxReplyBytes, 256 << 20},
	} {
		if *d.at == 0 {
			*d.at = d.value
		}
	}
	for _, d := range []struct {
		at    *int
		value int
	}{
		{&l.MaxScanners, 10_000},
		{&l.MaxMultiActions, 1 << 20},
		{&l.InlineBytes, 16 << 10},
		{&l.InlineRows, 100},
	} {
		if *d.at == 0 {
			*d.at = d.value
		}
	}
	for _, d := range []struct {
		at    *time.Duration
		value time.Duration
	}{
		{&l.ScannerLease, time.Minute},
		{&l.DefaultTimeout, time.Minute},
		{&l.MinTimeSlice, 10 * time.Millisecond},
	} {
		if *d.at == 0 {
			*d.at = d.value
		}
	}
}

// Config of New.
type Config struct {
	Store   *wide.Store
	Catalog *catalog.Catalog
	// Meta are the tables made from the catalog.
	Meta *meta.Meta
	// ServerName is "host,port,startcode", for messages.
	ServerName string
	Limits     Limits
	Log        *slog.Logger
	// Now is the clock of scanner leases; nil for time.Now.
	Now func() time.Time
}

// Service is HBase's ClientService over one store.
type Service struct {
	store    *wide.Store
	catalog  *catalog.Catalog
	meta     *meta.Meta
	virtuals virtualTables
	server   string
	limits   Limits
	log      *slog.Logger
	now      func() time.Time
	scanners *scannerTable
	unknown  failureLog
	stop     chan struct{}
}

// New makes the service and starts the expiry of scanner leases, which Close
// ends.
func New(c Config) *Service {
	c.Limits.setDefaults()
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	s := &Service{
		store:    c.Store,
		catalog:  c.Catalog,
		meta:     c.Meta,
		server:   c.ServerName,
		limits:   c.Limits,
		log:      c.Log,
		now:      c.Now,
		scanners: newScannerTable(c.Limits.ScannerLease, c.Limits.MaxScanners, c.Now),
		stop:     make(chan struct{}),
	}
	go s.scanners.sweep(s.stop)
	return s
}

// Close ends all scanners. Calls that still run finish.
func (s *Service) Close() {
	close(s.stop)
	s.scanners.close()
}

// OpenScanners is the number of scanners now open.
func (s *Service) OpenScanners() int { return s.scanners.count() }

// Methods are the handlers by method name.
func (s *Service) Methods() rpc.Service {
	return rpc.Service{
		"Get":                     {Handle: s.get},
		"Mutate":                  {Handle: s.mutate},
		"Multi":                   {Handle: s.multi, MayBlock: s.largeMulti},
		"Scan":                    {Handle: s.scan, MayBlock: s.longScan},
		"ExecService":             {Handle: s.execService, Blocking: true},
		"ExecRegionServerService": {Handle: s.execServerService},
		"BulkLoadHFile":           {Handle: unsupported("bulk load of HFiles (BulkLoadHFile)")},
		"PrepareBulkLoad":         {Handle: unsupported("bulk load of HFiles (PrepareBulkLoad)")},
		"CleanupBulkLoad":         {Handle: unsupported("bulk load of HFiles (CleanupBulkLoad)")},
	}
}
