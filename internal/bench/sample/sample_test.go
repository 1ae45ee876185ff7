// Shows what is read of pages as servers write them, and that what is not there is
// not made up.
package sample

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

func page(t *testing.T, text string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
	t.Cleanup(s.Close)
	return s.URL
}

func TestPrometheus(t *testing.T) {
	v, err := Prometheus{page(t, `# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.5
# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{cpu="0",mode="idle"} 1000
node_cpu_seconds_total{cpu="0",mode="user"} 1.5
# TYPE basalt_engine_compaction_debt_bytes gauge
basalt_engine_compaction_debt_bytes 7
other_metric 3
`)}.Read(t.Context())
	if err != nil || len(v) != 2 || v[CPUSeconds] != 14 || v[DebtBytes] != 7 {
		t.Error(v, err)
	}
}

func TestJMX(t *testing.T) {
	v, err := JMX{page(t, `{"beans":[{"name":"java.lang:type=OperatingSystem","ProcessCpuTime":2500000000},
{"name":"Hadoop:service=HBase,name=RegionServer,sub=Server","compactionQueueLength":3,"blockCacheHitCount":"NaN"}]}`)}.Read(t.Context())
	if err != nil || len(v) != 2 || v[CPUSeconds] != 2.5 || v[CompactionQueue] != 3 {
		t.Error(v, err)
	}
	if _, err := (JMX{page(t, "no JSON")}).Read(t.Context()); err == nil {
		t.Error("a page that is none was read")
	}
}

func TestProcess(t *testing.T) {
	c := Process()
	if c.CPU <= 0 || c.Goroutines < 1 || Cores() < 1 {
		t.Errorf("%+v", c)
	}
	if v, err := PID(os.Getpid()).Read(t.Context()); err != nil || v[RSSBytes] <= 0 {
		t.Error(v, err)
	}
	if _, err := PID(1 << 30).Read(t.Context()); err == nil {
		t.Error("a process that is not there was read")
	}
}
