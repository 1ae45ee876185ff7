// What a program does that uses go-sql-driver/mysql: checks of one client
// against a server.
//
//	go run . HOST:PORT USER PASSWORD
//
// Prints a line for each check and 'N passed, N failed'.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

const database = "conf_go"

var config mysql.Config

// failure is what a check panics with.
type failure struct{ text string }

func fail(format string, args ...any) {
	_, _, line, _ := runtime.Caller(2)
	panic(failure{fmt.Sprintf("line %d: ", line) + fmt.Sprintf(format, args...)})
}

func ok(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func same(got, want any) {
	if !reflect.DeepEqual(got, want) {
		fail("got %#v, want %#v", got, want)
	}
}

// rows are all values of a query, bytes as strings.
func rows(db querier, query string, args ...any) [][]any {
	r, err := db.QueryContext(context.Background(), query, args...)
	ok(err)
	defer r.Close()
	columns, err := r.Columns()
	ok(err)
	var all [][]any
	for r.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		ok(r.Scan(into...))
		for i := range row {
			if b, is := row[i].([]byte); is {
				row[i] = string(b)
			}
		}
		all = append(all, row)
	}
	ok(r.Err())
	return all
}

type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

func exec(db querier, query string, args ...any) (affected, id int64) {
	r, err := db.ExecContext(context.Background(), query, args...)
	ok(err)
	affected, _ = r.RowsAffected()
	id, _ = r.LastInsertId()
	return affected, id
}

func code(db querier, query string, args ...any) string {
	_, err := db.ExecContext(context.Background(), query, args...)
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprintf("%d %s", e.Number, e.SQLState[:])
	}
	return fmt.Sprint(err)
}

func open(change func(*mysql.Config)) *sql.DB {
	c := config.Clone()
	if change != nil {
		change(c)
	}
	connector, err := mysql.NewConnector(c)
	ok(err)
	return sql.OpenDB(connector)
}

