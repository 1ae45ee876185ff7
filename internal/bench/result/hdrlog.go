package result

import (
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/basaltdb/basalt/internal/bench/measure"
)

// HistogramLog writes an operation's interval histograms of a phase in HdrHistogram's
// log format, which its plotters read.
func (r *Result) HistogramLog(w io.Writer, phase int, op string) error {
	if phase < 0 || phase >= len(r.Phases) {
		return fmt.Errorf("no phase %d", phase)
	}
	began := r.Phases[phase].Start
	l := hdrhistogram.NewHistogramLogWriter(w)
	if err := l.OutputLogFormatVersion(); err != nil {
		return err
	}
	if err := l.OutputStartTime(began.UnixMilli()); err != nil {
		return err
	}
	if err := l.OutputLegend(); err != nil {
		return err
	}
	l.SetBaseTime(began.UnixMilli())
	for _, pt := range r.Series {
		o, ok := pt.Ops[op]
		if pt.Phase != phase || !ok || o.HDR == "" {
			continue
		}
		d, err := measure.DecodeDist(o.HDR, 0, 0, 0)
		if err != nil {
			return err
		}
		h := d.Histogram()
		at := func(s float64) int64 { return began.Add(time.Duration(s * float64(time.Second))).UnixMilli() }
		h.SetStartTimeMs(at(pt.From))
		h.SetEndTimeMs(at(pt.To))
		if err := l.OutputIntervalHistogram(h); err != nil {
			return err
		}
	}
	return nil
}
