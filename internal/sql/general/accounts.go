package general

import (
	"context"
	"net"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/basaltdb/basalt/internal/catalog"
)

// accountsBlob is the catalog's record of all accounts and grants.
const accountsBlob = "mysql.accounts"

// persister writes the accounts down whenever they change.
type persister struct{ e *Engine }

func (p persister) Persist(_ *sql.Context, data []byte) error {
	_, err := p.e.catalog.ChangeSQL(&catalog.SQLChange{Blobs: map[string][]byte{accountsBlob: append([]byte{}, data...)}})
	return err
}

// loadAccounts reads the accounts, or makes root at the first start.
func (e *Engine) loadAccounts(ctx context.Context) error {
	db := e.gms.Analyzer.Catalog.MySQLDb
	db.SetPersister(persister{e})
	db.SetEnabled(true)
	c := sql.NewContext(ctx)
	if data := e.catalog.View().Blobs[accountsBlob]; data != nil {
		return db.LoadData(c, data)
	}
	db.AddRootAccount()
	ed := db.Editor()
	defer ed.Close()
	return db.Persist(c, ed)
}

// Account is what a login needs to know.
type Account struct {
	User, Host, Plugin, Stored string
	Locked                     bool
}

// Account finds the account for a user from an address without port, as MySQL
// does: the most exact host first.
func (e *Engine) Account(user, address string) (Account, bool) {
	r := e.gms.Analyzer.Catalog.MySQLDb.Reader()
	defer r.Close()
	best, rank := (*mysql_db.User)(nil), -1
	r.VisitUsers(func(u *mysql_db.User) {
		if u.IsRole || u.User != user {
			return
		}
		if n := matchHost(u.Host, address); n > rank {
			best, rank = u, n
		}
	})
	if best == nil {
		return Account{}, false
	}
	return Account{User: best.User, Host: best.Host, Plugin: best.Plugin, Stored: best.AuthString, Locked: best.Locked}, true
}

// matchHost tells how exactly an account's host fits an address: -1 not at all.
func matchHost(host, address string) int {
	local := address == "localhost"
	if ip := net.ParseIP(address); ip != nil && ip.IsLoopback() {
		local = true
	}
	switch {
	case strings.EqualFold(host, address):
		return 1 << 20
	case host == "localhost" && local:
		return 1<<20 - 1
	case host == "%":
		return 0
	case strings.Contains(host, "/"):
		if _, n, err := net.ParseCIDR(host); err == nil && n.Contains(net.ParseIP(address)) {
			return len(host)
		}
	case strings.ContainsAny(host, "%_") && like(host, address):
		return strings.IndexAny(host, "%_") + 1
	}
	return -1
}

// like matches SQL's wildcards, without case.
func like(pattern, s string) bool {
	p, t := strings.ToLower(pattern), strings.ToLower(s)
	for len(p) > 0 {
		switch p[0] {
		case '%':
			for i := 0; i <= len(t); i++ {
				if like(p[1:], t[i:]) {
					return true
				}
			}
			return false
		case '_':
			if t == "" {
				return false
			}
		default:
			if t == "" || t[0] != p[0] {
				return false
			}
		}
		p, t = p[1:], t[1:]
	}
	return t == ""
}
