package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Schema is the form's name and version.
const Schema = "basalt-bench/1"

// Result is one invocation.
type Result struct {
	Schema      string            `json:"schema"`
	Meta        Meta              `json:"meta"`
	Env         map[string]string `json:"env"`
	Target      Target            `json:"target"`
	Workload    Workload          `json:"workload"`
	Phases      []*Phase          `json:"phases"`
	Series      []Point           `json:"series"`
	Events      []Event           `json:"events"`
	Verify      *Verify           `json:"verify,omitempty"`
	Interrupted bool              `json:"interrupted"`
}

// Meta tells how a result came about.
type Meta struct {
	ID      string    `json:"id"`
	Tool    string    `json:"tool"`
	Command []string  `json:"command"`
	Began   time.Time `json:"began"`
	Seed    uint64    `json:"seed"`
	Scale   string    `json:"scale,omitempty"`
	Label   string    `json:"label,omitempty"`
	Stamps  []string  `json:"stamps"`
	Notes   []string  `json:"notes,omitempty"`
}

// Target is what was measured.
type Target struct {
	URL  string            `json:"url"`
	Info map[string]string `json:"info"`
}

// Workload is what was asked of it.
type Workload struct {
	Kind       string              `json:"kind"` // such as "ycsb run"
	Properties map[string]Property `json:"properties"`
}

