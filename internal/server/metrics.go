package server

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/basaltdb/basalt/internal/kv"
)

// metrics are what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	errors   *prometheus.CounterVec
}

func newMetrics(version string) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "basalt_hbase_errors_total",
			Help: "Calls that were answered with an exception, by its Java class.",
		}, []string{"service", "method", "class"}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "basalt_info", Help: "Always 1; the label tells the version.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	info.Set(1)
	m.registry.MustRegister(m.errors, info,
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector())
	return m
}

// gauge registers a value that is read when asked for.
func (m *metrics) gauge(name, help string, labels prometheus.Labels, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: name, Help: help, ConstLabels: labels,
	}, value))
}

// counter is gauge for what only grows.
func (m *metrics) counter(name, help string, labels prometheus.Labels, value func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: name, Help: help, ConstLabels: labels,
	}, value))
}

// engineCollector shows kv.Stats, all of one moment.
type engineCollector struct {
	engine kv.Engine
	values []engineValue
}

type engineValue struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(*kv.Stats) float64
}

func newEngineCollector(e kv.Engine) *engineCollector {
	c := &engineCollector{engine: e}
	add := func(kind prometheus.ValueType, name, help string, read func(*kv.Stats) float64) {
		c.values = append(c.values, engineValue{
			prometheus.NewDesc("basalt_engine_"+name, help, nil, nil), kind, read})
	}
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	add(counter, "cache_hits_total", "Blocks found in the block cache.", func(s *kv.Stats) float64 { return float64(s.CacheHits) })
	add(counter, "cache_misses_total", "Blocks not found in the block cache.", func(s *kv.Stats) float64 { return float64(s.CacheMisses) })
	add(gauge, "cache_bytes", "Bytes in the block cache.", func(s *kv.Stats) float64 { return float64(s.CacheBytes) })
	add(gauge, "memtable_bytes", "Bytes in memtables.", func(s *kv.Stats) float64 { return float64(s.MemtableBytes) })
	add(gauge, "disk_bytes", "Bytes on disk.", func(s *kv.Stats) float64 { return float64(s.DiskBytes) })
	add(counter, "flushes_total", "Memtables written to files.", func(s *kv.Stats) float64 { return float64(s.Flushes) })
	add(counter, "compactions_total", "Compactions.", func(s *kv.Stats) float64 { return float64(s.Compactions) })
	add(gauge, "compaction_debt_bytes", "Bytes that wait to be compacted.", func(s *kv.Stats) float64 { return float64(s.CompactionDebtBytes) })
	add(counter, "log_bytes_total", "Bytes written to the log.", func(s *kv.Stats) float64 { return float64(s.LogBytesWritten) })
	add(counter, "log_syncs_total", "Syncs of the log.", func(s *kv.Stats) float64 { return float64(s.LogSyncs) })
	add(gauge, "log_sync_p50_seconds", "Median time of a sync of the log.", func(s *kv.Stats) float64 { return s.LogSyncDurationP50.Seconds() })
	add(gauge, "log_sync_p99_seconds", "99th percentile of the time of a sync of the log.", func(s *kv.Stats) float64 { return s.LogSyncDurationP99.Seconds() })
	add(counter, "write_stalls_total", "Times that writes waited for flushes or compactions.", func(s *kv.Stats) float64 { return float64(s.WriteStalls) })
	add(counter, "write_stall_seconds_total", "Time that writes waited for flushes or compactions.", func(s *kv.Stats) float64 { return s.WriteStallDuration.Seconds() })
	add(gauge, "snapshots", "Open snapshots.", func(s *kv.Stats) float64 { return float64(s.OpenSnapshots) })
	add(gauge, "locks_held", "Row locks held.", func(s *kv.Stats) float64 { return float64(s.LocksHeld) })
	add(gauge, "locks_waiting", "Waiters for row locks.", func(s *kv.Stats) float64 { return float64(s.LocksWaiting) })
	add(counter, "deadlocks_total", "Deadlocks broken.", func(s *kv.Stats) float64 { return float64(s.Deadlocks) })
	return c
}

// Describe implements prometheus.Collector.
func (c *engineCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, v := range c.values {
		ch <- v.desc
	}
}

// Collect implements prometheus.Collector.
func (c *engineCollector) Collect(ch chan<- prometheus.Metric) {
	s := c.engine.Stats()
	for _, v := range c.values {
		ch <- prometheus.MustNewConstMetric(v.desc, v.kind, v.read(&s))
	}
}
