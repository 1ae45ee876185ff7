// Shows how targets are read, and that passwords are not shown.
package mysqldb

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	a, err := Parse("jdbc:mysql://ann:s%40x@db1,db2:3307/shop?rewriteBatchedStatements=true&useSSL=false&useAffectedRows=true")
	if err != nil || a.User != "ann" || a.Password != "s@x" || a.Database != "shop" || !slices.Equal(a.Hosts, []string{"db1:3306", "db2:3307"}) ||
		!a.RewriteBatch || a.TLS || !a.UseAffectedRows {
		t.Errorf("%+v, %v", a, err)
	}
	c := a.Config(3)
	if c.Addr != "db2:3307" || c.ClientFoundRows {
		t.Errorf("%+v", c)
	}
	for _, bad := range []string{"zk://a", "mysql://", "mysql://a,/b", "mysql://a/b?useUnicod=true", "mysql://%zz@a/b"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if _, err := Parse("postgres://u:secret@h/d"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("mysql://u:p@h:1/d?useSSL=true")
	f.Fuzz(func(t *testing.T, s string) {
		if a, err := Parse(s); err == nil && len(a.Hosts) == 0 {
			t.Errorf("%q has no host", s)
		}
	})
}
