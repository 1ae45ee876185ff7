// Shows the packets of answers, one by one, and what happens to clients that
// send what they should not.
package mysql

import (
	"bytes"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/mysql/wire"
)

const oldCaps = wire.Protocol41 | wire.SecureConnection | wire.PluginAuth | wire.MultiStatements | wire.MultiResults
const newCaps = oldCaps | wire.DeprecateEOF

// execute makes a COM_STMT_EXECUTE.
func execute(id uint32, cursor byte, params ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, id)
	return append(append(b, cursor, 1, 0, 0, 0), params...)
}

// Where ends of definitions and rows are, for older and newer clients.
func TestEndMarkers(t *testing.T) {
	_, _, address, _ := start(t, nil)
	for _, f := range []struct {
		caps wire.Capability
		want map[string]string
	}{
		{oldCaps, map[string]string{
			"query": "1 d d F2 4 F2 ", "both": "P d F2 d d F2 ", "params": "P d F2 ", "columns": "P d d F2 ", "none": "P ",
			"execute": "1 d d F2 5 F2 ", "sets": "1 d F2 2 F10 1 d F2 2 F10 O2 "}},
		{newCaps, map[string]string{
			"query": "1 d d 4 f2 ", "both": "P d d d ", "params": "P d ", "columns": "P d d ", "none": "P ",
			"execute": "1 d d 5 f2 ", "sets": "1 d 2 f10 1 d 2 f10 O2 "}},
	} {
		c := dial(t, address, f.caps)
		check := func(name string) {
			t.Helper()
			want := f.want[name]
			if got := c.kinds(strings.Count(want, " ")); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			c.command(wire.ComPing)
			if got := c.kinds(1); got != "O2 " {
				t.Fatalf("after %s: %s", name, got)
			}
		}
		c.text(wire.ComQuery, "rows 1 1")
		check("query")
		for text, name := range map[string]string{"rows ?": "both", "echo ?": "params", "rows 1 2": "columns", "ok": "none"} {
			c.text(wire.ComStmtPrepare, text)
			check(name)
		}
		c.text(wire.ComStmtPrepare, "rows 1 0")
		c.kinds(strings.Count(f.want["columns"], " "))
		c.command(wire.ComStmtExecute, execute(5, 0)...)
		want := f.want["execute"]
		if got := c.kinds(strings.Count(want, " ")); got[:len(want)-4] != strings.Replace(want, "5 ", "11 ", 1)[:len(want)-4] {
			t.Errorf("execute: %s", got)
		}
		c.text(wire.ComQuery, "sets 2")
		check("sets")
	}
}

// Every answer comes in order, however the bytes of requests arrive.
func TestPipelines(t *testing.T) {
	_, _, address, _ := start(t, nil)
	c := dial(t, address, newCaps)
	var w wire.Writer
	for range 1000 {
		w.Seq = 0
		w.Begin()
		w.Buf = append(append(w.Buf, byte(wire.ComQuery)), "rows 1 1"...)
		w.End()
	}
	go func() {
		for len(w.Buf) > 0 {
			n := min(1+rand.IntN(900), len(w.Buf))
			c.nc.Write(w.Buf[:n])
			w.Buf = w.Buf[n:]
		}
	}()
	for range 1000 {
		if got := c.kinds(5); got != "1 d d 4 f2 " {
			t.Fatal(got)
		}
	}
}

