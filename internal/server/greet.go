package server

import (
	"fmt"
	"io"
	"time"
)

// Greet writes how each kind of client connects to the doors that are open.
func (s *Server) Greet(w io.Writer, took time.Duration) {
	a := s.addresses
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("Basalt %s is ready after %v", s.config.Version, took.Round(time.Millisecond))
	p("  data            %s (%s)", s.config.DataDir, s.durability())
	if a.ZK != (Address{}) {
		p("  ZooKeeper       %s", a.ZK)
	}
	if a.Master != (Address{}) {
		p("  HBase master    %s", a.Master)
	}
	if a.HBase != (Address{}) {
		p("  HBase           %s", a.HBase)
	}
	if a.MySQL != (Address{}) {
		p("  MySQL           %s", a.MySQL)
	}
	if s.listeners.mysqlSocket != nil {
		p("  MySQL           %s", s.config.MySQLSocket)
	}
	if a.HTTP != (Address{}) {
		p("  HTTP            http://%s/ (/readyz /healthz /metrics)", a.HTTP)
	}
	if a.ZK != (Address{}) {
		p("\nJava clients and hbase shell, in hbase-site.xml or by Configuration.set:")
		p("  hbase.zookeeper.quorum                %s", a.ZK.Host)
		p("  hbase.zookeeper.property.clientPort   %d", a.ZK.Port)
		if s.config.ZnodeParent != "/hbase" {
			p("  zookeeper.znode.parent                %s", s.config.ZnodeParent)
		}
	}
	if registry := s.masterAddress(); registry != (Address{}) {
		p("without ZooKeeper (2.5 and later; 3.0 by default):")
		p("  hbase.client.registry.impl            org.apache.hadoop.hbase.client.RpcConnectionRegistry")
		p("  hbase.client.bootstrap.servers        %s", registry)
		p("  hbase.masters                         %s", registry)
	}
	if a.ZK != (Address{}) {
		p("gohbase:          gohbase.NewClient(%q)", a.ZK)
		p("asynchbase:       new HBaseClient(%q)", a.ZK)
		p("Node:             HBase({ zookeeperHosts: [%q] })", a.ZK)
	}
	if a.MySQL != (Address{}) {
		p("\nMySQL clients, as root, without a password until it gets one:")
		p("  mysql --host=%s --port=%d --user=root", a.MySQL.Host, a.MySQL.Port)
		p("  jdbc:mysql://%s/", a.MySQL)
		p("Go:               root@tcp(%s)/", a.MySQL)
	}
	if s.listeners.mysqlSocket != nil {
		p("mysql:            mysql --socket=%s --user=root", s.config.MySQLSocket)
	}
}

func (s *Server) durability() string {
	if (*syncValue)(&s.config.Sync).String() == "os" {
		return "writes survive kill -9, not power loss: --sync=os"
	}
	return "writes survive power loss: --sync=disk"
}
