package cli

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/basaltdb/basalt/internal/bench/result"
)

// ink stands for the text's colour, which the page sets, light or dark.
var ink = color.RGBA{1, 2, 3, 255}

var palette = []color.Color{color.RGBA{0x33, 0x82, 0xd4, 255}, color.RGBA{0xe0, 0x7b, 0x1f, 255}, color.RGBA{0x2a, 0xa0, 0x68, 255},
	color.RGBA{0xc9, 0x4f, 0x7c, 255}, color.RGBA{0x8a, 0x6f, 0xd1, 255}, color.RGBA{0x99, 0x8a, 0x2b, 255}}

// maxPoints is how many points of a line are drawn; more are thinned out, least
// and greatest of each stretch staying.
const maxPoints = 4000

func thin(p plotter.XYs) plotter.XYs {
	if len(p) <= maxPoints {
		return p
	}
	size := (2*len(p) + maxPoints - 1) / maxPoints
	var all plotter.XYs
	for part := range slices.Chunk(p, size) {
		lo, hi := part[0], part[0]
		for _, q := range part {
			if q.Y < lo.Y {
				lo = q
			}
			if q.Y > hi.Y {
				hi = q
			}
		}
		if lo.X > hi.X {
			lo, hi = hi, lo
		}
		all = append(all, lo, hi)
	}
	return all
}

// curve is a named line of a chart.
type curve struct {
	name   string
	points plotter.XYs
}

// chart draws curves as SVG. log makes the ordinate logarithmic.
func chart(title, x, y string, log bool, curves []curve, ticks plot.Ticker) (template.HTML, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.BackgroundColor = nil // the page has one
	for _, s := range []*color.Color{&p.Title.TextStyle.Color, &p.X.Color, &p.Y.Color, &p.X.Label.TextStyle.Color, &p.Y.Label.TextStyle.Color,
		&p.X.Tick.Color, &p.Y.Tick.Color, &p.X.Tick.Label.Color, &p.Y.Tick.Label.Color, &p.Legend.TextStyle.Color} {
		*s = ink
	}
	p.Legend.Top = true
	if ticks != nil {
		p.X.Tick.Marker = ticks
	}
	drawn := false
	for i, c := range curves {
		points := make(plotter.XYs, 0, len(c.points))
		for _, q := range c.points {
			if !math.IsNaN(q.Y) && !math.IsInf(q.Y, 0) && (!log || q.Y > 0) {
				points = append(points, q)
			}
		}
		if len(points) == 0 {
			continue
		}
		l, s, err := plotter.NewLinePoints(thin(points))
		if err != nil {
			return "", err
		}
		l.Color, s.Color, s.Radius = palette[i%len(palette)], palette[i%len(palette)], vg.Points(1.5)
		p.Add(l, s)
		p.Legend.Add(c.name, l)
		drawn = true
	}
	if !drawn {
		return "", nil
	}
	if log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		if p.Y.Min == p.Y.Max {
			p.Y.Min, p.Y.Max = p.Y.Min/2, p.Y.Max*2
		}
	} else {
		p.Y.Min = 0
		if p.Y.Max == 0 {
			p.Y.Max = 1
		}
	}
	if p.X.Min == p.X.Max {
		p.X.Max++
	}
	c := vgsvg.New(22*vg.Centimeter, 8*vg.Centimeter)
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	svg := b.String()
	if at := strings.Index(svg, "<svg"); at >= 0 {
		svg = svg[at:]
	}
	// The library made all of it from numbers and escaped text.
	return template.HTML(strings.ReplaceAll(svg, "#010203", "currentColor")), nil
}

// nines shows percentiles by how many nines they have.
type nines struct{}

// Ticks implements plot.Ticker.
func (nines) Ticks(float64, float64) (all []plot.Tick) {
	for i, l := range []string{"0", "90", "99", "99.9", "99.99", "99.999"} {
		all = append(all, plot.Tick{Value: float64(i), Label: l})
	}
	return all
}

func byPercentile(d *result.Dist) (plotter.XYs, error) {
	h, err := d.Histogram()
	if err != nil || h.Count == 0 {
		return nil, err
	}
	var all plotter.XYs
	for x := 0.0; x <= 5; x += 0.1 {
		share := 1 - math.Pow(10, -x)
		if float64(h.Count)*(1-share) < 1 {
			break
		}
		all = append(all, plotter.XY{X: x, Y: float64(h.Percentile(share*100)) / 1000})
	}
	return all, nil
}