func TestLongData(t *testing.T) {
	_, _, address, _ := start(t, nil)
	c := dial(t, address, newCaps)
	c.text(wire.ComStmtPrepare, "kinds ?")
	c.kinds(2)
	long := func(piece string) {
		c.command(wire.ComStmtSendLongData, append([]byte{1, 0, 0, 0, 0, 0}, piece...)...)
	}
	run := func(params ...byte) string {
		t.Helper()
		c.command(wire.ComStmtExecute, execute(1, 0, params...)...)
		if b := c.read(); b[0] == 0xff {
			return fmt.Sprint(binary.LittleEndian.Uint16(b[1:]))
		}
		c.read()
		got := string(c.read()[3:])
		c.read()
		return got
	}
	text := []byte{0, 1, byte(wire.TypeBlob), 0}
	long("")
	if got := run(text...); got != `5 0 ""` {
		t.Errorf("nothing as long data: %s", got)
	}
	long("ab")
	long("")
	long("cd")
	if got := run(text...); got != `5 0 "abcd"` {
		t.Errorf("pieces: %s", got)
	}
	long("dropped")
	c.command(wire.ComStmtReset, 1, 0, 0, 0)
	c.kinds(1)
	if got := run(0, 1, byte(wire.TypeString), 0, 1, 'x'); got != `5 0 "x"` {
		t.Errorf("after a reset: %s", got)
	}
	c.text(wire.ComQuery, "max 100")
	c.kinds(1)
	long(strings.Repeat("a", 60))
	long(strings.Repeat("b", 60))
	if got := run(text...); got != "1105" {
		t.Errorf("too much: %s", got)
	}
	if got := run(1, 1, byte(wire.TypeString), 0); got != `0 0 ""` {
		t.Errorf("after too much: %s", got)
	}
	// The types of an earlier execute hold.
	if got := run(0, 0, 2, 'h', 'i'); got != `5 0 "hi"` {
		t.Errorf("without types: %s", got)
	}
	c.command(wire.ComStmtSendLongData, 9, 0, 0, 0, 0, 0, 'x') // no answer to what does not exist
	c.command(wire.ComStmtSendLongData, 1, 0, 0, 0, 7, 0, 'x')
	if got := run(text...); got != "1210" {
		t.Errorf("a parameter that does not exist: %s", got)
	}
}