// Property is a setting, and where it came from: default, file, flag or scale.
type Property struct {
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Phase is one measured window. Times are in seconds, latencies in microseconds.
type Phase struct {
	Name           string           `json:"name"`
	Start          time.Time        `json:"start"`
	End            time.Time        `json:"end"`
	Seconds        float64          `json:"seconds"`
	ConnectSeconds float64          `json:"connect_seconds"`
	Threads        int              `json:"threads"`
	Rate           float64          `json:"rate,omitempty"`
	QPS            float64          `json:"qps"` // of top-level operations
	Order          []string         `json:"order"`
	Ops            map[string]*Op   `json:"ops"`
	CountNames     [3]string        `json:"count_names"`
	Little         float64          `json:"little"` // workers busy on average
	Lag            *Lag             `json:"lag,omitempty"`
	Steady         *float64         `json:"steady_slope,omitempty"`
	SettleSeconds  float64          `json:"settle_seconds,omitempty"`
	Client         Client           `json:"client"`
	Server         *Server          `json:"server,omitempty"`
	Counters       map[string]int64 `json:"counters,omitempty"`
	Unfinished     []string         `json:"unfinished,omitempty"`
	Failure        string           `json:"failure,omitempty"`
	Stamps         []string         `json:"stamps"`
}

// Lag is how an open loop kept its schedule.
type Lag struct {
	MaxSeconds float64 `json:"max_seconds"`
	EndSeconds float64 `json:"end_seconds"`
	Grows      bool    `json:"grows"`
	Due        int64   `json:"due"`
	Skipped    int64   `json:"skipped"`
	TimerP99   int64   `json:"timer_p99_us"`
}

// Client is what the bench itself used.
type Client struct {
	CPUCores  float64 `json:"cpu_cores"` // busy on average
	Cores     int     `json:"cores"`
	RSSBytes  int64   `json:"rss_bytes"`
	StallP99  int64   `json:"stall_p99_us"`
	GCs       int64   `json:"gcs"`
	GCPauseMS float64 `json:"gc_pause_ms"`
}

// Server is what was sampled of the server; what could not be is absent.
type Server struct {
	Sources  []string           `json:"sources"`
	CPUCores *float64           `json:"cpu_cores,omitempty"` // busy on average
	Begin    map[string]float64 `json:"begin"`
	End      map[string]float64 `json:"end"`
}

// Dist is a distribution of latencies.
type Dist struct {
	Count   int64            `json:"count"`
	Avg     float64          `json:"avg"`
	Min     float64          `json:"min"`
	Max     float64          `json:"max"`
	StdDev  float64          `json:"stddev"`
	Pct     map[string]int64 `json:"pct"`
	Clipped int64            `json:"clipped,omitempty"`
	HDR     string           `json:"hdr"`
}

// Op is one operation.
type Op struct {
	OK       int64            `json:"ok"`
	QPS      float64          `json:"qps"`
	Inner    bool             `json:"inner,omitempty"` // part of another operation only
	Err      map[string]Error `json:"err,omitempty"`
	Dist                      // service: sent to done
	Response *Dist            `json:"response,omitempty"` // due to done
	Failed   *Dist            `json:"failed,omitempty"`
	Rows     int64            `json:"rows"`
	Cells    int64            `json:"cells"`
	Bytes    int64            `json:"bytes"`
}

// Failures sums up all errors.
func (o *Op) Failures() (n int64) {
	for _, e := range o.Err {
		n += e.Count
	}
	return n
}

// Error is how often one kind of error came, and when, in seconds of the window.
type Error struct {
	Class  string  `json:"class"`
	Code   string  `json:"code,omitempty"`
	Status string  `json:"status"`
	Count  int64   `json:"count"`
	First  float64 `json:"first_s"`
	Last   float64 `json:"last_s"`
	Sample string  `json:"sample"`
}

// Point is one interval of one phase.
type Point struct {
	Phase  int                `json:"phase"`
	From   float64            `json:"from"`
	To     float64            `json:"to"`
	Ops    map[string]PointOp `json:"ops"`
	CPU    float64            `json:"client_cpu_cores"`
	RSS    int64              `json:"client_rss_bytes"`
	LagS   float64            `json:"lag_seconds,omitempty"`
	Server map[string]float64 `json:"server,omitempty"`
}

// PointOp is one operation in an interval.
type PointOp struct {
	OK     int64   `json:"ok"`
	Errors int64   `json:"errors,omitempty"`
	Avg    float64 `json:"avg"`
	P50    int64   `json:"p50"`
	P95    int64   `json:"p95"`
	P99    int64   `json:"p99"`
	Max    int64   `json:"max"`
	HDR    string  `json:"hdr,omitempty"`
}

// Event is something that happened at a time of a phase.
type Event struct {
	Phase int     `json:"phase"`
	At    float64 `json:"at"`
	Kind  string  `json:"kind"`
	Text  string  `json:"text"`
}

// Verify is what checking the data found.
type Verify struct {
	Mode     string           `json:"mode"`
	OK       int64            `json:"ok"`
	Wrong    int64            `json:"wrong"`
	Findings map[string]int64 `json:"findings,omitempty"`
	Samples  []string         `json:"samples,omitempty"`
}

// Stamp marks the whole result, once.
func (r *Result) Stamp(s string) {
	if !slices.Contains(r.Meta.Stamps, s) {
		r.Meta.Stamps = append(r.Meta.Stamps, s)
	}
}

// Stamp marks a phase, once.
func (p *Phase) Stamp(s string) {
	if !slices.Contains(p.Stamps, s) {
		p.Stamps = append(p.Stamps, s)
	}
}

// Stamps are what makes a number doubtful.
const (
	StampInterrupted = "INTERRUPTED"
	StampScaled      = "SCALED"
	StampOverloaded  = "OVERLOADED"
	StampNotSteady   = "NOT STEADY"
	StampClientBound = "CLIENT-BOUND"
	StampInvalid     = "INVALID"
	StampSuspect     = "SUSPECT"
	StampMisses      = "MISSES"
	StampErrors      = "ERRORS"
	StampStalls      = "CLIENT STALLS"
)

// Encode writes the JSON form. Keys come in a stable order.
func (r *Result) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// WriteFile makes a file of what write writes, in place of an older one only when
// it is complete.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// maxFile bounds a result file that is read.
const maxFile = 1 << 30

// Read reads a result; what it does not know is ignored.
func Read(in io.Reader) (*Result, error) {
	var r Result
	if err := json.NewDecoder(io.LimitReader(in, maxFile)).Decode(&r); err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("reading a result: schema %q, want %q; bench convert makes one of other tools' output", r.Schema, Schema)
	}
	for _, p := range r.Phases {
		if p == nil {
			return nil, errors.New("reading a result: an empty phase")
		}
		for n, o := range p.Ops {
			if o == nil {
				return nil, fmt.Errorf("reading a result: operation %s is empty", n)
			}
		}
	}
	return &r, nil
}

// ReadFile reads a result of a file.
func ReadFile(path string) (*Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
