package measure

import (
	"encoding/base64"
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The histograms' grid: microseconds, three significant digits, up to a day.
// Longer ones are clipped, and counted as such.
const (
	digits  = 3
	highest = int64(24 * time.Hour / time.Microsecond)
)

// Dist is a distribution of latencies. The histogram is in microseconds, the sum
// and the ends are exact.
type Dist struct {
	h        *hdrhistogram.Histogram
	Count    int64
	Sum      time.Duration
	min, max time.Duration
	Clipped  int64
}

// NewDist makes an empty Dist.
func NewDist() *Dist { return &Dist{h: hdrhistogram.New(1, highest, digits)} }

// Record adds a latency.
func (d *Dist) Record(l time.Duration) {
	l = max(l, 0)
	us := l.Microseconds()
	if us > highest {
		us = highest
		d.Clipped++
	}
	_ = d.h.RecordValue(us) // clipped above, so it fits
	if d.Count == 0 || l < d.min {
		d.min = l
	}
	d.max = max(d.max, l)
	d.Count++
	d.Sum += l
}

// Add adds another distribution.
func (d *Dist) Add(o *Dist) {
	if o == nil || o.Count == 0 {
		return
	}
	d.h.Merge(o.h)
	if d.Count == 0 || o.min < d.min {
		d.min = o.min
	}
	d.max = max(d.max, o.max)
	d.Count += o.Count
	d.Sum += o.Sum
	d.Clipped += o.Clipped
}

// Reset empties it.
func (d *Dist) Reset() {
	d.h.Reset()
	*d = Dist{h: d.h}
}

// Min is the least latency; 0 when there is none.
func (d *Dist) Min() time.Duration { return d.min }

// Max is the greatest latency.
func (d *Dist) Max() time.Duration { return d.max }

// Avg is the exact mean in microseconds.
func (d *Dist) Avg() float64 {
	if d.Count == 0 {
		return 0
	}
	return float64(d.Sum) / float64(d.Count) / 1e3
}

// MaxUS is the greatest latency on the histogram's grid.
func (d *Dist) MaxUS() int64 { return d.h.Max() }

// MinUS is the least latency in microseconds.
func (d *Dist) MinUS() int64 { return d.min.Microseconds() }

// StdDev is the standard deviation in microseconds, by buckets.
func (d *Dist) StdDev() float64 {
	if d.Count == 0 {
		return 0
	}
	return d.h.StdDev()
}

// Percentile is the value of rank ceil(p/100 of all), in microseconds: the highest
// that its bucket stands for.
func (d *Dist) Percentile(p float64) int64 {
	if d.Count == 0 {
		return 0
	}
	want := max(int64(math.Ceil(p/100*float64(d.Count)-1e-9)), 1)
	var at int64
	for _, b := range d.h.Distribution() {
		if at += b.Count; at >= want {
			return b.To
		}
	}
	return d.h.Max()
}

// Below is the share, 0 to 1, of latencies up to us microseconds.
func (d *Dist) Below(us int64) float64 {
	if d.Count == 0 {
		return 0
	}
	var at int64
	for _, b := range d.h.Distribution() {
		if b.To > us {
			break
		}
		at += b.Count
	}
	return float64(at) / float64(d.Count)
}

// Histogram is the histogram itself, for writers of its log format.
func (d *Dist) Histogram() *hdrhistogram.Histogram { return d.h }

// Bar is one non-empty bucket.
type Bar struct{ From, To, Count int64 }

// Bars are the buckets that have something in them, in microseconds.
func (d *Dist) Bars() (all []Bar) {
	for _, b := range d.h.Distribution() {
		if b.Count > 0 {
			all = append(all, Bar{b.From, b.To, b.Count})
		}
	}
	return all
}

// Encode is the histogram in HdrHistogram's compressed form, as base64.
func (d *Dist) Encode() (string, error) {
	if d.Count == 0 {
		return "", nil
	}
	b, err := d.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding a histogram: %w", err)
	}
	return string(b), nil
}

// maxEncoded bounds an encoded histogram that is read. A full one takes less.
const maxEncoded = 4 << 20

// DecodeDist reads what Encode wrote. The exact sum and ends are not in it and
// have to be given.
func DecodeDist(s string, sum, min, max time.Duration) (*Dist, error) {
	d := NewDist()
	if s == "" {
		return d, nil
	}
	if len(s) > maxEncoded {
		return nil, fmt.Errorf("a histogram of %d bytes", len(s))
	}
	if _, err := base64.StdEncoding.DecodeString(s); err != nil {
		return nil, fmt.Errorf("decoding a histogram: %w", err)
	}
	h, err := decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram: %w", err)
	}
	if dropped := d.h.Merge(h); dropped > 0 {
		return nil, fmt.Errorf("decoding a histogram: %d values beyond a day", dropped)
	}
	d.Count, d.Sum, d.min, d.max = d.h.TotalCount(), sum, min, max
	return d, nil
}

// decode turns the library's panics on damaged input into errors.
func decode(b []byte) (h *hdrhistogram.Histogram, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	h, err = hdrhistogram.Decode(b)
	return h, err
}
