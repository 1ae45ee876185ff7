// Shows a server inside a test, used by a stock client, and one that comes back
// over the same data.
package basalttest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/basaltdb/basalt/basalttest"
)

func TestStockClient(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	dir := t.TempDir()
	s := basalttest.Start(t, basalttest.Dir(dir))
	r, err := http.Get("http://" + s.HTTP + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}

	admin := gohbase.NewAdminClient(s.ZooKeeper)
	create := hrpc.NewCreateTable(ctx, []byte("greetings"), map[string]map[string]string{"f": nil})
	if err := admin.CreateTable(create); err != nil {
		t.Fatal(err)
	}
	client := gohbase.NewClient(s.ZooKeeper)
	put, err := hrpc.NewPutStr(ctx, "greetings", "world", map[string]map[string][]byte{"f": {"text": []byte("hello")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Put(put); err != nil {
		t.Fatal(err)
	}
	client.Close()
	s.Close()

	s = basalttest.Start(t, basalttest.Dir(dir))
	client = gohbase.NewClient(s.ZooKeeper)
	defer client.Close()
	get, err := hrpc.NewGetStr(ctx, "greetings", "world")
	if err != nil {
		t.Fatal(err)
	}
	row, err := client.Get(get)
	if err != nil || len(row.Cells) != 1 || string(row.Cells[0].Value) != "hello" {
		t.Errorf("%v, %v", row, err)
	}
}
