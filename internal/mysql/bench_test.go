// Measures the round trip of a point select over loopback, with a session that
// costs next to nothing: what is left is the door, the sockets and this client.
package mysql

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/basaltdb/basalt/internal/mysql/wire"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql"
)

// pointEngine answers every statement with the row of a number.
type pointEngine struct{ *fakeEngine }

type pointSession struct {
	sql.Session
	rows map[int64][]byte
}

type pointStmt struct {
	s   *pointSession
	out [1]sql.Value
}

var pointColumns = []sql.Column{{Schema: "sbtest", Table: "sbtest1", OrgTable: "sbtest1", Name: "c", OrgName: "c", Type: sql.TypeString, Collation: 255, Length: 480, Flags: sql.FlagNotNull}}

func (e pointEngine) NewSession(o sql.SessionOptions) (sql.Session, error) {
	s, err := e.fakeEngine.NewSession(o)
	rows := make(map[int64][]byte)
	for i := range int64(1000) {
		rows[i] = make([]byte, 119)
	}
	return &pointSession{s, rows}, err
}

func (s *pointSession) Query(_ context.Context, text string, sink sql.Sink) (sql.Result, error) {
	if err := sink.Columns(pointColumns); err != nil {
		return sql.Result{}, err
	}
	return sql.Result{Rows: true}, sink.Row([]sql.Value{row.BytesValue(s.rows[int64(len(text))])})
}

func (s *pointSession) Prepare(context.Context, string) (sql.Stmt, error) {
	return &pointStmt{s: s}, nil
}

func (*pointStmt) Params() []sql.Column  { return []sql.Column{intColumn} }
func (*pointStmt) Columns() []sql.Column { return pointColumns }
func (*pointStmt) Close()                {}
func (p *pointStmt) Execute(_ context.Context, args []sql.Value, sink sql.Sink) (sql.Result, error) {
	if err := sink.Columns(pointColumns); err != nil {
		return sql.Result{}, err
	}
	p.out[0] = row.BytesValue(p.s.rows[args[0].Int()])
	return sql.Result{Rows: true}, sink.Row(p.out[:])
}

func benchmark(b *testing.B, request func(id uint32, n int) []byte, packets int) {
	s := NewServer(Config{Engine: pointEngine{newFakeEngine()}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		c := dial(b, l.Addr().String(), wire.Protocol41|wire.SecureConnection|wire.PluginAuth|wire.DeprecateEOF)
		defer c.nc.Close()
		c.send(0, append([]byte{byte(wire.ComStmtPrepare)}, "SELECT c FROM sbtest1 WHERE id = ?"...))
		id := binary.LittleEndian.Uint32(c.read()[1:])
		c.read()
		c.read()
		in := bufio.NewReader(c.nc)
		var head [4]byte
		for n := 0; pb.Next(); n++ {
			if _, err := c.nc.Write(request(id, n)); err != nil {
				b.Error(err)
				return
			}
			for range packets {
				io.ReadFull(in, head[:])
				in.Discard(int(head[0]) | int(head[1])<<8)
			}
		}
	})
}

func BenchmarkPointSelectPrepared(b *testing.B) {
	benchmark(b, func(id uint32, n int) []byte {
		p := append([]byte{0, 0, 0, 0, byte(wire.ComStmtExecute)}, binary.LittleEndian.AppendUint32(nil, id)...)
		p = append(p, 0, 1, 0, 0, 0, 0, 1, byte(wire.TypeLong), 0)
		p = binary.LittleEndian.AppendUint32(p, uint32(n%1000))
		p[0] = byte(len(p) - 4)
		return p
	}, 4)
}

func BenchmarkPointSelectText(b *testing.B) {
	benchmark(b, func(uint32, int) []byte {
		p := append([]byte{0, 0, 0, 0, byte(wire.ComQuery)}, "SELECT c FROM sbtest1 WHERE id = 4711"...)
		p[0] = byte(len(p) - 4)
		return p
	}, 4)
}

// BenchmarkRows is what a row costs in a large answer.
func BenchmarkRows(b *testing.B) {
	values := []sql.Value{row.IntValue(123456), row.IntValue(1), row.BytesValue(make([]byte, 119)), row.DateTimeValue(civil)}
	columns := []sql.Column{intColumn, intColumn, textColumn, {Type: sql.TypeDateTime}}
	for _, binary := range []bool{false, true} {
		name := "text"
		if binary {
			name = "binary"
		}
		b.Run(name, func(b *testing.B) {
			c := &conn{}
			c.rows.begin(binary)
			c.rows.columns = columns
			b.ReportAllocs()
			for b.Loop() {
				c.Row(values)
				c.out.Buf = c.out.Buf[:0]
			}
		})
	}
}

// again is a client that sends the same request for ever and takes no time.
type again struct {
	net.Conn
	request []byte
}

func (a again) Read(b []byte) (int, error)  { return copy(b, a.request), nil }
func (a again) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkDoor is what the door itself costs, without sockets.
func BenchmarkDoor(b *testing.B) {
	request := append([]byte{0, 0, 0, 0, byte(wire.ComStmtExecute)}, execute(1, 0, 0, 1, byte(wire.TypeLong), 0, 42, 0, 0, 0)...)
	request[0] = byte(len(request) - 4)
	s := NewServer(Config{Engine: pointEngine{newFakeEngine()}})
	c := &conn{srv: s, nc: again{nil, request}, ctx: context.Background(), loggedIn: true, caps: newCaps}
	c.in.budget, c.stmts.srv = &s.budget, s
	c.session, _ = s.cfg.Engine.NewSession(sql.SessionOptions{})
	c.borrowOut()
	if err := c.prepare("SELECT c FROM sbtest1 WHERE id = ?"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := c.next(); err != nil {
			b.Fatal(err)
		}
	}
}
