package server

import (
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// newHTTP makes the HTTP door: for machines and people that look after the
// server, never for data.
func (s *Server) newHTTP() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.HandleFunc("GET /healthz", s.serveHealth)
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 8}))
	mux.HandleFunc("GET /{$}", s.serveStatus)
	if s.config.Pprof {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// serveReady answers 200 while every door accepts.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request) {
	state := s.state.Load()
	if state != serving {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	fmt.Fprintln(w, state)
}

// serveHealth tells whether writes are possible. Reads may be, when writes are
// not.
func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request) {
	if err := s.engine.Writable(); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "writes are refused: %v\n", err)
		return
	}
	fmt.Fprintln(w, "writes are accepted")
}

var statusPage = template.Must(template.New("status").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Basalt</title>
<style>body{font:15px sans-serif;margin:2em;max-width:60em}td,th{text-align:left;padding:.2em 1em .2em 0}</style>
<h1>Basalt {{.Version}}</h1>
<p>{{.State}}, up {{.Uptime}}; {{.Health}}. Cluster {{.ClusterID}}.</p>
<table>
{{range .Doors}}<tr><th>{{.Name}}<td>{{.Address}}{{end}}
</table>
<h2>Tables</h2>
<table><tr><th>name<th>state<th>families<th>regions
{{range .Tables}}<tr><td>{{.Name}}<td>{{.State}}<td>{{.Families}}<td>{{.Regions}}{{end}}
</table>
{{if .More}}<p>and {{.More}} more</p>{{end}}
<p><a href="/metrics">/metrics</a> <a href="/healthz">/healthz</a> <a href="/readyz">/readyz</a></p>
</html>
`))

// statusTables bounds the page.
const statusTables = 500

func (s *Server) serveStatus(w http.ResponseWriter, r *http.Request) {
	type row struct {
		Name, State       string
		Families, Regions int
	}
	type doorRow struct{ Name, Address string }
	page := struct {
		Version, State, Health, ClusterID string
		Uptime                            time.Duration
		Doors                             []doorRow
		Tables                            []row
		More                              int
	}{
		Version: s.config.Version, State: s.state.Load().String(), ClusterID: s.catalog.ClusterID(),
		Health: "writes are accepted", Uptime: time.Since(s.started).Round(time.Second),
	}
	if err := s.engine.Writable(); err != nil {
		page.Health = "writes are refused: " + err.Error()
	}
	for _, d := range []struct {
		name string
		at   Address
	}{
		{"ZooKeeper", s.addresses.ZK}, {"HBase master", s.addresses.Master},
		{"HBase region server", s.addresses.HBase}, {"MySQL", s.addresses.MySQL}, {"HTTP", s.addresses.HTTP},
	} {
		address := Off
		if d.at != (Address{}) {
			address = d.at.String()
		}
		page.Doors = append(page.Doors, doorRow{d.name, address})
	}
	for _, t := range s.catalog.View().Sorted {
		if len(page.Tables) == statusTables {
			page.More++
			continue
		}
		page.Tables = append(page.Tables, row{t.Name.String(), stateNames[t.State], len(t.Families), len(t.Regions)})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := statusPage.Execute(w, page); err != nil {
		s.log.Debug("status page was not sent", "client", r.RemoteAddr, "error", err)
	}
}

// stateNames are those of catalog.TableState.
var stateNames = [...]string{"enabled", "disabled", "disabling", "enabling"}
