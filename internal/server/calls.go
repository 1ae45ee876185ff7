package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/basaltdb/basalt/internal/hbase/admin"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// calls is rpc.Metrics and a prometheus.Collector. It counts by plain atomics
// and makes Prometheus's forms of them when asked for: the library's own
// histogram costs a tenth of what a Get does.
//
// The methods that there are were entered before the first call; any other name
// counts as one, so that a client cannot make labels.
type calls struct {
	errors *prometheus.CounterVec
	known  map[callName]*callCounts
	other  *callCounts
	rate   rate
}

type callName struct{ service, method string }

type callCounts struct {
	name              callName
	buckets           [len(callBuckets) + 1]atomic.Uint64 // the last: longer than all
	nanos             atomic.Int64
	inBytes, outBytes atomic.Int64
}

// callBuckets are the upper bounds of the histogram's buckets, two a decade: a
// Get takes some 10 us.
var callBuckets = [...]time.Duration{
	10 * time.Microsecond, 30 * time.Microsecond, 100 * time.Microsecond, 300 * time.Microsecond,
	time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond,
	100 * time.Millisecond, 300 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second,
}

var (
	callSeconds = prometheus.NewDesc("basalt_hbase_call_seconds",
		"Time from the arrival of a request to its reply.", []string{"service", "method"}, nil)
	callBytes = prometheus.NewDesc("basalt_hbase_bytes_total",
		"Bytes of requests (in) and replies (out).", []string{"service", "method", "direction"}, nil)
)

// newCalls registers the counters of all methods of the services.
func (m *metrics) newCalls(services map[string]rpc.Service) *calls {
	c := &calls{
		errors: m.errors,
		known:  make(map[callName]*callCounts),
		other:  &callCounts{name: callName{"other", "other"}},
	}
	for service, methods := range services {
		for method := range methods {
			n := callName{service, method}
			c.known[n] = &callCounts{name: n}
		}
	}
	m.registry.MustRegister(c)
	return c
}

// Observe implements rpc.Metrics.
func (c *calls) Observe(service, method string, d time.Duration, class string, inBytes, outBytes int) {
	m := c.known[callName{service, method}]
	if m == nil {
		m = c.other
	}
	i := 0
	for i < len(callBuckets) && d > callBuckets[i] {
		i++
	}
	m.buckets[i].Add(1)
	m.nanos.Add(int64(d))
	m.inBytes.Add(int64(inBytes))
	m.outBytes.Add(int64(outBytes))
	if class != "" {
		c.errors.WithLabelValues(m.name.service, m.name.method, class).Inc()
	}
}

func (c *calls) each(f func(*callCounts)) {
	for _, m := range c.known {
		f(m)
	}
	f(c.other)
}

// Describe implements prometheus.Collector.
func (c *calls) Describe(ch chan<- *prometheus.Desc) {
	ch <- callSeconds
	ch <- callBytes
}

// Collect implements prometheus.Collector.
func (c *calls) Collect(ch chan<- prometheus.Metric) {
	c.each(func(m *callCounts) {
		below := make(map[float64]uint64, len(callBuckets))
		var count uint64
		for i := range m.buckets {
			count += m.buckets[i].Load()
			if i < len(callBuckets) {
				below[callBuckets[i].Seconds()] = count
			}
		}
		service, method := m.name.service, m.name.method
		ch <- prometheus.MustNewConstHistogram(callSeconds, count, time.Duration(m.nanos.Load()).Seconds(), below, service, method)
		ch <- prometheus.MustNewConstMetric(callBytes, prometheus.CounterValue, float64(m.inBytes.Load()), service, method, "in")
		ch <- prometheus.MustNewConstMetric(callBytes, prometheus.CounterValue, float64(m.outBytes.Load()), service, method, "out")
	})
}

// load is what HBase's cluster status tells of a server's work.
func (c *calls) load() admin.Load {
	var total uint64
	c.each(func(m *callCounts) {
		for i := range m.buckets {
			total += m.buckets[i].Load()
		}
	})
	return admin.Load{Requests: total, RequestsPerSecond: c.rate.of(total, time.Now())}
}

// rate is the growth of a counter per second, over at least one second between
// two looks at it.
type rate struct {
	mu      sync.Mutex // guards what follows
	at      time.Time
	value   uint64
	current uint64
}

func (r *rate) of(value uint64, now time.Time) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := now.Sub(r.at)
	switch {
	case r.at.IsZero():
		r.at, r.value = now, value
	case since >= time.Second:
		r.current = uint64(float64(value-r.value) / since.Seconds())
		r.at, r.value = now, value
	}
	return r.current
}
