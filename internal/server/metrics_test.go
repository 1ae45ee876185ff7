// Shows how calls are counted, and what counting costs.
package server

import (
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

func testCalls() (*metrics, *calls) {
	m := newMetrics("test")
	return m, m.newCalls(map[string]rpc.Service{"ClientService": {"Get": {}, "Scan": {}}, "MasterService": {"Get": {}}})
}

func TestObserve(t *testing.T) {
	m, c := testCalls()
	c.Observe("ClientService", "Get", time.Millisecond, "", 10, 20)
	c.Observe("ClientService", "Get", time.Millisecond, "java.io.IOException", 10, 20)
	c.Observe("Mine", "all mine", time.Millisecond, "x.Y", 1, 1)
	c.Observe("ClientService", "unknown", time.Millisecond, "", 1, 1)
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]float64)
	for _, f := range families {
		for _, v := range f.Metric {
			name := f.GetName()
			for _, l := range v.Label {
				name += " " + l.GetValue()
			}
			got[name] = value(v)
		}
	}
	for name, want := range map[string]float64{
		"basalt_hbase_call_seconds Get ClientService":                     2,
		"basalt_hbase_call_seconds Scan ClientService":                    0,
		"basalt_hbase_call_seconds Get MasterService":                     0,
		"basalt_hbase_call_seconds other other":                           2,
		"basalt_hbase_bytes_total in Get ClientService":                   20,
		"basalt_hbase_bytes_total out Get ClientService":                  40,
		"basalt_hbase_errors_total java.io.IOException Get ClientService": 1,
		"basalt_hbase_errors_total x.Y other other":                       1,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v, %v; want %v", name, v, ok, want)
		}
	}
	if l := c.load(); l.Requests != 4 {
		t.Error(l)
	}
}

func value(m *dto.Metric) float64 {
	if h := m.GetHistogram(); h != nil {
		return float64(h.GetSampleCount())
	}
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

func TestRate(t *testing.T) {
	var r rate
	at := time.Unix(100, 0)
	for _, f := range []struct {
		after time.Duration
		value uint64
		want  uint64
	}{{0, 50, 0}, {500 * time.Millisecond, 80, 0}, {2 * time.Second, 250, 100}, {2500 * time.Millisecond, 9999, 100}, {4 * time.Second, 300, 25}} {
		if got := r.of(f.value, at.Add(f.after)); got != f.want {
			t.Errorf("after %v: %d, want %d", f.after, got, f.want)
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	_, c := testCalls()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			c.Observe("ClientService", "Get", 12*time.Microsecond, "", 100, 1000)
		}
	})
}