// Parameters of each type, and such that are wrong.
func TestParams(t *testing.T) {
	_, _, address, _ := start(t, nil)
	c := dial(t, address, newCaps)
	c.text(wire.ComStmtPrepare, "kinds ?")
	c.kinds(2)
	c.command(wire.ComStmtExecute, execute(1, 0, 0, 0, 1)...)
	if got := c.kinds(1); got != "E1835 " {
		t.Errorf("no types at all: %s", got)
	}
	for _, f := range []struct {
		typ   wire.Type
		flags byte
		value string
		want  string
	}{
		{wire.TypeTiny, 0, "\xff", `1 18446744073709551615 ""`},
		{wire.TypeTiny, wire.UnsignedParam, "\xff", `2 255 ""`},
		{wire.TypeShort, 0, "\xfe\xff", `1 18446744073709551614 ""`},
		{wire.TypeLong, 0, "\x01\x00\x00\x00", `1 1 ""`},
		{wire.TypeLongLong, wire.UnsignedParam, "\xff\xff\xff\xff\xff\xff\xff\xff", `2 18446744073709551615 ""`},
		{wire.TypeFloat, 0, "\x00\x00\xc0\x3f", `3 4609434218613702656 ""`},
		{wire.TypeDouble, 0, "\x00\x00\x00\x00\x00\x00\xf8\x3f", `4 4609434218613702656 ""`},
		{wire.TypeNewDecimal, 0, "\x041.50", `5 0 "1.50"`},
		{wire.TypeNull, 0, "", `0 0 ""`},
		{wire.TypeDate, 0, "\x04\xe8\x07\x02\x1d", fmt.Sprintf(`6 %d ""`, uint64(2024)<<46|2<<42|29<<37)},
		{wire.TypeTime, 0, "\x08\x01\x01\x00\x00\x00\x01\x00\x00", fmt.Sprintf(`7 %d ""`, uint64(1<<64-25*3600*1e6))},
		{wire.TypeDatetime, 0, "\x04\xe8\x07\x0d\x1d", "1210"},
		{wire.TypeTime, 0, "\x08\x00\x00\x00\x00\x00\x00\x3c\x00", "1210"},
		{wire.TypeLongLong, 0, "\x01", "1835"},
		{wire.TypeString, 0, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff", "1835"},
		{0x50, 0, "x", "1210"},
	} {
		c.command(wire.ComStmtExecute, append(execute(1, 0, 0, 1, byte(f.typ), f.flags), f.value...)...)
		got := ""
		if b := c.read(); b[0] == 0xff {
			got = fmt.Sprint(binary.LittleEndian.Uint16(b[1:]))
		} else {
			c.read()
			got = string(c.read()[3:])
			c.read()
		}
		if got != f.want {
			t.Errorf("type %#x %q: %s, want %s", f.typ, f.value, got, f.want)
		}
	}
}

// Types stay bound from one execute to the next, also those of parameters that
// were NULL then.
func TestBoundTypes(t *testing.T) {
	_, _, address, _ := start(t, nil)
	c := dial(t, address, newCaps)
	c.text(wire.ComStmtPrepare, "kinds ? ? ? ? ? ? ? ?")
	c.kinds(9)
	run := func(nulls byte, types []byte, values ...byte) (got []string) {
		t.Helper()
		bound := byte(0)
		if types != nil {
			bound = 1
		}
		c.command(wire.ComStmtExecute, append(append(execute(1, 0, nulls, bound), types...), values...)...)
		if b := c.read(); b[0] == 0xff {
			return []string{fmt.Sprint(binary.LittleEndian.Uint16(b[1:]))}
		}
		c.kinds(8)
		cur := wire.NewCursor(c.read()[3:])
		for range 8 {
			got = append(got, string(cur.LenencBytes()))
		}
		c.read()
		return got
	}
	var types []byte
	for i := range 8 {
		types = append(types, byte([]wire.Type{wire.TypeTiny, wire.TypeString}[i%2]), 0)
	}
	want := func(nulls byte) (w []string) {
		for i := range 8 {
			switch {
			case nulls&(1<<i) != 0:
				w = append(w, `0 0 ""`)
			case i%2 == 0:
				w = append(w, fmt.Sprintf(`1 %d ""`, i))
			default:
				w = append(w, `5 0 "x"`)
			}
		}
		return w
	}
	values := func(nulls byte) (v []byte) {
		for i := range 8 {
			switch {
			case nulls&(1<<i) != 0:
			case i%2 == 0:
				v = append(v, byte(i))
			default:
				v = append(v, 1, 'x')
			}
		}
		return v
	}
	const first, second = 0b00001111, 0b11001100
	if got := run(first, types, values(first)...); !slices.Equal(got, want(first)) {
		t.Errorf("%q", got)
	}
	if got := run(second, nil, values(second)...); !slices.Equal(got, want(second)) {
		t.Errorf("%q", got)
	}
	if got := run(0, nil, values(second)...); !slices.Equal(got, []string{"1835"}) {
		t.Errorf("too few values: %q", got)
	}
}

func TestCursors(t *testing.T) {
	_, _, address, _ := start(t, nil)
	for _, f := range []struct {
		caps            wire.Capability
		open, two, last string
		none            string
	}{
		{oldCaps, "1 d d F66 ", "14 14 F66 ", "14 F130 ", "E1421 "},
		{newCaps, "1 d d f66 ", "14 14 f66 ", "14 f130 ", "E1421 "},
	} {
		c := dial(t, address, f.caps)
		prepare := func(text string) {
			c.text(wire.ComStmtPrepare, text)
			c.kinds(3)
			if f.caps&wire.DeprecateEOF == 0 {
				c.kinds(1)
			}
		}
		prepare("rows 3 3")
		step := func(want string, command wire.Command, b ...byte) {
			t.Helper()
			c.command(command, b...)
			if got := c.kinds(strings.Count(want, " ")); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		step(f.none, wire.ComStmtFetch, 1, 0, 0, 0, 2, 0, 0, 0)
		step(f.open, wire.ComStmtExecute, execute(1, wire.CursorReadOnly)...)
		step(f.two, wire.ComStmtFetch, 1, 0, 0, 0, 2, 0, 0, 0)
		step(f.last, wire.ComStmtFetch, 1, 0, 0, 0, 2, 0, 0, 0)
		step(f.none, wire.ComStmtFetch, 1, 0, 0, 0, 2, 0, 0, 0)
		step(f.open, wire.ComStmtExecute, execute(1, wire.CursorReadOnly)...)
		step("O2 ", wire.ComStmtReset, 1, 0, 0, 0)
		step(f.none, wire.ComStmtFetch, 1, 0, 0, 0, 2, 0, 0, 0)
		step("E1243 ", wire.ComStmtFetch, 7, 0, 0, 0, 2, 0, 0, 0)
		step("E1243 ", wire.ComStmtExecute, execute(7, 0)...)
		step("E1243 ", wire.ComStmtReset, 7, 0, 0, 0)
		// More than a cursor may keep comes at once.
		prepare("rows 300 100000")
		c.command(wire.ComStmtExecute, execute(2, wire.CursorReadOnly)...)
		rows := 0
		for b := c.read(); b[0] != 0xfe || rows == 0; b = c.read() {
			if len(b) > 100000 {
				rows++
			}
		}
		if rows != 300 {
			t.Errorf("%d rows", rows)
		}
		step("E1421 ", wire.ComStmtFetch, 2, 0, 0, 0, 2, 0, 0, 0)
		c.command(wire.ComStmtExecute, execute(1, wire.CursorReadOnly)...) // and goes away
	}
}

func TestCommands(t *testing.T) {
	_, e, address, _ := start(t, nil)
	c := dial(t, address, newCaps&^wire.MultiStatements|wire.SessionTrack)
	for _, f := range []struct {
		command wire.Command
		payload string
		want    string
	}{
		{wire.ComPing, "", "O2 "},
		{wire.ComInitDB, "nope", "E1049 "},
		{wire.ComInitDB, "db", "14 "}, // an OK with the change
		{wire.ComInitDB, "db", "O2 "},
		{wire.ComQuery, "use other", "17 "},
		{wire.ComQuery, "ok; ok", "E1064 "},
		{wire.ComSetOption, "\x00\x00", "f2 "},
		{wire.ComQuery, "use a; use b", "13 13 "},
		{wire.ComSetOption, "\x01\x00", "f2 "},
		{wire.ComQuery, "ok; ok", "E1064 "},
		{wire.ComSetOption, "\x02\x00", "E1047 "},
		{wire.ComSetOption, "", "E1047 "},
		{wire.ComStatistics, "", "9 "},
		{wire.ComFieldList, "t\x00%", "d d f2 "},
		{wire.ComFieldList, "u\x00", "E1146 "},
		{wire.ComFieldList, "t", "E1835 "},
		{wire.ComProcessKill, "\x07\x00\x00\x00", "O2 "},
		{wire.ComProcessKill, "\x07", "E1835 "},
		{wire.ComProcessInfo, "", "O2 "},
		{wire.ComRefresh, "\x05", "O2 "},
		{wire.ComRefresh, "", "E1835 "},
		{wire.ComShutdown, "", "E1064 "},
		{wire.ComDebug, "", "f2 "},
		{wire.ComResetConnection, "", "O2 "},
		{wire.ComStmtExecute, "\x01", "E1835 "},
		{wire.ComStmtReset, "\x01", "E1835 "},
		{wire.ComStmtFetch, "\x01", "E1835 "},
		{0x00, "", "E1047 "}, {0x12, "", "E1047 "}, {0xff, "", "E1047 "},
	} {
		c.command(f.command, []byte(f.payload)...)
		if got := c.kinds(strings.Count(f.want, " ")); got != f.want {
			t.Errorf("%#x %q: %s, want %s", f.command, f.payload, got, f.want)
		}
	}
	// A reset closes statements.
	c.text(wire.ComStmtPrepare, "ok")
	c.kinds(1)
	c.command(wire.ComResetConnection)
	c.kinds(1)
	c.command(wire.ComStmtExecute, execute(1, 0)...)
	if got := c.kinds(1); got != "E1243 " {
		t.Error(got)
	}
	// Another user: the server asks for the proof, of a scramble of its own.
	change := func(user, secret string) string {
		c.command(wire.ComChangeUser, []byte(user+"\x00\x00db2\x00\x2d\x00mysql_native_password\x00")...)
		b := c.read()
		if b[0] != 0xfe {
			t.Fatalf("%q", b)
		}
		scramble := b[len(b)-21 : len(b)-1]
		c.send(c.seq+1, answerNative(secret, scramble))
		return c.kinds(1)
	}
	if got := change("native", "secret"); got != "O2 " || e.last.User != "root" {
		t.Errorf("%s %+v", got, e.last)
	}
	if got := change("native", "wrong"); got != "E1045 " || !c.closed() {
		t.Error(got)
	}
	c = dial(t, address, newCaps)
	c.command(wire.ComQuit)
	if !c.closed() {
		t.Error("quit")
	}
}

// A first answer with nothing in it is no wrong password: the server asks again,
// by the account's own way, even if it was the one that the client named.
func TestEmptyFirstAnswer(t *testing.T) {
	_, _, address, _ := start(t, nil)
	for _, named := range []string{"mysql_native_password", "caching_sha2_password", "mysql_clear_password", ""} {
		c := dialRaw(t, address)
		b := bytes.Replace(loginPacket(newCaps), []byte("root"), []byte("native"), 1)
		b = bytes.Replace(b, []byte("caching_sha2_password"), []byte(named), 1)
		c.send(1, b)
		ask := c.read()
		if !bytes.HasPrefix(ask, []byte("\xfemysql_native_password\x00")) {
			t.Fatalf("%s: %q", named, ask)
		}
		c.send(c.seq+1, answerNative("secret", ask[len(ask)-21:len(ask)-1]))
		if got := c.kinds(1); got != "O2 " {
			t.Errorf("%s: %s", named, got)
		}
	}
	// A client that knows no plugins gets in by the oldest way, or not at all.
	c := dialRaw(t, address)
	c.send(1, loginPacket(newCaps&^wire.PluginAuth))
	if got := c.kinds(1); got != "E1251 " {
		t.Error(got)
	}
}

// What a client may not send ends its connection, with an error where the
// protocol has one.
func TestBrokenClients(t *testing.T) {
	s, _, address, _ := start(t, func(c *Config) { c.ConnectTimeout, c.ReadTimeout = 300*time.Millisecond, 300*time.Millisecond })
	c := dialRaw(t, address)
	c.send(1, []byte("GET / HTTP/1.1"))
	if got := c.kinds(1); got != "E1043 " || !c.closed() {
		t.Error("no login:", got)
	}
	c = dialRaw(t, address)
	c.nc.Write([]byte{0xff, 0xff, 0xff, 1})
	if !c.closed() {
		t.Error("a login of 16 MB")
	}
	c = dialRaw(t, address)
	c.send(1, loginPacket(newCaps)[:20])
	if got := c.kinds(1); got != "E1043 " || !c.closed() {
		t.Error("half a login:", got)
	}
	c = dialRaw(t, address)
	c.send(1, loginPacket(newCaps | wire.SSL)[:32])
	c.nc.Write([]byte("no TLS at all"))
	if _, err := c.readErr(); err == nil && !c.closed() {
		t.Error("no TLS")
	}
	slow := dialRaw(t, address)
	half := dial(t, address, newCaps)
	half.nc.Write([]byte{10, 0, 0, 0, 3})
	for name, c := range map[string]*rawClient{"slow login": slow, "half a packet": half} {
		c.nc.SetDeadline(time.Now().Add(3 * time.Second))
		if begin := time.Now(); !c.closed() || time.Since(begin) > 2*time.Second {
			t.Error(name, "is not ended")
		}
	}
	c = dial(t, address, newCaps)
	c.send(0, nil)
	if got := c.kinds(1); got != "E1835 " || !c.closed() {
		t.Error("an empty packet:", got)
	}
	c = dial(t, address, newCaps)
	c.text(wire.ComQuery, "max 1000")
	c.kinds(1)
	c.send(0, bytes.Repeat([]byte{3}, 100_000))
	if got := c.kinds(1); got != "E1153 " || !c.closed() {
		t.Error("too long:", got)
	}
	c = dial(t, address, newCaps|wire.Compress)
	c.nc.Write([]byte{3, 0, 0, 0, 100, 0, 0, 'x', 'x', 'x'})
	if !c.closed() {
		t.Error("a frame that is not zlib's")
	}
	deadline := time.Now().Add(5 * time.Second)
	for s.Stats().Connections > 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := s.Stats().Connections; n > 0 {
		t.Errorf("%d connections are left", n)
	}
}

// A client that is quiet for too long is told why it has to go.
func TestIdleClient(t *testing.T) {
	_, _, address, _ := start(t, nil)
	c := dial(t, address, newCaps)
	c.text(wire.ComQuery, "idle 200ms")
	if got := c.kinds(2); got != "O2 E4031 " || c.seq != 0 || !c.closed() {
		t.Error(got, c.seq)
	}
}

// A client that does not take its answer is ended, and its statement too.
func TestStalledClient(t *testing.T) {
	s, _, address, _ := start(t, func(c *Config) { c.WriteTimeout = 300 * time.Millisecond })
	c := dial(t, address, newCaps)
	c.text(wire.ComQuery, "rows 100000000 1000")
	deadline := time.Now().Add(5 * time.Second)
	for s.Stats().Connections > 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := s.Stats().Connections; n > 0 {
		t.Error("it is still there")
	}
}

// A statement ends when its client is gone, even if it never looks.
func TestGoneClient(t *testing.T) {
	s, _, address, _ := start(t, nil)
	c := dial(t, address, newCaps)
	c.text(wire.ComQuery, "sleep")
	time.Sleep(10 * time.Millisecond)
	c.nc.Close()
	deadline := time.Now().Add(5 * time.Second)
	for s.Stats().Connections > 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := s.Stats().Connections; n > 0 {
		t.Error("it is still there")
	}
}

// All connections together hold a bounded number of bytes.
func TestQueuedBytes(t *testing.T) {
	s, _, address, _ := start(t, func(c *Config) { c.MaxQueuedBytes = 1 << 20 })
	c := dial(t, address, newCaps)
	go c.nc.Write(append([]byte{1, 0, 64, 0, 3}, bytes.Repeat([]byte{'x'}, 4<<20)...))
	if b, err := c.readErr(); err == nil && (b[0] != 0xff || binary.LittleEndian.Uint16(b[1:]) != 1041) {
		t.Errorf("%q", b)
	}
	if n := s.Stats().QueuedBytes; n > 1<<20 {
		t.Error(n)
	}
}

// Random bytes, before and after the login, end their connection at most.
func TestNoise(t *testing.T) {
	_, _, address, _ := start(t, func(c *Config) { c.ConnectTimeout, c.ReadTimeout = 300*time.Millisecond, 300*time.Millisecond })
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		var c *rawClient
		if i%2 == 0 {
			c = dialRaw(t, address)
		} else {
			c = dial(t, address, newCaps)
			c.text(wire.ComStmtPrepare, "kinds ? ?")
		}
		b := make([]byte, rng.IntN(200))
		for j := range b {
			b[j] = byte(rng.Uint32())
		}
		if len(b) > 5 && i%4 > 1 {
			// A whole packet, of a command that there is.
			copy(b, []byte{byte(len(b) - 4), 0, 0, byte(1 - i%2), byte(rng.IntN(0x20))})
		}
		c.nc.Write(b)
		c.nc.(*net.TCPConn).CloseWrite()
		for !c.closed() {
		}
	}
	c := dial(t, address, newCaps)
	c.command(wire.ComPing)
	if got := c.kinds(1); got != "O2 " {
		t.Error(got)
	}
}

// answerNative is a client's answer for mysql_native_password.
func answerNative(secret string, scramble []byte) []byte {
	one := sha1.Sum([]byte(secret))
	two := sha1.Sum(one[:])
	mix := sha1.Sum(append(bytes.Clone(scramble), two[:]...))
	subtle.XORBytes(mix[:], mix[:], one[:])
	return mix[:]
}
