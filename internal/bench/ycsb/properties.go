package ycsb

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/magiconair/properties"

	"github.com/basaltdb/basalt/internal/bench/result"
)

// defaults are all properties that are known, with their defaults. An empty default
// is that of a property which changes nothing unless it is set.
var defaults = map[string]string{
	"recordcount": "0", "operationcount": "0", "insertstart": "0", "insertcount": "", "threadcount": "1", "target": "0",
	"maxexecutiontime": "0", "status.interval": "10", "label": "", "table": "usertable", "columnfamily": "cf", "workload": "core",
	"fieldcount": "10", "fieldlength": "100", "minfieldlength": "1", "fieldlengthdistribution": "constant", "fieldlengthhistogram": "hist.txt",
	"fieldnameprefix": "field", "readallfields": "true", "readallfieldsbyname": "false", "writeallfields": "false", "dataintegrity": "false",
	"readproportion": "0.95", "updateproportion": "0.05", "insertproportion": "0", "scanproportion": "0", "readmodifywriteproportion": "0",
	"requestdistribution": "uniform", "hotspotdatafraction": "0.2", "hotspotopnfraction": "0.8", "exponential.percentile": "95",
	"exponential.frac": "0.8571428571", "minscanlength": "1", "maxscanlength": "1000", "scanlengthdistribution": "uniform",
	"insertorder": "hashed", "zeropadding": "1", "core_workload_insertion_retry_limit": "0", "core_workload_insertion_retry_interval": "3",
	"core_workload_insertion_keep_going_on_error": "false", "measurementtype": "hdrhistogram", "measurement.interval": "op",
	"hdrhistogram.percentiles": "50,95,99", "hdrhistogram.fileoutput": "false", "hdrhistogram.output.path": "", "histogram.buckets": "1000",
	"timeseries.granularity": "1000", "measurement.histogram.verbose": "false", "measurement.trackjvm": "false", "exporter": "text", "exportfile": "",
	"reportlatencyforeacherror": "false", "latencytrackederrors": "", "clientbuffering": "false", "writebuffersize": "12", "durability": "USE_DEFAULT",
	"debug": "false", "hbase.usepagefilter": "true", "hbase.usescanvaluefiltering": "false", "hbase.scanfilteroperator": "less_or_equal",
	"hbase.scanfiltervalue": "", "db.driver": "", "db.url": "", "db.user": "", "db.passwd": "", "db.batchsize": "0", "jdbc.fetchsize": "0", "jdbc.autocommit": "true",
	"jdbc.batchupdateapi": "false", "hbase.client.ipc.pool.size": "1", "hbase.client.ipc.pool.type": "RoundRobin",
	"hbase.client.max.total.tasks": "0", "hbase.client.max.perserver.tasks": "0",
	"db": "", "hbase.zookeeper.quorum": "", "hbase.zookeeper.property.clientPort": "", "zookeeper.znode.parent": "",
	// of go-ycsb
	"warmuptime": "0", "batch.size": "0", "dropdata": "false", "keyprefix": "user", "outputstyle": "", "silence": "true",
	"mysql.host": "", "mysql.port": "", "mysql.user": "", "mysql.password": "", "mysql.db": "", "command": "",
	// of this tool
	"readfields": "", "writefields": "", "valuealphabet": "java", "compressratio": "1", "keyhash": "ycsb", "verify": "none", "expectednewkeys": "", "scanstyle": "limit",
	"sqlstyle": "jdbc",
}

// inert are accepted and change nothing, with what is said of it once.
var inert = map[string]string{
	"measurement.histogram.verbose": "the JSON result has the whole histogram", "histogram.buckets": "histograms have three significant digits everywhere",
	"timeseries.granularity": "the interval of the time series is --interval", "reportlatencyforeacherror": "errors are always reported apart",
	"latencytrackederrors": "errors are always reported apart", "status.interval": "the interval of status lines is --interval",
	"hbase.zookeeper.quorum": "the target tells the address", "hbase.zookeeper.property.clientPort": "the target tells the address",
	"zookeeper.znode.parent": "the target tells it: zk://HOST/ZNODE", "db.url": "the target may be a JDBC URL", "db.user": "the target tells the user",
	"db.passwd": "the target tells the password", "mysql.host": "the target tells the address", "mysql.port": "the target tells the address",
	"mysql.user": "the target tells the user", "mysql.password": "the target tells the password", "mysql.db": "the target tells the database",
	"db.driver": "the driver is this tool's own", "silence": "messages are always shown, once each",
	"debug": "there is no debug output", "measurement.trackjvm": "there is no JVM; the client's memory is always reported",
	"jdbc.fetchsize": "rows are read as they come", "command": "the command is given on the command line", "db": "the target tells the database",
}

