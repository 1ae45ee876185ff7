package sample

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Client is the state of this process.
type Client struct {
	CPU        time.Duration // used so far, user and system
	RSSBytes   int64         // 0 where the system does not tell
	HeapBytes  int64
	Goroutines int
	GCs        int64
	GCPause    time.Duration // sum so far
}

// Process reads this process's state.
func Process() Client {
	var u syscall.Rusage
	var c Client
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
		c.CPU = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			pages, _ := strconv.ParseInt(f[1], 10, 64) // the kernel writes numbers
			c.RSSBytes = pages * int64(os.Getpagesize())
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.HeapBytes, c.Goroutines = int64(m.HeapAlloc), runtime.NumGoroutine()
	c.GCs, c.GCPause = int64(m.NumGC), time.Duration(m.PauseTotalNs)
	return c
}

// Cores is how many cores this process can use; a quota counts.
func Cores() int { return runtime.GOMAXPROCS(0) }

// Stall measures how long the Go runtime let runnable goroutines wait, and
// stopped them for garbage collection: latency that the client adds.
type Stall struct{ before []metrics.Sample }

var stallNames = []string{"/sched/latencies:seconds", "/sched/pauses/total/gc:seconds"}

func readStall() []metrics.Sample {
	var s []metrics.Sample
	for _, n := range stallNames {
		s = append(s, metrics.Sample{Name: n})
	}
	metrics.Read(s)
	return s
}

// StartStall begins a measurement.
func StartStall() *Stall { return &Stall{readStall()} }

// P99 is the greater of the 99th percentiles of both since the start.
func (s *Stall) P99() time.Duration {
	var worst float64
	for i, now := range readStall() {
		if now.Value.Kind() != metrics.KindFloat64Histogram {
			continue
		}
		before, after := s.before[i].Value.Float64Histogram(), now.Value.Float64Histogram()
		var total, at uint64
		for j := range after.Counts {
			total += after.Counts[j] - before.Counts[j]
		}
		for j := range after.Counts {
			at += after.Counts[j] - before.Counts[j]
			if total > 0 && at*100 >= total*99 {
				// The bucket's lower end: the upper one of the last is infinite.
				worst = max(worst, after.Buckets[j])
				break
			}
		}
	}
	return time.Duration(worst * float64(time.Second))
}
