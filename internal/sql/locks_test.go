package sql

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// What these tests want to show: changes and locking reads see the newest
// committed rows under locks, so that no update is lost; plain reads see their
// snapshot; waits end by a timeout or a deadlock, and undo what they should.

// each runs a test on both engines.
func each(t *testing.T, f func(t *testing.T, f *fixture)) {
	t.Run("mem", func(t *testing.T) { f(t, openMem(t)) })
	t.Run("pebble", func(t *testing.T) { f(t, openPebble(t)) })
}

func (f *fixture) want(name, text, want string) {
	f.t.Helper()
	if got := strings.TrimSpace(exec(f.session(name), text)); got != want {
		f.t.Fatalf("%s> %s\ngot  %s\nwant %s", name, text, got, want)
	}
}

// value is the only value of a one-row, one-column answer.
func (f *fixture) value(name, text string) string {
	f.t.Helper()
	lines := strings.Split(strings.TrimSpace(f.mustExec(f.session(name), text)), "\n")
	if len(lines) != 2 {
		f.t.Fatalf("%s> %s: %q", name, text, lines)
	}
	return lines[1]
}

// async runs a statement in another goroutine and waits until it waits for a
// lock; the answer comes from the channel.
func (f *fixture) async(name, text string) chan string {
	f.t.Helper()
	s := f.session(name)
	got := make(chan string, 1)
	before := f.kv.Stats().LocksWaiting
	go func() { got <- strings.TrimSpace(exec(s, text)) }()
	for deadline := time.Now().Add(5 * time.Second); f.kv.Stats().LocksWaiting == before; {
		select {
		case answer := <-got:
			f.t.Fatalf("%s> %s did not wait: %s", name, text, answer)
		default:
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("%s> %s neither waits nor answers", name, text)
		}
		time.Sleep(time.Millisecond)
	}
	return got
}

func TestNoLostUpdate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for _, level := range []string{"REPEATABLE READ", "READ COMMITTED"} {
			f.mustExec(f.session("main"), "CREATE TABLE c (id INT PRIMARY KEY, v INT, u INT, KEY (u))")
			f.mustExec(f.session("main"), "INSERT INTO c VALUES (1, 0, 7)")
			statements := []string{
				"UPDATE c SET v = v + 1 WHERE id = 1",
				"UPDATE c SET v = v + 1 WHERE u = 7",
				"INSERT INTO c VALUES (1, 0, 7) ON DUPLICATE KEY UPDATE v = v + 1",
				"UPDATE c JOIN (SELECT 1 AS one) AS o ON o.one = c.id SET v = v + 1",
			}
			const clients, times = 8, 25
			var wg sync.WaitGroup
			var mu sync.Mutex
			done := 0
			for i := range clients {
				s := f.connect(SessionOptions{})
				wg.Add(1)
				go func() {
					defer wg.Done()
					defer s.Close()
					exec(s, "SET SESSION TRANSACTION ISOLATION LEVEL "+level)
					for range times {
						got := exec(s, statements[i%len(statements)])
						switch {
						case strings.HasPrefix(got, "ok, "):
							mu.Lock()
							done++
							mu.Unlock()
						case strings.Contains(got, "1213"): // a deadlock undoes all
						default:
							t.Errorf("%s: %s", statements[i%len(statements)], got)
						}
					}
				}()
			}
			wg.Wait()
			if got := f.value("main", "SELECT v FROM c"); got != fmt.Sprint(done) {
				t.Errorf("%s: the value is %s after %d updates", level, got, done)
			}
			if done < clients*times/2 {
				t.Errorf("%s: only %d updates of %d went through", level, done, clients*times)
			}
			f.mustExec(f.session("main"), "DROP TABLE c")
		}
	})
}

