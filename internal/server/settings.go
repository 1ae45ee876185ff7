package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/internal/kv"
)

// EnvPrefix starts the environment's names of settings: zk-listen is
// BASALT_ZK_LISTEN there.
const EnvPrefix = "BASALT_"

// settings binds every setting of c by its one name.
func settings(c *Config) *pflag.FlagSet {
	f := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	f.SortFlags = false

	f.StringVar(&c.DataDir, "data", c.DataDir, "directory of the data; made when it is missing")
	f.StringVar(&c.ZKListen, "zk-listen", c.ZKListen, "HOST:PORT where ZooKeeper clients ask for the cluster; port 0 picks one, off closes the door")
	f.StringVar(&c.MasterListen, "master-listen", c.MasterListen, "HOST:PORT of HBase's master; 0 and off as above")
	f.StringVar(&c.HBaseListen, "hbase-listen", c.HBaseListen, "HOST:PORT of HBase's region server; 0 and off as above")
	f.StringVar(&c.MySQLListen, "mysql-listen", c.MySQLListen, "HOST:PORT of the MySQL door; 0 and off as above")
	f.StringVar(&c.MySQLSocket, "mysql-socket", c.MySQLSocket, "path of a Unix socket for MySQL clients of this machine (empty: none)")
	f.StringVar(&c.MySQLTLSCert, "mysql-tls-cert", c.MySQLTLSCert, "PEM file of the certificate that MySQL clients see (empty: one of the server's own making, new at each start)")
	f.StringVar(&c.MySQLTLSKey, "mysql-tls-key", c.MySQLTLSKey, "PEM file of its private key")
	f.StringVar(&c.HTTPListen, "http-listen", c.HTTPListen, "HOST:PORT of /readyz, /healthz, /metrics and a status page; 0 and off as above")
	f.StringVar(&c.AdvertiseHost, "advertise-host", c.AdvertiseHost, "host that clients are told to connect to (empty: the listening one), for use behind NAT and in containers")
	f.BoolVar(&c.InsecurePublic, "insecure-public", c.InsecurePublic, "allow addresses that are not loopback although there is no authentication")
	f.BoolVar(&c.Pprof, "pprof", c.Pprof, "serve Go's profiles under /debug/pprof on the HTTP port")
	f.StringVar(&c.ZnodeParent, "znode-parent", c.ZnodeParent, "what clients have as zookeeper.znode.parent")

	f.Var((*syncValue)(&c.Sync), "sync", "when a write counts as done: disk (log on disk: survives power loss) or os (operating system has the log: survives kill -9)")
	f.Var(&c.CacheBytes, "cache-size", "block cache; default: a quarter of the memory, at most 8GiB")
	f.Var(&c.MemtableBytes, "memtable-size", "one memtable; up to four exist at once")
	f.Var(&c.DiskReserveBytes, "disk-reserve", "writes are refused when less than this is free on the disk; reads go on")
	f.Var(&c.MemoryBytes, "memory-limit", "soft limit of the process, cache and memtables included; 0: 1GiB more than they and max-queue-size come to")
	f.IntVar(&c.GCPercent, "gc-percent", c.GCPercent, "garbage collector: how much garbage, in percent of what lives, before it runs (as GOGC, which wins)")

	f.IntVar(&c.MaxConnections, "max-connections", c.MaxConnections, "connections per door")
	f.Var(&c.MaxFrameBytes, "max-frame-size", "one request")
	f.Var(&c.MaxQueueBytes, "max-queue-size", "requests under way, all connections together")
	f.Var(&c.MaxResultBytes, "max-result-size", "one answer of a scan or a batch")
	f.Var(&c.MaxCellBytes, "max-cell-size", "one written cell, unless the table says otherwise")
	f.Var(&c.MaxRowBytes, "max-row-size", "what is read of one row at once")
	f.IntVar(&c.MaxMultiActions, "max-multi-actions", c.MaxMultiActions, "actions of one batch")
	f.IntVar(&c.MaxFilterDepth, "max-filter-depth", c.MaxFilterDepth, "nesting of filters")
	f.IntVar(&c.MaxScanners, "max-scanners", c.MaxScanners, "open scanners")
	f.DurationVar(&c.ScannerLease, "scanner-lease", c.ScannerLease, "how long a scanner lives between two calls")
	f.DurationVar(&c.RowLockTimeout, "row-lock-timeout", c.RowLockTimeout, "how long a write waits for a row")
	f.DurationVar(&c.DrainTimeout, "drain-timeout", c.DrainTimeout, "how long calls under way may take at shutdown")

	f.Var((*levelValue)(&c.LogLevel), "log-level", "debug, info, warn or error")
	f.StringVar(&c.LogFormat, "log-format", c.LogFormat, "text or json")
	return f
}

// Parsed is what a command line comes to.
type Parsed struct {
	Config
	// PrintConfig asks to show the configuration instead of serving.
	PrintConfig bool
	// Help asks for the usage text.
	Help bool
}

