package server

import (
	"crypto/tls"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/basaltdb/basalt/internal/mysql"
	"github.com/basaltdb/basalt/internal/sql"
)

// openMySQL makes the MySQL door and the language behind it, over an open store.
func (s *Server) openMySQL() error {
	cert, err := s.mysqlCertificate()
	if err != nil {
		return err
	}
	engine, err := sql.Open(sql.Options{Engine: s.engine, Catalog: s.catalog, Log: s.log})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, engine.Close)
	c := &s.config
	s.mysql = mysql.NewServer(mysql.Config{
		Engine:         engine,
		TLS:            &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		MaxConnections: c.MaxConnections,
		MaxQueuedBytes: int64(c.MaxQueueBytes),
		Logger:         s.log,
		Metrics:        s.metrics.newStatements(),
	})
	// Before the engine is closed: it waits for the sessions that use it.
	s.closers = append(s.closers, s.mysql.Close)
	return nil
}

func (s *Server) mysqlCertificate() (tls.Certificate, error) {
	c := &s.config
	if c.MySQLTLSCert == "" {
		return mysql.SelfSigned(time.Now())
	}
	cert, err := tls.LoadX509KeyPair(c.MySQLTLSCert, c.MySQLTLSKey)
	if err != nil {
		return cert, usagef("--mysql-tls-cert %s --mysql-tls-key %s: %v", c.MySQLTLSCert, c.MySQLTLSKey, err)
	}
	return cert, nil
}

func (s *Server) registerMySQLMetrics() {
	m, door := s.metrics, prometheus.Labels{"door": "mysql"}
	m.gauge("basalt_connections", "Open connections.", door, func() float64 { return float64(s.mysql.Stats().Connections) })
	m.counter("basalt_refused_connections_total", "Connections past the limit.", door,
		func() float64 { return float64(s.mysql.Stats().Refused) })
	m.gauge("basalt_mysql_queued_bytes", "Bytes of requests under way.", nil, func() float64 { return float64(s.mysql.Stats().QueuedBytes) })
	m.counter("basalt_mysql_aborted_connections_total", "Connections that ended without a good-bye.", nil,
		func() float64 { return float64(s.mysql.Stats().Aborted) })
	m.gauge("basalt_mysql_prepared_statements", "Prepared statements.", nil, func() float64 { return float64(s.mysql.Stats().Statements) })
}
