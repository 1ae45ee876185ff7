package mysqldb

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Address is where a MySQL server is and who asks. Several hosts take turns.
type Address struct {
	Hosts    []string // HOST:PORT, or /PATH of a socket
	User     string
	Password string
	Database string
	TLS      bool
	// UseAffectedRows counts changed rows in place of matched ones.
	UseAffectedRows bool
	// RewriteBatch sends batches of inserts as one statement.
	RewriteBatch bool
}

// Parse reads mysql://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?OPTIONS, or the
// same after jdbc:, with the options of MySQL's JDBC driver that matter here.
func Parse(target string) (Address, error) {
	a := Address{User: "root", Database: "test"}
	rest, ok := strings.CutPrefix(strings.TrimPrefix(target, "jdbc:"), "mysql://")
	if !ok {
		if rest, ok = strings.CutPrefix(strings.TrimPrefix(target, "jdbc:"), "mariadb://"); !ok {
			return a, fmt.Errorf("target %q: want mysql://USER@HOST:PORT/DATABASE", Masked(target))
		}
	}
	rest, query, _ := strings.Cut(rest, "?")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		user, password, _ := strings.Cut(rest[:i], ":")
		var errUser, errPassword error
		a.User, errUser = url.PathUnescape(user)
		a.Password, errPassword = url.PathUnescape(password)
		if errUser != nil || errPassword != nil {
			return a, errors.New("target: bad escape in user or password")
		}
		rest = rest[i+1:]
	}
	hosts, database, _ := strings.Cut(rest, "/")
	if database != "" {
		a.Database = database
	}
	for h := range strings.SplitSeq(hosts, ",") {
		if h == "" {
			return a, fmt.Errorf("target %q: an empty host", Masked(target))
		}
		if _, _, err := net.SplitHostPort(h); err != nil {
			h = net.JoinHostPort(strings.Trim(h, "[]"), "3306")
		}
		a.Hosts = append(a.Hosts, h)
	}
	options, err := url.ParseQuery(query)
	if err != nil {
		return a, fmt.Errorf("target %q: %w", Masked(target), err)
	}
	for k, v := range options {
		on := v[0] == "true" || v[0] == "REQUIRED" || v[0] == "1"
		switch k {
		case "rewriteBatchedStatements":
			a.RewriteBatch = on
		case "useAffectedRows":
			a.UseAffectedRows = on
		case "useSSL", "requireSSL":
			a.TLS = on
		case "user":
			a.User = v[0]
		case "password":
			a.Password = v[0]
		case "characterEncoding", "useUnicode", "serverTimezone", "useServerPrepStmts", "cachePrepStmts",
			"allowPublicKeyRetrieval", "autoReconnect", "connectTimeout", "socketTimeout", "sslMode":
			// What they ask for is so here, or has no counterpart.
		default:
			return a, fmt.Errorf("target %q: unknown option %s", Masked(target), k)
		}
	}
	return a, nil
}

// Masked is a target without its password.
func Masked(target string) string {
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok {
		return target
	}
	user, host, ok := cutLast(rest, "@")
	if !ok {
		return target
	}
	if name, _, ok := strings.Cut(user, ":"); ok {
		return scheme + "://" + name + ":***@" + host
	}
	return target
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Config is the driver's configuration for a worker.
func (a *Address) Config(worker int) *mysql.Config {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName = a.User, a.Password, a.Database
	c.Net, c.Addr = "tcp", a.Hosts[worker%len(a.Hosts)]
	if strings.HasPrefix(c.Addr, "/") {
		c.Net = "unix"
	}
	c.ClientFoundRows = !a.UseAffectedRows
	c.Timeout = 10 * time.Second
	c.MaxAllowedPacket = 0 // the server's
	if a.TLS {
		c.TLSConfig = "skip-verify"
	}
	return c
}