// charts are all of a result.
func charts(r *result.Result) (all []template.HTML, err error) {
	add := func(title, x, y string, log bool, curves []curve, ticks plot.Ticker) {
		svg, e := chart(title, x, y, log, curves, ticks)
		if e != nil {
			err = e
		} else if svg != "" {
			all = append(all, svg)
		}
	}
	if len(r.Phases) > 1 {
		var qps curve
		p99 := map[string]*curve{}
		qps.name = "total"
		for _, p := range r.Phases {
			qps.points = append(qps.points, plotter.XY{X: float64(p.Threads), Y: p.QPS})
			for _, n := range p.Order {
				if p99[n] == nil {
					p99[n] = &curve{name: n}
				}
				p99[n].points = append(p99[n].points, plotter.XY{X: float64(p.Threads), Y: float64(p.Ops[n].Pct["99"]) / 1000})
			}
		}
		add("Throughput by threads", "threads", "ops/s", false, []curve{qps}, nil)
		var curves []curve
		for _, n := range slices.Sorted(maps.Keys(p99)) {
			curves = append(curves, *p99[n])
		}
		add("p99 by threads", "threads", "ms", true, curves, nil)
	}
	for i, p := range r.Phases {
		var dist, tput, late, use []curve
		for _, n := range p.Order {
			o := p.Ops[n]
			points, e := byPercentile(&o.Dist)
			if e != nil {
				return nil, e
			}
			dist = append(dist, curve{n, points})
			if o.Response != nil {
				if points, e = byPercentile(o.Response); e != nil {
					return nil, e
				}
				dist = append(dist, curve{n + " response", points})
			}
			ok, bad, p50, p99, top := curve{name: n}, curve{name: n + " errors"}, curve{name: n + " p50"}, curve{name: n + " p99"}, curve{name: n + " max"}
			failures := false
			for _, pt := range r.Series {
				x, span := pt.To, pt.To-pt.From
				v, there := pt.Ops[n]
				if pt.Phase != i || span <= 0 || !there {
					continue
				}
				failures = failures || v.Errors > 0
				ok.points = append(ok.points, plotter.XY{X: x, Y: float64(v.OK) / span})
				bad.points = append(bad.points, plotter.XY{X: x, Y: float64(v.Errors) / span})
				p50.points = append(p50.points, plotter.XY{X: x, Y: float64(v.P50) / 1000})
				p99.points = append(p99.points, plotter.XY{X: x, Y: float64(v.P99) / 1000})
				top.points = append(top.points, plotter.XY{X: x, Y: float64(v.Max) / 1000})
			}
			tput = append(tput, ok)
			if failures {
				tput = append(tput, bad)
			}
			late = append(late, p50, p99, top)
		}
		client := curve{name: "client"}
		for _, pt := range r.Series {
			if pt.Phase == i {
				client.points = append(client.points, plotter.XY{X: pt.To, Y: pt.CPU * 100})
			}
		}
		use = append(use, client)
		add(p.Name+": latency by percentile", "percentile", "ms", true, dist, nines{})
		add(p.Name+": throughput over time", "s", "per second", false, tput, nil)
		add(p.Name+": latency over time", "s", "ms", true, late, nil)
		add(p.Name+": CPU, per cent of a core", "s", "%", false, use, nil)
	}
	return all, err
}

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"f":    func(v float64) string { return fmt.Sprintf("%.1f", v) },
	"rate": result.PerSecond,
	"op":   func(p *result.Phase, n string) *result.Op { return p.Ops[n] },
}).Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>basalt bench: {{.R.Workload.Kind}}</title>
<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #8884;white-space:nowrap}
td:first-child,th:first-child,td.t{text-align:left}.stamp{background:#b3261e;color:#fff;padding:.1rem .5rem;margin-right:.4rem;border-radius:.2rem}
svg text{font-family:inherit!important}svg{max-width:100%;height:auto;display:block;margin:1rem 0}@media print{svg{break-inside:avoid}}</style>
<h1>{{.R.Workload.Kind}}</h1>
<p>{{range .R.Meta.Stamps}}<span class="stamp">{{.}}</span>{{end}}{{.R.Meta.Label}}</p>
<p>{{.R.Target.URL}}, {{.R.Meta.Began.Format "2006-01-02 15:04:05 MST"}}, seed {{.R.Meta.Seed}}, {{.R.Meta.Tool}}</p>
{{with .R.Verify}}<p>{{if .Wrong}}<span class="stamp">WRONG DATA</span>{{end}}Checked ({{.Mode}}): {{.OK}} right, {{.Wrong}} wrong. {{range .Samples}}<br>{{.}}{{end}}</p>{{end}}
<h2>Summary</h2><table><tr><th>Phase<th>Threads<th>Operation<th>per second<th>all/s<th>avg µs<th>p50<th>p95<th>p99<th>p99.9<th>max<th>errors<th>rows/s<th>busy<th>stamps</tr>
{{range $p := .R.Phases}}{{range $n := $p.Order}}{{with op $p $n}}<tr><td>{{$p.Name}}<td>{{$p.Threads}}<td class="t">{{$n}}<td>{{f .QPS}}<td>{{f $p.QPS}}<td>{{f .Avg}}<td>{{index .Pct "50"}}<td>{{index .Pct "95"}}<td>{{index .Pct "99"}}<td>{{index .Pct "99.9"}}<td>{{f .Max}}<td>{{.Failures}}<td>{{f (rate .Rows $p.Seconds)}}<td>{{f $p.Little}}<td class="t">{{range $p.Stamps}}{{.}} {{end}}</tr>{{end}}{{end}}{{end}}</table>
{{range .Charts}}{{.}}{{end}}
<h2>Target and environment</h2><table>{{range $k, $v := .R.Target.Info}}<tr><td>{{$k}}<td class="t">{{$v}}</tr>{{end}}{{range $k, $v := .R.Env}}<tr><td>{{$k}}<td class="t">{{$v}}</tr>{{end}}</table>
<h2>Configuration</h2><p><code>{{range .R.Meta.Command}}{{.}} {{end}}</code></p><table>{{range $k, $v := .R.Workload.Properties}}<tr><td>{{$k}}<td class="t">{{$v.Value}}<td>{{$v.Origin}}</tr>{{end}}</table>
`))

// writeHTML writes the report: one file without anything from elsewhere.
func writeHTML(w io.Writer, r *result.Result) error {
	c, err := charts(r)
	if err != nil {
		return fmt.Errorf("drawing the report: %w", err)
	}
	return page.Execute(w, struct {
		R      *result.Result
		Charts []template.HTML
	}{r, c})
}
