package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/basaltdb/basalt/internal/hbase"
	"github.com/basaltdb/basalt/internal/hbase/admin"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/hbase/zk"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// openDoors makes what answers clients, over an open store.
func (s *Server) openDoors() error {
	c := &s.config
	s.metrics = newMetrics(c.Version)
	master, region := s.serverName(s.masterAddress()), s.serverName(s.regionAddress())
	tables := meta.New(s.catalog, region)

	s.clients = hbase.New(hbase.Config{
		Store:      s.store,
		Catalog:    s.catalog,
		Meta:       tables,
		ServerName: region.String(),
		Limits: hbase.Limits{
			MaxScanners:     c.MaxScanners,
			ScannerLease:    c.ScannerLease,
			MaxResultBytes:  int64(c.MaxResultBytes),
			MaxMultiActions: c.MaxMultiActions,
			Filter:          filter.Limits{MaxDepth: c.MaxFilterDepth},
		},
		Log: s.log,
	})
	s.onClose(s.clients.Close)

	var counted *calls
	admins := admin.New(admin.Config{
		Catalog:  s.catalog,
		Meta:     tables,
		Engine:   s.engine,
		Store:    s.store,
		Master:   master,
		Server:   region,
		InfoPort: uint16(s.addresses.HTTP.Port),
		Load:     func() admin.Load { return counted.load() },
		Log:      s.log,
	})
	s.onClose(admins.Close)

	services := map[string]rpc.Service{
		"ClientService":     s.clients.Methods(),
		"AdminService":      admins.AdminService(),
		"MasterService":     admins.MasterService(),
		"ClientMetaService": admins.RegistryService(),
	}
	counted = s.metrics.newCalls(services)
	s.rpc = rpc.NewServer(rpc.Config{
		Services:       services,
		ClusterID:      s.catalog.ClusterID(),
		Log:            s.engine,
		MaxFrameBytes:  int(c.MaxFrameBytes),
		MaxConnections: c.MaxConnections,
		MaxQueuedBytes: int64(c.MaxQueueBytes),
		Logger:         s.log,
		Metrics:        counted,
	})
	// Before the services are closed: it waits for the calls that use them.
	s.closers = append(s.closers, s.rpc.Close)
	if s.listeners.zk != nil {
		s.zk = zk.NewServer(zk.Config{
			Tree: zk.NewZnodes(zk.ZnodesConfig{
				Parent:       c.ZnodeParent,
				ClusterID:    s.catalog.ClusterID(),
				Master:       master,
				RegionServer: region,
				InfoPort:     s.addresses.HTTP.Port,
				View:         s.catalog.View,
			}),
			Zxid:           s.startCode,
			StartMs:        s.startCode,
			MaxConnections: c.MaxConnections,
			Version:        c.Version,
			Logger:         s.log,
		})
	}
	if err := s.openMySQL(); err != nil {
		return err
	}
	s.registerMetrics()
	s.registerMySQLMetrics()
	if s.listeners.http != nil {
		s.http = s.newHTTP()
	}
	return nil
}

// masterAddress is where the master's services are found. Every HBase port
// answers every service, so one door stands in for the other.
func (s *Server) masterAddress() Address {
	if s.listeners.master != nil {
		return s.addresses.Master
	}
	return s.addresses.HBase
}

// regionAddress is where the regions are found.
func (s *Server) regionAddress() Address {
	if s.listeners.hbase != nil {
		return s.addresses.HBase
	}
	return s.addresses.Master
}

func (s *Server) serverName(a Address) meta.ServerName {
	return meta.ServerName{Host: a.Host, Port: uint16(a.Port), StartCode: s.startCode}
}

func (s *Server) registerMetrics() {
	m := s.metrics
	m.registry.MustRegister(newEngineCollector(s.engine))
	m.gauge("basalt_writable", "1 while writes are accepted.", nil, func() float64 {
		if s.engine.Writable() != nil {
			return 0
		}
		return 1
	})
	m.gauge("basalt_scanners", "Open scanners.", nil, func() float64 { return float64(s.clients.OpenScanners()) })
	m.gauge("basalt_connections", "Open connections.", prometheus.Labels{"door": "hbase"},
		func() float64 { return float64(s.rpc.Stats().Connections) })
	m.gauge("basalt_hbase_queued_bytes", "Bytes of requests under way.", nil,
		func() float64 { return float64(s.rpc.Stats().QueuedBytes) })
	m.gauge("basalt_hbase_running_calls", "Calls that run beside the goroutine of their connection.", nil,
		func() float64 { return float64(s.rpc.Stats().RunningCalls) })
	m.counter("basalt_refused_connections_total", "Connections past the limit.", prometheus.Labels{"door": "hbase"},
		func() float64 { return float64(s.rpc.Stats().Refused) })
	if s.zk != nil {
		m.counter("basalt_refused_connections_total", "Connections past the limit.", prometheus.Labels{"door": "zookeeper"},
			func() float64 { return float64(s.zk.Stats().RefusedConnects) })
		m.gauge("basalt_connections", "Open connections.", prometheus.Labels{"door": "zookeeper"},
			func() float64 { return float64(s.zk.Stats().Connections) })
		m.counter("basalt_zookeeper_requests_total", "Requests of ZooKeeper clients.", nil,
			func() float64 { return float64(s.zk.Stats().Received) })
	}
}