// Properties are settings with where they came from.
type Properties struct {
	values map[string]result.Property
	Notes  []string
}

// NewProperties are the defaults.
func NewProperties() *Properties {
	p := &Properties{values: map[string]result.Property{}}
	for k, v := range defaults {
		p.values[k] = result.Property{Value: v, Origin: "default"}
	}
	return p
}

// Set sets a property. A name that is not known is an error that tells the nearest.
func (p *Properties) Set(name, value, origin string) error {
	if _, ok := defaults[name]; !ok {
		return fmt.Errorf("unknown property %s%s", name, Nearest(name, slices.Sorted(maps.Keys(defaults))))
	}
	if why, ok := inert[name]; ok && value != defaults[name] {
		p.Notes = append(p.Notes, fmt.Sprintf("property %s has no effect: %s", name, why))
	}
	p.values[name] = result.Property{Value: strings.TrimSpace(value), Origin: origin}
	return nil
}

// Load reads a properties file, such as YCSB's workloads.
func (p *Properties) Load(path string) error {
	l := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	f, err := l.LoadFile(path)
	if err != nil {
		return fmt.Errorf("properties: %w", err)
	}
	for _, k := range f.Keys() {
		if err := p.Set(k, f.GetString(k, ""), "file"); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// Get is a property's value.
func (p *Properties) Get(name string) string { return p.values[name].Value }

// Given tells whether a property was set at all.
func (p *Properties) Given(name string) bool { return p.values[name].Origin != "default" }

// All are the effective values, without passwords.
func (p *Properties) All() map[string]result.Property {
	all := map[string]result.Property{}
	for k, v := range p.values {
		if (strings.Contains(k, "passw")) && v.Value != "" {
			v.Value = "***"
		}
		if v.Value != "" || v.Origin != "default" {
			all[k] = v
		}
	}
	return all
}

// Text is what --print-config shows.
func (p *Properties) Text() string {
	var b strings.Builder
	all := p.All()
	for _, k := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s=%s\t# %s\n", k, all[k].Value, all[k].Origin)
	}
	return b.String()
}

// reader gathers the first error, so that reading settings reads straight.
type reader struct {
	p   *Properties
	err error
}

func (r *reader) fail(name, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("property %s=%s: want %s", name, r.p.Get(name), want)
	}
}

func (r *reader) int(name string, least int64) int64 {
	n, err := strconv.ParseInt(r.p.Get(name), 10, 64)
	if err != nil || n < least {
		r.fail(name, fmt.Sprintf("a whole number from %d", least))
	}
	return n
}

func (r *reader) float(name string) float64 {
	n, err := strconv.ParseFloat(r.p.Get(name), 64)
	if err != nil || n < 0 {
		r.fail(name, "a number from 0")
	}
	return n
}

func (r *reader) bool(name string) bool {
	b, err := strconv.ParseBool(strings.ToLower(r.p.Get(name)))
	if err != nil {
		r.fail(name, "true or false")
	}
	return b
}

func (r *reader) oneOf(name string, names ...string) string {
	v := strings.ToLower(r.p.Get(name))
	if !slices.Contains(names, v) {
		r.fail(name, strings.Join(names, ", "))
	}
	return v
}

// Nearest is a hint at the name that was perhaps meant; empty if none is near.
func Nearest(name string, names []string) string {
	best, at := "", 4
	for _, n := range names {
		if d := distance(name, n); d < at {
			best, at = n, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is how many letters have to be changed, added or taken away.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
