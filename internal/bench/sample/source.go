package sample

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/procfs"
)

// The names of values that reports know. Sources may have others.
const (
	CPUSeconds      = "cpu_seconds" // counter
	RSSBytes        = "rss_bytes"
	CacheHits       = "cache_hits"   // counter
	CacheMisses     = "cache_misses" // counter
	CacheBytes      = "cache_bytes"
	DebtBytes       = "compaction_debt_bytes"
	CompactionQueue = "compaction_queue"
	FlushQueue      = "flush_queue"
	CallQueue       = "call_queue"
	Stalls          = "write_stalls"  // counter
	StallSeconds    = "stall_seconds" // counter
	LogBytes        = "log_bytes"     // counter
	LogSyncs        = "log_syncs"     // counter
	Flushes         = "flushes"       // counter
	Compactions     = "compactions"   // counter
	DiskBytes       = "disk_bytes"
	MemtableBytes   = "memtable_bytes"
)

// Values are what one source told at one moment.
type Values map[string]float64

// Source reads a server.
type Source interface {
	Name() string
	Read(ctx context.Context) (Values, error)
}

// timeout bounds a reading, so that a server in trouble does not hold up others.
const timeout = 2 * time.Second

// maxPage bounds a metrics page.
const maxPage = 64 << 20

func get(ctx context.Context, address string) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusOK {
		r.Body.Close()
		return nil, fmt.Errorf("%s: %s", address, r.Status)
	}
	return r, nil
}

// Prometheus reads a metrics page: Basalt's own, or an exporter's.
type Prometheus struct{ URL string }

// Name implements Source.
func (p Prometheus) Name() string { return "prometheus " + p.URL }

// known maps metrics to the names that reports know. Exporters of nodes tell idle
// time per core, which is handled apart.
var known = map[string]string{
	"process_cpu_seconds_total":                CPUSeconds,
	"process_resident_memory_bytes":            RSSBytes,
	"basalt_engine_cache_hits_total":           CacheHits,
	"basalt_engine_cache_misses_total":         CacheMisses,
	"basalt_engine_cache_bytes":                CacheBytes,
	"basalt_engine_compaction_debt_bytes":      DebtBytes,
	"basalt_engine_write_stalls_total":         Stalls,
	"basalt_engine_write_stall_seconds_total":  StallSeconds,
	"basalt_engine_log_bytes_total":            LogBytes,
	"basalt_engine_log_syncs_total":            LogSyncs,
	"basalt_engine_flushes_total":              Flushes,
	"basalt_engine_compactions_total":          Compactions,
	"basalt_engine_disk_bytes":                 DiskBytes,
	"basalt_engine_memtable_bytes":             MemtableBytes,
	"namedprocess_namegroup_memory_bytes":      RSSBytes,
	"namedprocess_namegroup_cpu_seconds_total": CPUSeconds,
}

// Read implements Source.
func (p Prometheus) Read(ctx context.Context) (Values, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := get(ctx, p.URL)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(io.LimitReader(r.Body, maxPage))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.URL, err)
	}
	v := Values{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			n := m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue()
			if name == "node_cpu_seconds_total" {
				idle := false
				for _, l := range m.GetLabel() {
					idle = idle || l.GetName() == "mode" && (l.GetValue() == "idle" || l.GetValue() == "iowait")
				}
				if !idle {
					v[CPUSeconds] += n
				}
			} else if to, ok := known[name]; ok {
				v[to] += n
			}
		}
	}
	return v, nil
}

// JMX reads a region server's or master's metrics over HTTP.
type JMX struct{ URL string }

// Name implements Source.
func (j JMX) Name() string { return "jmx " + j.URL }

// Read implements Source.
func (j JMX) Read(ctx context.Context) (Values, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := j.URL
	if u, err := url.Parse(address); err == nil && (u.Path == "" || u.Path == "/") {
		address = strings.TrimSuffix(address, "/") + "/jmx"
	}
	r, err := get(ctx, address)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	var page struct {
		Beans []map[string]any `json:"beans"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxPage)).Decode(&page); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	v := Values{}
	take := func(b map[string]any, from, to string, scale float64) {
		if n, ok := b[from].(float64); ok && !math.IsNaN(n) {
			v[to] += n * scale
		}
	}
	for _, b := range page.Beans {
		switch name, _ := b["name"].(string); {
		case name == "java.lang:type=OperatingSystem":
			take(b, "ProcessCpuTime", CPUSeconds, 1e-9)
		case strings.HasSuffix(name, "service=HBase,name=RegionServer,sub=Server"):
			take(b, "compactionQueueLength", CompactionQueue, 1)
			take(b, "flushQueueLength", FlushQueue, 1)
			take(b, "blockCacheHitCount", CacheHits, 1)
			take(b, "blockCacheMissCount", CacheMisses, 1)
			take(b, "blockCacheSize", CacheBytes, 1)
			take(b, "memStoreSize", MemtableBytes, 1)
			take(b, "storeFileSize", DiskBytes, 1)
		case strings.HasSuffix(name, "service=HBase,name=RegionServer,sub=IPC"):
			take(b, "numCallsInGeneralQueue", CallQueue, 1)
		}
	}
	return v, nil
}

// PID reads a process of this host from the kernel.
type PID int

// Name implements Source.
func (p PID) Name() string { return fmt.Sprintf("process %d", int(p)) }

// Read implements Source.
func (p PID) Read(context.Context) (Values, error) {
	proc, err := procfs.NewProc(int(p))
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", int(p), err)
	}
	s, err := proc.Stat()
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", int(p), err)
	}
	return Values{CPUSeconds: s.CPUTime(), RSSBytes: float64(s.ResidentMemory())}, nil
}
