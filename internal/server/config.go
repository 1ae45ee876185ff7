package server

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// Off in place of an address closes a door.
const Off = "off"

// Config is all that can be set. Defaults gives the values that hold without a
// word from the user; each field's flag and meaning stand in settings.go.
type Config struct {
	DataDir string

	ZKListen     string
	MasterListen string
	HBaseListen  string
	MySQLListen  string
	HTTPListen   string

	MySQLSocket  string
	MySQLTLSCert string
	MySQLTLSKey  string

	AdvertiseHost  string
	InsecurePublic bool
	Pprof          bool
	ZnodeParent    string

	Sync          kv.SyncMode
	CacheBytes    Bytes
	MemtableBytes Bytes
	MemoryBytes   Bytes
	GCPercent     int

	MaxConnections   int
	MaxFrameBytes    Bytes
	MaxQueueBytes    Bytes
	MaxResultBytes   Bytes
	MaxCellBytes     Bytes
	MaxRowBytes      Bytes
	MaxMultiActions  int
	MaxFilterDepth   int
	MaxScanners      int
	ScannerLease     time.Duration
	RowLockTimeout   time.Duration
	DiskReserveBytes Bytes
	DrainTimeout     time.Duration

	LogLevel  slog.Level
	LogFormat string

	// Version is what the program calls itself; no setting.
	Version string
	// Logger takes the place of the one that LogLevel and LogFormat describe, for
	// servers inside tests; no setting.
	Logger *slog.Logger
}

// Defaults of every setting, the memory ones sized after the machine.
func Defaults() Config {
	cache := defaultCache(machineMemory())
	return Config{
		DataDir:      "./basalt-data",
		ZKListen:     "127.0.0.1:2181",
		MasterListen: "127.0.0.1:16000",
		HBaseListen:  "127.0.0.1:16020",
		MySQLListen:  "127.0.0.1:3306",
		HTTPListen:   "127.0.0.1:16010",
		ZnodeParent:  "/hbase",

		Sync:          kv.SyncDisk,
		CacheBytes:    Bytes(cache),
		MemtableBytes: 64 << 20,
		GCPercent:     200,

		MaxConnections:   4096,
		MaxFrameBytes:    256 << 20,
		MaxQueueBytes:    1 << 30,
		MaxResultBytes:   100 << 20,
		MaxCellBytes:     10 << 20,
		MaxRowBytes:      256 << 20,
		MaxMultiActions:  1 << 20,
		MaxFilterDepth:   128,
		MaxScanners:      10_000,
		ScannerLease:     time.Minute,
		RowLockTimeout:   30 * time.Second,
		DiskReserveBytes: 1 << 30,
		DrainTimeout:     20 * time.Second,

		LogLevel:  slog.LevelInfo,
		LogFormat: "text",
	}
}

// UsageError is a mistake of whoever configured the server, as opposed to a
// failure.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

func usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// door is one listening address with the setting that it comes from.
type door struct{ setting, address string }

func (c *Config) doors() []door {
	return []door{
		{"zk-listen", c.ZKListen},
		{"master-listen", c.MasterListen},
		{"hbase-listen", c.HBaseListen},
		{"mysql-listen", c.MySQLListen},
		{"http-listen", c.HTTPListen},
	}
}