// Parse reads the settings from the arguments of serve, the environment and the
// file that --config names, in falling order of precedence. What the user got
// wrong is a UsageError.
func Parse(args, environ []string) (Parsed, error) {
	p := Parsed{Config: Defaults()}
	fs, path := flags(&p)
	if err := fs.Parse(args); err != nil {
		return p, flagError(err, fs)
	}
	if fs.NArg() > 0 {
		return p, usagef("serve takes no argument: %q", fs.Arg(0))
	}
	given := make(map[string]bool)
	fs.Visit(func(f *pflag.Flag) { given[f.Name] = true })

	env, err := environment(environ, fs)
	if err != nil {
		return p, err
	}
	if v, ok := env["config"]; ok && !given["config"] {
		*path = v
	}
	file, err := readFile(*path, fs)
	if err != nil {
		return p, err
	}
	for _, source := range []struct {
		values map[string]string
		name   func(setting string) string
	}{
		{file, func(s string) string { return *path + ": " + s }},
		{env, envName},
	} {
		for _, name := range sorted(source.values) {
			if given[name] || name == "config" {
				continue
			}
			if err := fs.Lookup(name).Value.Set(source.values[name]); err != nil {
				return p, usagef("%s: %q: %v", source.name(name), source.values[name], err)
			}
		}
	}
	return p, nil
}

// flags are the settings and what else serve's command line can say.
func flags(p *Parsed) (fs *pflag.FlagSet, configPath *string) {
	fs = pflag.NewFlagSet("serve", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.AddFlagSet(settings(&p.Config))
	configPath = fs.String("config", "", "TOML file with the same names: name = value")
	fs.BoolVar(&p.PrintConfig, "print-config", false, "print the configuration as such a file, and stop")
	fs.BoolVarP(&p.Help, "help", "h", false, "show this")
	return fs, configPath
}

// Usage is the text about all flags.
func Usage() string {
	var p Parsed
	p.Config = Defaults()
	fs, _ := flags(&p)
	return fs.FlagUsagesWrapped(100)
}

// UsageSources says where settings come from.
const UsageSources = `Each flag but --help and --print-config can be set in the environment as well,
--zk-listen as BASALT_ZK_LISTEN, and in the file that --config names, as
zk-listen = "...". Flags win over the environment, the environment over the file.
`

// flagError makes an error of pflag one with a hint.
func flagError(err error, fs *pflag.FlagSet) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		return usagef("unknown flag --%s%s", unknown.GetSpecifiedName(),
			hint(unknown.GetSpecifiedName(), names(fs), "--"))
	}
	return usagef("%v", err)
}

// environment picks the settings out of the environment.
func environment(environ []string, fs *pflag.FlagSet) (map[string]string, error) {
	known := make(map[string]string)
	for _, n := range names(fs) {
		if n != "help" && n != "print-config" {
			known[envName(n)] = n
		}
	}
	values := make(map[string]string)
	for _, e := range environ {
		key, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(key, EnvPrefix) {
			continue
		}
		name, ok := known[key]
		if !ok {
			return nil, usagef("unknown setting %s in the environment%s", key, hint(key, sorted(known), ""))
		}
		values[name] = value
	}
	return values, nil
}

func envName(setting string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

// readFile reads a configuration file; an empty path has none.
func readFile(path string, fs *pflag.FlagSet) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usagef("--config: %v", err)
	}
	var raw map[string]any
	if err := toml.Unmarshal(text, &raw); err != nil {
		return nil, usagef("%s: %v", path, err)
	}
	known := slices.DeleteFunc(names(fs), func(n string) bool {
		return n == "config" || n == "print-config" || n == "help"
	})
	values := make(map[string]string)
	for _, key := range sorted(raw) {
		if !slices.Contains(known, key) {
			return nil, usagef("%s: unknown setting %s%s", path, key, hint(key, known, ""))
		}
		switch v := raw[key].(type) {
		case string, bool, int64, float64:
			values[key] = fmt.Sprint(v)
		default:
			return nil, usagef("%s: %s: want a single value", path, key)
		}
	}
	return values, nil
}

// Text is the configuration as a file for --config.
func (c Config) Text() string {
	var b strings.Builder
	settings(&c).VisitAll(func(f *pflag.Flag) {
		if f.Name == "mysql-listen" {
			return
		}
		value := f.Value.String()
		switch f.Value.Type() {
		case "int", "bool":
		default:
			value = fmt.Sprintf("%q", value)
		}
		fmt.Fprintf(&b, "# %s\n%s = %s\n\n", f.Usage, f.Name, value)
	})
	return strings.TrimSuffix(b.String(), "\n")
}

// hint names the candidate that was likely meant, if there is one.
func hint(name string, candidates []string, prefix string) string {
	best := ""
	distance := 1 + max(2, len(name)/3)
	for _, c := range candidates {
		if d := editDistance(name, c); d < distance {
			best, distance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s%s?)", prefix, best)
}

// Hint is hint for names that are no settings, such as subcommands.
func Hint(name string, candidates []string) string { return hint(name, candidates, "") }

// editDistance counts the letters to insert, drop or replace between a and b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

func names(fs *pflag.FlagSet) []string {
	var all []string
	fs.VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	return all
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

type syncValue kv.SyncMode

func (v *syncValue) String() string {
	if kv.SyncMode(*v) == kv.SyncOS {
		return "os"
	}
	return "disk"
}
func (*syncValue) Type() string { return "mode" }
func (v *syncValue) Set(s string) error {
	switch s {
	case "disk":
		*v = syncValue(kv.SyncDisk)
	case "os":
		*v = syncValue(kv.SyncOS)
	default:
		return errors.New("want disk or os")
	}
	return nil
}

type levelValue slog.Level

func (v *levelValue) String() string { return strings.ToLower(slog.Level(*v).String()) }
func (*levelValue) Type() string     { return "level" }
func (v *levelValue) Set(s string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(s)); err != nil || strings.ContainsAny(s, "+-") {
		return errors.New("want debug, info, warn or error")
	}
	*v = levelValue(l)
	return nil
}
