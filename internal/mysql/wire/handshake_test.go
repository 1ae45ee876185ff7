// Shows greetings and logins against recorded bytes, and that no login makes a
// decoder fail otherwise than by its error.
package wire

import (
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAppendGreeting(t *testing.T) {
	g := Greeting{
		Version: "8.0.40", ConnectionID: 0x0b, Capabilities: 0xc00fffff, Charset: 255, Status: Autocommit,
		AuthPlugin: "mysql_native_password",
	}
	copy(g.Scramble[:], "abcdefghijklmnopqrst")
	want := unhex(t, `0a 382e302e343000 0b000000 6162636465666768 00 ffff ff 0200 0fc0 15
		00000000000000000000 696a6b6c6d6e6f7071727374 00 6d7973716c5f6e61746976655f70617373776f726400`)
	if got := AppendGreeting(nil, &g); string(got) != string(want) {
		t.Errorf("%x\nwant\n%x", got, want)
	}
}

// logins as clients send them, with and without what newer ones add.
var logins = []struct {
	name, hex string
	want      Login
}{
	{"libmysqlclient 5.5", `8da60f00 00000001 08 0000000000000000000000000000000000000000000000
		70616d00 14 ab09eef6bcb1320c3e6161b5d1dea0ae2f2f2f2f 7465737400 6d7973716c5f6e61746976655f70617373776f726400`,
		Login{Charset: 8, User: []byte("pam"), Database: []byte("test"), AuthPlugin: []byte("mysql_native_password")}},
	{"attributes", `8da63f00 00000001 2d 0000000000000000000000000000000000000000000000
		726f6f7400 00 6462 00 63616368696e675f736861325f70617373776f726400 09 036b6579 04 76616c75`,
		Login{Charset: 45, User: []byte("root"), Database: []byte("db"), AuthPlugin: []byte("caching_sha2_password")}},
	{"no 00 after the plugin", `8da60800 00000001 08 0000000000000000000000000000000000000000000000
		7500 00 6400 706c7567`,
		Login{Charset: 8, User: []byte("u"), Database: []byte("d"), AuthPlugin: []byte("plug")}},
	{"old password", `0d020000 00000001 08 0000000000000000000000000000000000000000000000
		7500 78797a00 6400`,
		Login{Charset: 8, User: []byte("u"), Auth: []byte("xyz"), Database: []byte("d")}},
	{"request for TLS", `8daea f00 00000001 08 0000000000000000000000000000000000000000000000`,
		Login{Charset: 8}},
}

func TestDecodeLogin(t *testing.T) {
	for _, f := range logins {
		b := unhex(t, f.hex)
		got, err := DecodeLogin(b)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if got.Charset != f.want.Charset || string(got.User) != string(f.want.User) ||
			string(got.Database) != string(f.want.Database) || string(got.AuthPlugin) != string(f.want.AuthPlugin) ||
			f.want.Auth != nil && string(got.Auth) != string(f.want.Auth) {
			t.Errorf("%s: %q %q %q", f.name, got.User, got.Database, got.AuthPlugin)
		}
		for cut := range len(b) {
			if l, err := DecodeLogin(b[:cut]); err == nil && cut < SSLRequestBytes {
				t.Errorf("%s: %d bytes are a login: %+v", f.name, cut, l)
			}
		}
	}
	var attrs []string
	l, _ := DecodeLogin(unhex(t, logins[1].hex))
	if err := EachAttr(l.Attrs, func(k, v []byte) { attrs = append(attrs, string(k), string(v)) }); err != nil || strings.Join(attrs, " ") != "key valu" {
		t.Error(attrs, err)
	}
	if err := EachAttr([]byte{3, 'k'}, func(k, v []byte) { t.Errorf("%q %q", k, v) }); err == nil {
		t.Error("attributes that are cut off")
	}
}

func FuzzDecodeLogin(f *testing.F) {
	for _, l := range logins {
		f.Add(unhex(f, l.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := DecodeLogin(b); err == nil {
			EachAttr(l.Attrs, func(k, v []byte) {
				if len(k)+len(v) > len(l.Attrs) {
					t.Error("more attributes than bytes")
				}
			})
		}
	})
}

func TestDecodeChangeUser(t *testing.T) {
	const caps = Protocol41 | SecureConnection | PluginAuth | ConnectAttrs
	b := unhex(t, "726f6f7400 03 616263 746573740 0 2d00 6d7973716c5f6e617400 04 016b0176")
	l, charset, err := DecodeChangeUser(b, caps)
	if err != nil || string(l.User) != "root" || string(l.Auth) != "abc" || string(l.Database) != "test" || charset != 45 || string(l.AuthPlugin) != "mysql_nat" || len(l.Attrs) != 4 {
		t.Errorf("%+v %d %v", l, charset, err)
	}
	if l, charset, err = DecodeChangeUser(b[:14], caps); err != nil || charset != 0 || string(l.Database) != "test" {
		t.Errorf("without what is optional: %+v %d %v", l, charset, err)
	}
	if _, _, err = DecodeChangeUser(b[:8], caps); err == nil {
		t.Error("cut inside of the database")
	}
}

func FuzzDecodeChangeUser(f *testing.F) {
	f.Add([]byte("root\x00\x03abctest\x00\x2d\x00mysql\x00\x04\x01k\x01v"), uint32(0xffffffff))
	f.Fuzz(func(t *testing.T, b []byte, caps uint32) {
		if l, _, err := DecodeChangeUser(b, Capability(caps)); err == nil && len(l.User)+len(l.Auth)+len(l.Attrs) > len(b) {
			t.Error("longer than the packet")
		}
	})
}
