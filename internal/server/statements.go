package server

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/basaltdb/basalt/internal/mysql"
)

// statements is mysql.Metrics and a prometheus.Collector, as calls is for HBase.
type statements struct {
	errors *prometheus.CounterVec
	known  map[string]*statementCounts
}

type statementCounts struct {
	buckets [len(callBuckets) + 1]atomic.Uint64 // the last: longer than all
	nanos   atomic.Int64
}

var statementSeconds = prometheus.NewDesc("basalt_mysql_command_seconds",
	"Time from the arrival of a command to its answer.", []string{"command"}, nil)

// newStatements registers the counters of all commands.
func (m *metrics) newStatements() *statements {
	s := &statements{
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "basalt_mysql_errors_total",
			Help: "Commands that were answered with an error, by its code.",
		}, []string{"command", "code"}),
		known: make(map[string]*statementCounts),
	}
	for _, name := range mysql.CommandNames() {
		s.known[name] = &statementCounts{}
	}
	m.registry.MustRegister(s, s.errors)
	return s
}

// Observe implements mysql.Metrics.
func (s *statements) Observe(command string, d time.Duration, code uint16) {
	c := s.known[command]
	i := 0
	for i < len(callBuckets) && d > callBuckets[i] {
		i++
	}
	c.buckets[i].Add(1)
	c.nanos.Add(int64(d))
	if code != 0 {
		s.errors.WithLabelValues(command, strconv.Itoa(int(code))).Inc()
	}
}

// Describe implements prometheus.Collector.
func (s *statements) Describe(ch chan<- *prometheus.Desc) { ch <- statementSeconds }

// Collect implements prometheus.Collector.
func (s *statements) Collect(ch chan<- prometheus.Metric) {
	for name, c := range s.known {
		below := make(map[float64]uint64, len(callBuckets))
		var count uint64
		for i := range c.buckets {
			count += c.buckets[i].Load()
			if i < len(callBuckets) {
				below[callBuckets[i].Seconds()] = count
			}
		}
		ch <- prometheus.MustNewConstHistogram(statementSeconds, count, time.Duration(c.nanos.Load()).Seconds(), below, name)
	}
}