// A transaction's read, change and write of a row, with the lock taken by the
// read.
func TestNoLostUpdateForUpdate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.mustExec(f.session("main"), "CREATE TABLE c (id INT PRIMARY KEY, v INT)")
		f.mustExec(f.session("main"), "INSERT INTO c VALUES (1, 0)")
		const clients, times = 8, 15
		var wg sync.WaitGroup
		for range clients {
			s := f.connect(SessionOptions{})
			wg.Add(1)
			go func() {
				defer wg.Done()
				defer s.Close()
				for range times {
					exec(s, "BEGIN")
					var v int
					got := exec(s, "SELECT v FROM c WHERE id = 1 FOR UPDATE")
					if _, err := fmt.Sscanf(got, "v\n%d", &v); err != nil {
						t.Errorf("%q: %v", got, err)
					}
					if got := exec(s, fmt.Sprintf("UPDATE c SET v = %d WHERE id = 1", v+1)); !strings.HasPrefix(got, "ok, 1") {
						t.Error(got)
					}
					if got := exec(s, "COMMIT"); got != "ok, 0 rows\n" {
						t.Error(got)
					}
				}
			}()
		}
		wg.Wait()
		if got := f.value("main", "SELECT v FROM c"); got != fmt.Sprint(clients*times) {
			t.Errorf("%s after %d", got, clients*times)
		}
	})
}

