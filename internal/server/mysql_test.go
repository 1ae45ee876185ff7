// Shows the MySQL door of a whole server: by its port and by its socket, in TLS,
// counted, and drained.
package server

import (
	"context"
	stdsql "database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

func openMySQL(t *testing.T, network, address, tls string) *stdsql.DB {
	t.Helper()
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.TLSConfig = "root", network, address, tls
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := stdsql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

func TestMySQL(t *testing.T) {
	c := testConfig(t)
	c.MySQLSocket = filepath.Join(t.TempDir(), "s")
	s := open(t, c)
	wait := serve(t, s)
	address := s.Addresses().MySQL.String()
	for _, db := range []*stdsql.DB{
		openMySQL(t, "tcp", address, ""), openMySQL(t, "tcp", address, "skip-verify"), openMySQL(t, "unix", c.MySQLSocket, ""),
	} {
		var n int
		if err := db.QueryRow("SELECT 6 * 7").Scan(&n); err != nil || n != 42 {
			t.Error(n, err)
		}
		if _, err := db.Exec("SELEC"); err == nil {
			t.Error("no error")
		}
	}
	_, body := get(t, s, "/metrics")
	for _, want := range []string{
		`basalt_mysql_command_seconds_count{command="query"} 6`, `basalt_mysql_errors_total{code="1064",command="query"} 3`,
		`basalt_connections{door="mysql"} 3`, "basalt_mysql_prepared_statements 0",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// A socket that a killed server left is taken over; one in use, or another file,
// is not.
func TestMySQLSocket(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "left")
	l, err := net.Listen("unix", left)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	used, err := net.Listen("unix", filepath.Join(dir, "used"))
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{left: "", used.Addr().String(): "another server", file: "no socket"} {
		l, err := listenSocket(path)
		if err == nil {
			l.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestMySQLCertificate(t *testing.T) {
	c := testConfig(t)
	c.MySQLTLSCert, c.MySQLTLSKey = filepath.Join(c.DataDir, "none.pem"), filepath.Join(c.DataDir, "none.key")
	if _, err := Open(c); err == nil || !strings.Contains(err.Error(), "--mysql-tls-cert") {
		t.Error(err)
	}
}
