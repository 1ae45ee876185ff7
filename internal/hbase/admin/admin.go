package admin

import (
	"context"
	"log/slog"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
)

// Store is what the services need of the wide rows.
type Store interface {
	// MajorCompact rewrites the rows of a region, dropping all that HBase's
	// major compaction drops. A nil family means all of them.
	MajorCompact(ctx context.Context, region *catalog.Region, family []byte) error
	// MidRow is a row about in the middle of a region's data, not the first
	// one, or nil if there is none.
	MidRow(ctx context.Context, region *catalog.Region) ([]byte, error)
}

// Load is what the server has done so far.
type Load struct {
	Requests          uint64 // since start
	RequestsPerSecond uint64
}

// Config of an Admin. All fields without another word are needed.
type Config struct {
	Catalog *catalog.Catalog
	Meta    *meta.Meta
	Engine  kv.Engine
	Store   Store

	// Master and Server are the names of the two roles of this process. The
	// regions are on Server, whose name must be the one that Meta shows.
	Master, Server meta.ServerName
	// InfoPort is the port of the HTTP door, 0 when it is off.
	InfoPort uint16
	// Version is the HBase version that is reported. "": 2.6.1.
	Version string
	// Load gives the counters for the cluster status. Nil: all zero.
	Load func() Load
	// Clock is the time in ms. Nil: the machine's.
	Clock func() int64
	// Log gets failures that are nobody's request. Nil: slog.Default().
	Log *slog.Logger
}

// Admin holds the services and what they remember between calls. It is safe for
// concurrent use.
type Admin struct {
	Config
	procedures  *procedures
	compactions *compactions
}

// New makes the services.
func New(c Config) *Admin {
	if c.Version == "" {
		c.Version = "2.6.1"
	}
	if c.Load == nil {
		c.Load = func() Load { return Load{} }
	}
	if c.Clock == nil {
		c.Clock = func() int64 { return time.Now().UnixMilli() }
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	a := &Admin{Config: c}
	a.procedures = newProcedures(c.Clock)
	a.compactions = newCompactions(&a.Config)
	return a
}

// Close ends the compactions under way and waits for them.
func (a *Admin) Close() { a.compactions.close() }

// MasterService is what the master answers.
func (a *Admin) MasterService() rpc.Service {
	s := rpc.Service{}
	a.addTables(s)
	a.addListings(s)
	a.addNamespaces(s)
	a.addRegions(s)
	a.addProcedures(s)
	a.addSwitches(s)
	a.addStatus(s)
	a.addSnapshots(s)
	refuse(s, masterRefused)
	return s
}

// AdminService is what a region server answers.
func (a *Admin) AdminService() rpc.Service {
	s := rpc.Service{}
	a.addServer(s)
	refuse(s, serverRefused)
	return s
}