func TestLocking(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		setup := func() {
			f.mustExec(f.session("main"), "DROP TABLE IF EXISTS t")
			f.mustExec(f.session("main"), "CREATE TABLE t (k INT PRIMARY KEY, v INT, u INT UNIQUE)")
			f.mustExec(f.session("main"), "INSERT INTO t VALUES (1, 10, 100), (2, 20, 200)")
			for _, s := range []string{"a", "b"} {
				f.mustExec(f.session(s), "ROLLBACK")
				f.mustExec(f.session(s), "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
				f.mustExec(f.session(s), "SET innodb_lock_wait_timeout = 10")
			}
		}
		// The last writer wins after a wait, as in InnoDB; its own snapshot stays.
		setup()
		f.want("a", "BEGIN", "ok, 0 rows")
		f.want("a", "SELECT v FROM t WHERE k = 1", "v\n10")
		f.want("b", "BEGIN", "ok, 0 rows")
		f.want("b", "UPDATE t SET v = 11 WHERE k = 1", "ok, 1 rows, Rows matched: 1  Changed: 1  Warnings: 0")
		got := f.async("a", "UPDATE t SET v = v + 100 WHERE k = 1")
		f.want("b", "COMMIT", "ok, 0 rows")
		if g := <-got; g != "ok, 1 rows, Rows matched: 1  Changed: 1  Warnings: 0" {
			t.Fatal(g)
		}
		f.want("a", "SELECT v FROM t WHERE k = 1", "v\n111")
		f.want("a", "COMMIT", "ok, 0 rows")
		f.want("main", "SELECT v FROM t WHERE k = 1", "v\n111")

		// Writes find rows that came after the snapshot; plain reads do not.
		for _, level := range []string{"REPEATABLE READ", "READ COMMITTED"} {
			setup()
			f.want("a", "SET SESSION TRANSACTION ISOLATION LEVEL "+level, "ok, 0 rows")
			f.want("a", "BEGIN", "ok, 0 rows")
			f.want("a", "SELECT COUNT(*) AS n FROM t", "n\n2")
			f.want("main", "INSERT INTO t VALUES (5, 5, 500)", "ok, 1 rows")
			n := map[string]string{"REPEATABLE READ": "2", "READ COMMITTED": "3"}[level]
			f.want("a", "SELECT COUNT(*) AS n FROM t", "n\n"+n)
			f.want("a", "UPDATE t SET v = 6 WHERE k = 5", "ok, 1 rows, Rows matched: 1  Changed: 1  Warnings: 0")
			f.want("a", "SELECT v FROM t WHERE k = 5 FOR UPDATE", "v\n6")
			f.want("a", "ROLLBACK", "ok, 0 rows")
		}

		// A timeout undoes the statement only, and is obeyed.
		setup()
		f.want("a", "BEGIN", "ok, 0 rows")
		f.want("a", "UPDATE t SET v = 1 WHERE k = 1", "ok, 1 rows, Rows matched: 1  Changed: 1  Warnings: 0")
		f.want("b", "SET innodb_lock_wait_timeout = 1", "ok, 0 rows")
		f.want("b", "BEGIN", "ok, 0 rows")
		f.want("b", "INSERT INTO t VALUES (9, 9, 900)", "ok, 1 rows")
		start := time.Now()
		f.want("b", "UPDATE t SET v = 2 WHERE k IN (2, 1)", "ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction")
		if d := time.Since(start); d < 900*time.Millisecond || d > 3*time.Second {
			t.Errorf("waited %v", d)
		}
		f.want("b", "COMMIT", "ok, 0 rows")
		f.want("main", "SELECT k, v FROM t", "k | v\n1 | 10\n2 | 20\n9 | 9")
		f.want("a", "ROLLBACK", "ok, 0 rows")

		// A deadlock ends one of the two, wholly.
		setup()
		f.want("a", "BEGIN", "ok, 0 rows")
		f.want("b", "BEGIN", "ok, 0 rows")
		f.mustExec(f.session("a"), "UPDATE t SET v = 1 WHERE k = 1")
		f.mustExec(f.session("b"), "UPDATE t SET v = 2 WHERE k = 2")
		got = f.async("a", "UPDATE t SET v = 1 WHERE k = 2")
		f.want("b", "UPDATE t SET v = 2 WHERE k = 1", "ERROR 1213 (40001): Deadlock found when trying to get lock; try restarting transaction")
		if g := <-got; !strings.HasPrefix(g, "ok, 1 rows") {
			t.Fatal(g)
		}
		if f.session("b").Status()&StatusInTransaction != 0 {
			t.Error("a transaction is open after a deadlock")
		}
		f.want("a", "COMMIT", "ok, 0 rows")
		f.want("main", "SELECT v FROM t", "v\n1\n1")

		// The same key twice: the second waits, then fails or not, by the end of
		// the first.
		for _, end := range []string{"COMMIT", "ROLLBACK"} {
			for _, row := range []string{"(3, 3, 300)", "(4, 4, 300)"} {
				setup()
				f.want("a", "BEGIN", "ok, 0 rows")
				f.want("a", "INSERT INTO t VALUES (3, 3, 300)", "ok, 1 rows")
				got := f.async("b", "INSERT INTO t VALUES "+row)
				f.want("a", end, "ok, 0 rows")
				g := <-got
				if end == "COMMIT" && !strings.HasPrefix(g, "ERROR 1062") || end == "ROLLBACK" && g != "ok, 1 rows" {
					t.Fatalf("%s %s: %s", end, row, g)
				}
			}
		}

		// Job queues: FOR UPDATE SKIP LOCKED, NOWAIT.
		setup()
		f.want("a", "BEGIN", "ok, 0 rows")
		f.want("b", "BEGIN", "ok, 0 rows")
		f.want("a", "SELECT k FROM t ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED", "k\n1")
		f.want("b", "SELECT k FROM t ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED", "k\n2")
		f.want("b", "SELECT k FROM t WHERE k = 1 FOR UPDATE NOWAIT",
			"ERROR 3572 (HY000): Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
		f.want("a", "COMMIT", "ok, 0 rows")
		f.want("b", "SELECT k FROM t WHERE k = 1 FOR SHARE NOWAIT", "k\n1")
		f.want("b", "COMMIT", "ok, 0 rows")

		// A locked range takes no new rows, and a missing row can be locked.
		setup()
		f.want("a", "BEGIN", "ok, 0 rows")
		f.want("a", "SELECT k FROM t WHERE k > 1 ORDER BY k FOR UPDATE", "k\n2")
		got = f.async("b", "INSERT INTO t VALUES (3, 3, 300)")
		f.want("a", "COMMIT", "ok, 0 rows")
		if g := <-got; g != "ok, 1 rows" {
			t.Fatal(g)
		}
		f.want("a", "BEGIN", "ok, 0 rows")
		f.want("a", "SELECT k FROM t WHERE k = 8 FOR UPDATE", "k")
		got = f.async("b", "INSERT INTO t VALUES (8, 8, 800)")
		f.want("a", "INSERT INTO t VALUES (8, 8, 801)", "ok, 1 rows")
		f.want("a", "COMMIT", "ok, 0 rows")
		if g := <-got; !strings.HasPrefix(g, "ERROR 1062") {
			t.Fatal(g)
		}
	})
}