// Check finds what cannot work before anything is opened.
func (c *Config) Check() error {
	if c.DataDir == "" {
		return usagef("--data is empty")
	}
	open := 0
	for _, d := range c.doors() {
		if d.address == Off {
			continue
		}
		if d.setting != "http-listen" {
			open++
		}
		host, _, err := net.SplitHostPort(d.address)
		if err != nil {
			return usagef("--%s %s: want HOST:PORT or off: %v", d.setting, d.address, err)
		}
		// The MySQL door has accounts, and lets root in from outside only once it
		// has a password.
		if d.setting != "mysql-listen" && !c.InsecurePublic && !loopback(host) {
			return usagef("--%s %s is not a loopback address, and there is no authentication yet: "+
				"whoever reaches it can read and change everything. --insecure-public allows it", d.setting, d.address)
		}
	}
	if open == 0 && c.MySQLSocket == "" {
		return usagef("every door for clients is off: there is nothing to serve")
	}
	if c.ZKListen != Off && c.MasterListen == Off && c.HBaseListen == Off {
		return usagef("--zk-listen only tells clients where the HBase doors are, and both are off: " +
			"open --hbase-listen or --master-listen, or close it too")
	}
	if (c.MySQLTLSCert == "") != (c.MySQLTLSKey == "") {
		return usagef("--mysql-tls-cert and --mysql-tls-key go together: the one without the other is of no use")
	}
	if !strings.HasPrefix(c.ZnodeParent, "/") || len(c.ZnodeParent) < 2 || strings.HasSuffix(c.ZnodeParent, "/") || strings.Contains(c.ZnodeParent, "//") {
		return usagef("--znode-parent %q: want an absolute path such as /hbase", c.ZnodeParent)
	}
	if strings.ContainsAny(c.AdvertiseHost, ",:/ ") {
		return usagef("--advertise-host %q: want a host name or an IPv4 address, without a port", c.AdvertiseHost)
	}
	for _, b := range []struct {
		setting   string
		value     Bytes
		low, high Bytes
	}{
		{"cache-size", c.CacheBytes, 1 << 20, 1 << 50},
		{"memtable-size", c.MemtableBytes, 64 << 10, 2 << 30},
		{"max-frame-size", c.MaxFrameBytes, 64 << 10, 1<<31 - 1},
		{"max-queue-size", c.MaxQueueBytes, 1 << 20, 1 << 50},
		{"max-result-size", c.MaxResultBytes, 1 << 10, 1 << 30},
		{"max-cell-size", c.MaxCellBytes, 1 << 10, 1 << 30},
		{"max-row-size", c.MaxRowBytes, 1 << 10, 1 << 40},
	} {
		if b.value < b.low || b.value > b.high {
			return usagef("--%s %v: want between %v and %v", b.setting, b.value, b.low, b.high)
		}
	}
	if c.MemoryBytes != 0 && c.MemoryBytes < 64<<20 {
		return usagef("--memory-limit %v: want at least 64MiB, or 0 for one that fits the other settings", c.MemoryBytes)
	}
	for _, n := range []struct {
		setting        string
		value, low, up int64
	}{
		{"gc-percent", int64(c.GCPercent), 10, 1000},
		{"max-connections", int64(c.MaxConnections), 1, 1 << 20},
		{"max-multi-actions", int64(c.MaxMultiActions), 1, 1 << 30},
		{"max-filter-depth", int64(c.MaxFilterDepth), 1, 1000},
		{"max-scanners", int64(c.MaxScanners), 1, 1 << 30},
	} {
		if n.value < n.low || n.value > n.up {
			return usagef("--%s %d: want between %d and %d", n.setting, n.value, n.low, n.up)
		}
	}
	for _, d := range []struct {
		setting string
		value   time.Duration
	}{
		{"scanner-lease", c.ScannerLease}, {"row-lock-timeout", c.RowLockTimeout},
	} {
		if d.value < 100*time.Millisecond || d.value > 24*time.Hour {
			return usagef("--%s %v: want between 100ms and 24h", d.setting, d.value)
		}
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		return usagef("--log-format %q: want text or json", c.LogFormat)
	}
	return nil
}

// loopback tells whether host can only be reached from this machine.
func loopback(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	if host == "" {
		return false
	}
	ips, err := net.LookupIP(host)
	if err != nil {
		return false
	}
	for _, ip := range ips {
		if !ip.IsLoopback() {
			return false
		}
	}
	return true
}

// LimitMemory applies the settings of memory to the process. GOGC and GOMEMLIMIT
// of the environment win, as everywhere in Go: env tells what is set there.
//
// The collector runs when garbage is GCPercent of what lives, and harder near
// the limit. What lives is small (the cache and the memtables are outside of it
// in builds with cgo), so the limit leaves room for requests and no more.
func (c *Config) LimitMemory(env func(string) string) {
	if env("GOGC") == "" {
		debug.SetGCPercent(c.GCPercent)
	}
	if env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.goMemory())
	}
}

// goMemory is the limit of Go's own memory.
func (c *Config) goMemory() int64 {
	engine := int64(0)
	stored := int64(c.CacheBytes) + memtables*int64(c.MemtableBytes)
	if engineInGoHeap {
		engine = stored
	}
	if c.MemoryBytes == 0 {
		const rest = 1 << 30
		return engine + int64(c.MaxQueueBytes) + rest
	}
	if engineInGoHeap {
		return int64(c.MemoryBytes)
	}
	return max(int64(c.MemoryBytes)-stored, 64<<20)
}

// memtables is how many of them the engine may hold at once.
const memtables = 4

// defaultCache is a quarter of the machine's memory, within reason: the rest is
// for the page cache, which serves what was flushed just now, and for others.
func defaultCache(memory int64) int64 {
	const low, high = 64 << 20, 8 << 30
	if memory <= 0 {
		return 256 << 20
	}
	return min(max(memory/4, low), high) &^ (1<<20 - 1)
}

// Bytes is a size, written with a unit.
type Bytes int64

// units from the largest; the first that divides a size evenly shows it.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1},
}

func (b Bytes) String() string {
	for _, u := range units[:4] {
		if b != 0 && int64(b)%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(b)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(b))
}

// Set implements pflag.Value: 256MiB, 1GB, 4096B, and a bare number of bytes.
func (b *Bytes) Set(s string) error {
	number, factor := strings.TrimSpace(s), int64(1)
	for _, u := range units {
		if n := len(number) - len(u.name); n > 0 && strings.EqualFold(number[n:], u.name) {
			number, factor = strings.TrimSpace(number[:n]), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.Trim(number, "0123456789.") != "" {
		return errors.New("want a size such as 256MiB, 1GB or 4096B")
	}
	if v *= float64(factor); v < 0 || v >= math.MaxInt64 {
		return errors.New("the size is out of range")
	}
	*b = Bytes(v)
	return nil
}

// Type implements pflag.Value.
func (b *Bytes) Type() string { return "size" }