func main() {
	config = *mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd = "tcp", os.Args[1], os.Args[2], os.Args[3]
	config.AllowNativePasswords = true
	setup := open(nil)
	exec(setup, "DROP DATABASE IF EXISTS "+database)
	exec(setup, "CREATE DATABASE "+database)
	setup.Close()
	config.DBName = database

	passed, failed := 0, 0
	for _, c := range []struct {
		name string
		run  func(*sql.DB)
	}{
		{"connects", connects}, {"migrates", migrates}, {"introspects", introspects}, {"changes rows", changesRows},
		{"runs transactions", runsTransactions}, {"keeps blobs", keepsBlobs}, {"keeps dates", keepsDates},
		{"keeps text", keepsText}, {"keeps numbers", keepsNumbers}, {"tells errors", tellsErrors},
		{"reads several results", readsSeveralResults}, {"loads local data", loadsLocalData}, {"uses TLS", usesTLS},
		{"compresses", compresses}, {"logs in with passwords", logsIn}, {"loses no update", losesNoUpdate},
		{"sends and reads large packets", largePackets}, {"cancels", cancels},
	} {
		func() {
			db := open(nil)
			defer db.Close()
			defer func() {
				if p := recover(); p != nil {
					f, is := p.(failure)
					if !is {
						f.text = fmt.Sprint(p)
					}
					failed++
					fmt.Printf("FAIL %s: %s\n", c.name, strings.ReplaceAll(f.text, "\n", " "))
					return
				}
				passed++
				fmt.Println("ok", c.name)
			}()
			c.run(db)
		}()
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
}

func connects(db *sql.DB) {
	ok(db.Ping())
	same(rows(db, "SELECT DATABASE(), 6 * 7, NULL"), [][]any{{database, int64(42), nil}})
	bad := open(func(c *mysql.Config) { c.DBName = "nope" })
	defer bad.Close()
	same(code(bad, "DO 1"), "1049 42000")
}

func migrates(db *sql.DB) {
	exec(db, "CREATE TABLE people (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL, born DATE, UNIQUE KEY by_name (name))")
	exec(db, "ALTER TABLE people ADD COLUMN points INT NOT NULL DEFAULT 7 AFTER name")
	exec(db, "CREATE INDEX by_born ON people (born, points)")
	exec(db, "ALTER TABLE people RENAME COLUMN born TO birth")
	exec(db, "ALTER TABLE people MODIFY name VARCHAR(60) NOT NULL")
	exec(db, "CREATE TABLE pets (id INT PRIMARY KEY, owner BIGINT, CONSTRAINT pets_owner FOREIGN KEY (owner) REFERENCES people (id) ON DELETE CASCADE)")
}

func introspects(db *sql.DB) {
	same(rows(db, `SELECT column_name, column_type, column_default FROM information_schema.columns
		WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position`, database, "people"),
		[][]any{{"id", "bigint", nil}, {"name", "varchar(60)", nil}, {"points", "int", "7"}, {"birth", "date", nil}})
	same(rows(db, `SELECT index_name, column_name, non_unique FROM information_schema.statistics
		WHERE table_schema = ? AND table_name = 'people' ORDER BY index_name, seq_in_index`, database),
		[][]any{{"by_born", "birth", int64(1)}, {"by_born", "points", int64(1)}, {"by_name", "name", int64(0)}, {"PRIMARY", "id", int64(0)}})
	same(rows(db, `SELECT constraint_name, column_name, referenced_table_name FROM information_schema.key_column_usage
		WHERE table_schema = ? AND table_name = 'pets' AND referenced_table_name IS NOT NULL`, database),
		[][]any{{"pets_owner", "owner", "people"}})
	r, err := db.Query("SELECT id, name, points FROM people")
	ok(err)
	defer r.Close()
	types, err := r.ColumnTypes()
	ok(err)
	var names []string
	for _, t := range types {
		nullable, _ := t.Nullable()
		names = append(names, fmt.Sprint(t.Name(), " ", t.DatabaseTypeName(), " ", nullable))
	}
	same(names, []string{"id BIGINT false", "name VARCHAR false", "points INT false"})
}

func changesRows(db *sql.DB) {
	affected, id := exec(db, "INSERT INTO people (name, birth) VALUES (?, ?), (?, NULL)", "Ada", "1815-12-10", "Bob")
	same([]int64{affected, id}, []int64{2, 1})
	s, err := db.Prepare("SELECT name, points, birth FROM people WHERE id = ?")
	ok(err)
	defer s.Close()
	for range 3 {
		var name string
		var points int
		var birth sql.NullString
		ok(s.QueryRow(2).Scan(&name, &points, &birth))
		same(fmt.Sprint(name, points, birth.Valid), "Bob7 false")
	}
	affected, _ = exec(db, "UPDATE people SET points = points + ? WHERE name LIKE ?", 5, "%a")
	same(affected, int64(1))
	affected, _ = exec(db, "UPDATE people SET points = 7 WHERE name = 'Bob'")
	same(affected, int64(0))
	found := open(func(c *mysql.Config) { c.ClientFoundRows = true })
	defer found.Close()
	affected, _ = exec(found, "UPDATE people SET points = 7 WHERE name = 'Bob'")
	same(affected, int64(1))
	affected, _ = exec(db, "REPLACE INTO people (id, name) VALUES (2, 'Bob')")
	same(affected, int64(2))
	exec(db, "INSERT INTO pets VALUES (1, 2)")
	exec(db, "DELETE FROM people WHERE id = 2")
	same(rows(db, "SELECT COUNT(*) FROM pets"), [][]any{{int64(0)}})
}

func runsTransactions(db *sql.DB) {
	tx, err := db.Begin()
	ok(err)
	exec(tx, "INSERT INTO people (name) VALUES ('Dan')")
	same(rows(db, "SELECT name FROM people WHERE name = 'Dan'"), [][]any(nil))
	ok(tx.Rollback())
	tx, err = db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	ok(err)
	exec(db, "INSERT INTO people (name) VALUES ('Eve')")
	same(rows(tx, "SELECT name FROM people WHERE name = 'Eve' FOR UPDATE"), [][]any{{"Eve"}})
	exec(tx, "DELETE FROM people WHERE name = 'Eve'")
	ok(tx.Commit())
	tx, err = db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	ok(err)
	same(code(tx, "INSERT INTO people (name) VALUES ('Eve')"), "1792 25006")
	ok(tx.Rollback())
}

func keepsBlobs(db *sql.DB) {
	exec(db, "CREATE TABLE blobs (id INT PRIMARY KEY, b LONGBLOB)")
	b := bytes.Repeat([]byte{0, 1, 0xff, '\'', '\\', '\n'}, 1<<18)
	exec(db, "INSERT INTO blobs VALUES (1, ?), (2, ?)", b, []byte{})
	var got []byte
	for _, id := range []int{1, 2} {
		ok(db.QueryRow("SELECT b FROM blobs WHERE id = ?", id).Scan(&got))
		if id == 1 && !bytes.Equal(got, b) || id == 2 && (got == nil || len(got) != 0) {
			fail("blob %d has %d bytes", id, len(got))
		}
	}
}

func keepsDates(db *sql.DB) {
	exec(db, "CREATE TABLE times (id INT PRIMARY KEY, d DATE, dt DATETIME(6), ts TIMESTAMP(3) NULL, t TIME(1))")
	parsed := open(func(c *mysql.Config) { c.ParseTime, c.Params = true, map[string]string{"time_zone": "'+00:00'"} })
	defer parsed.Close()
	moment := time.Date(2024, 2, 29, 23, 59, 58, 123456000, time.UTC)
	exec(parsed, "INSERT INTO times VALUES (1, ?, ?, ?, '-101:00:00.25')", moment, moment, moment)
	for _, args := range [][]any{nil, {1}} {
		query := "SELECT d, dt, ts, t FROM times"
		if args != nil {
			query += " WHERE id = ?"
		}
		same(rows(parsed, query, args...), [][]any{{moment.Truncate(24 * time.Hour), moment, moment.Truncate(time.Millisecond), "-101:00:00.3"}})
	}
	same(rows(db, "SELECT d, dt FROM times"), [][]any{{"2024-02-29", "2024-02-29 23:59:58.123456"}})
	same(code(db, "INSERT INTO times (id, d) VALUES (2, '2023-02-29')"), "1292 22007")
}

func keepsText(db *sql.DB) {
	exec(db, "CREATE TABLE words (id INT PRIMARY KEY, w VARCHAR(20), UNIQUE KEY (w))")
	exec(db, "INSERT INTO words VALUES (1, ?), (2, 'straße'), (3, 'A')", "世界 \U0001f600")
	same(rows(db, "SELECT w, CHAR_LENGTH(w), LENGTH(w) FROM words WHERE id = ?", 1), [][]any{{"世界 \U0001f600", int64(4), int64(11)}})
	same(rows(db, "SELECT id FROM words WHERE w = 'a'"), [][]any{{int64(3)}})
	same(code(db, "INSERT INTO words VALUES (4, 'á')"), "1062 23000")
}

func keepsNumbers(db *sql.DB) {
	exec(db, "CREATE TABLE numbers (id INT PRIMARY KEY, u BIGINT UNSIGNED, n DECIMAL(20, 5), f DOUBLE, t TINYINT, y YEAR, b BIT(10))")
	exec(db, "INSERT INTO numbers VALUES (?, ?, ?, ?, ?, ?, ?)", 1, uint64(1<<64-1), "-123.45", 0.1, -7, 1999, 513)
	want := [][]any{{int64(1), uint64(1<<64 - 1), "-123.45000", 0.1, int64(-7), int64(1999), "\x02\x01"}}
	same(rows(db, "SELECT * FROM numbers"), want)
	want[0][1] = "18446744073709551615" // of a binary row, the driver gives what int64 does not hold as text
	same(rows(db, "SELECT * FROM numbers WHERE id = ?", 1), want)
	same(rows(db, "SELECT SUM(n), AVG(t), MAX(f) FROM numbers"), [][]any{{"-123.45000", "-7.0000", 0.1}})
}

func tellsErrors(db *sql.DB) {
	for query, want := range map[string]string{
		"SELECT nope FROM people": "1054 42S22", "SELECT * FROM nope": "1146 42S02", "SELEC 1": "1064 42000", "USE nope": "1049 42000",
		"INSERT INTO people (name) VALUES ('Ada')": "1062 23000", "INSERT INTO people (name) VALUES (NULL)": "1048 23000",
		"INSERT INTO pets VALUES (9, 9999)": "1452 23000", "CREATE TABLE people (id INT)": "1050 42S01", "SELECT 1; SELECT 2": "1064 42000",
	} {
		if got := code(db, query); got != want {
			fail("%s: %s, want %s", query, got, want)
		}
	}
}

func readsSeveralResults(db *sql.DB) {
	many := open(func(c *mysql.Config) { c.MultiStatements = true })
	defer many.Close()
	r, err := many.Query("SELECT 1; SELECT 2, 3; SELECT nope")
	ok(err)
	defer r.Close()
	sets := 1
	for r.NextResultSet() {
		sets++
	}
	var e *mysql.MySQLError
	if sets != 2 || !errors.As(r.Err(), &e) || e.Number != 1054 {
		fail("%d sets, then %v", sets, r.Err())
	}
}

func loadsLocalData(db *sql.DB) {
	exec(db, "CREATE TABLE loaded (id INT PRIMARY KEY, t VARCHAR(20))")
	mysql.RegisterReaderHandler("lines", func() io.Reader { return strings.NewReader("1\tone\n2\ttwo\n3\t\\N\n") })
	defer mysql.DeregisterReaderHandler("lines")
	const load = "LOAD DATA LOCAL INFILE 'Reader::lines' INTO TABLE loaded"
	same(code(db, load), "3948 42000")
	exec(db, "SET GLOBAL local_infile = 1")
	defer exec(db, "SET GLOBAL local_infile = 0")
	affected, _ := exec(db, load)
	same(affected, int64(3))
	same(rows(db, "SELECT t FROM loaded ORDER BY id"), [][]any{{"one"}, {"two"}, {nil}})
}

func usesTLS(*sql.DB) {
	db := open(func(c *mysql.Config) { c.TLSConfig = "skip-verify" })
	defer db.Close()
	got := rows(db, "SHOW STATUS LIKE 'Ssl_cipher'")
	if len(got) != 1 || got[0][1] == "" {
		fail("%v", got)
	}
}

func compresses(*sql.DB) {
	db := open(func(c *mysql.Config) { ok(c.Apply(mysql.EnableCompression(true))) })
	defer db.Close()
	text := strings.Repeat("compress me ", 300_000)
	same(rows(db, "SELECT ?", text), [][]any{{text}})
	same(rows(db, "SELECT LENGTH('"+text+"')"), [][]any{{int64(len(text))}})
}

func logsIn(db *sql.DB) {
	for _, plugin := range []string{"caching_sha2_password", "mysql_native_password"} {
		exec(db, "DROP USER IF EXISTS conf_go_user")
		exec(db, "CREATE USER conf_go_user IDENTIFIED WITH "+plugin+" BY 'secret'")
		for _, tls := range []string{"false", "skip-verify", "false"} {
			mine := open(func(c *mysql.Config) { c.User, c.Passwd, c.TLSConfig, c.DBName = "conf_go_user", "secret", tls, "" })
			same(rows(mine, "SELECT CURRENT_USER()"), [][]any{{"conf_go_user@%"}})
			mine.Close()
		}
		for _, wrong := range []string{"Secret", ""} {
			other := open(func(c *mysql.Config) { c.User, c.Passwd, c.DBName = "conf_go_user", wrong, "" })
			same(code(other, "DO 1"), "1045 28000")
			other.Close()
		}
		exec(db, "ALTER USER conf_go_user IDENTIFIED BY 'other'")
		other := open(func(c *mysql.Config) { c.User, c.Passwd, c.DBName = "conf_go_user", "secret", "" })
		same(code(other, "DO 1"), "1045 28000")
		other.Close()
		exec(db, "DROP USER conf_go_user")
	}
}

func losesNoUpdate(db *sql.DB) {
	exec(db, "CREATE TABLE counters (id INT PRIMARY KEY, n INT NOT NULL)")
	exec(db, "INSERT INTO counters VALUES (1, 0)")
	var all sync.WaitGroup
	errs := make(chan error, 8)
	for range 8 {
		all.Go(func() {
			for range 50 {
				if _, err := db.Exec("UPDATE counters SET n = n + 1 WHERE id = ?", 1); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	select {
	case err := <-errs:
		fail("%v", err)
	default:
	}
	same(rows(db, "SELECT n FROM counters"), [][]any{{int64(400)}})
}

func largePackets(db *sql.DB) {
	for _, n := range []int{1<<24 - 2, 1<<24 - 1, 1 << 24, 1 << 25} {
		var got []byte
		ok(db.QueryRow("SELECT REPEAT('a', ?)", n).Scan(&got))
		same(len(got), n)
		var length int
		ok(db.QueryRow("SELECT LENGTH('" + strings.Repeat("b", n) + "')").Scan(&length))
		same(length, n)
	}
}

func cancels(db *sql.DB) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := db.ExecContext(ctx, "DO SLEEP(5)")
	same(errors.Is(err, context.DeadlineExceeded), true)
	conn, err := db.Conn(context.Background())
	ok(err)
	defer conn.Close()
	id := rows(conn, "SELECT CONNECTION_ID()")[0][0]
	go func() {
		time.Sleep(100 * time.Millisecond)
		db.Exec(fmt.Sprintf("KILL QUERY %v", id))
	}()
	same(code(conn, "SELECT name FROM people WHERE SLEEP(10)"), "1317 70100")
	same(rows(conn, "SELECT 1"), [][]any{{int64(1)}})
}