func TestAutoIncrementConcurrent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.mustExec(f.session("main"), "CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, v INT)")
		var wg sync.WaitGroup
		for i := range 8 {
			s := f.connect(SessionOptions{})
			wg.Add(1)
			go func() {
				defer wg.Done()
				defer s.Close()
				exec(s, fmt.Sprintf("SET auto_increment_increment = 2, auto_increment_offset = %d", 1+i%2))
				for n := range 25 {
					if n%5 == 0 {
						exec(s, "BEGIN")
						exec(s, "INSERT INTO a (v) VALUES (1)")
						exec(s, "ROLLBACK")
					}
					if got := exec(s, "INSERT INTO a (v) VALUES (1)"); !strings.HasPrefix(got, "ok, 1 rows") {
						t.Error(got)
					}
				}
			}()
		}
		wg.Wait()
		f.want("main", "SELECT COUNT(*), COUNT(DISTINCT id) FROM a", "COUNT(*) | COUNT(DISTINCT id)\n200 | 200")
	})
}

// No child is left without its parent.
func TestNoOrphan(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.session("main")
		f.mustExec(m, "CREATE TABLE p (id INT PRIMARY KEY)")
		f.mustExec(m, "CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, p INT, FOREIGN KEY (p) REFERENCES p (id))")
		var wg sync.WaitGroup
		for i := range 6 {
			s := f.connect(SessionOptions{})
			wg.Add(1)
			go func() {
				defer wg.Done()
				defer s.Close()
				for n := range 20 {
					id := n % 5
					switch i % 3 {
					case 0:
						exec(s, fmt.Sprintf("INSERT IGNORE INTO p VALUES (%d)", id))
					case 1:
						exec(s, fmt.Sprintf("INSERT INTO c (p) VALUES (%d)", id))
					default:
						exec(s, fmt.Sprintf("DELETE FROM p WHERE id = %d", id))
					}
				}
			}()
		}
		wg.Wait()
		f.want("main", "SELECT COUNT(*) AS n FROM c LEFT JOIN p ON p.id = c.p WHERE p.id IS NULL", "n\n0")
	})
}

func TestKill(t *testing.T) {
	f := openMem(t)
	f.mustExec(f.session("main"), "CREATE TABLE t (k INT PRIMARY KEY)")
	f.mustExec(f.session("main"), "INSERT INTO t VALUES (1)")
	f.mustExec(f.session("main"), "BEGIN")
	f.mustExec(f.session("main"), "DELETE FROM t")
	gone := make(chan struct{})
	s := f.connect(SessionOptions{Disconnect: func() { close(gone) }})
	f.sessions["victim"] = s
	got := f.async("victim", "DELETE FROM t WHERE k = 1")
	if err := f.engine.Kill(f.nextID, false); err != nil {
		t.Fatal(err)
	}
	if g := <-got; !strings.HasPrefix(g, "ERROR 1317") {
		t.Fatal(g)
	}
	got = f.async("victim", "DELETE FROM t WHERE k = 1")
	f.want("main", fmt.Sprintf("KILL %d", f.nextID), "ok, 0 rows")
	<-gone
	if g := <-got; !strings.HasPrefix(g, "ERROR 1317") {
		t.Fatal(g)
	}
	_, err := s.Query(context.Background(), "SELECT 1", &table{})
	if e, ok := err.(*Error); !ok || !e.Fatal {
		t.Fatalf("after a KILL: %v", err)
	}
}
