// Shows replies against recorded bytes.
package wire

import (
	"strings"
	"testing"
)

func TestReplies(t *testing.T) {
	f := func(name string, got []byte, want string) {
		t.Helper()
		if w := unhex(t, want); string(got) != string(w) {
			t.Errorf("%s: %x, want %x", name, got, w)
		}
	}
	ok := &OK{AffectedRows: 3, LastInsertID: 300, Status: Autocommit, Warnings: 1}
	f("OK", AppendOK(nil, Protocol41, &OK{Status: Autocommit}), "00 00 00 0200 0000")
	f("OK with numbers", AppendOK(nil, Protocol41, ok), "00 03 fc2c01 0200 0100")
	f("EOF", AppendEndOfRows(nil, Protocol41, ok), "fe 0100 0200")
	f("OK as EOF", AppendEndOfRows(nil, DeprecateEOF, ok), "fe 03 fc2c01 0200 0100")
	f("OK with info", AppendOK(nil, Protocol41, &OK{Info: "abc"}), "00 00 00 0000 0000 03616263")
	f("schema change", AppendOK(nil, SessionTrack, &OK{Status: Autocommit, Changes: AppendSchemaChange(nil, "test")}),
		"00 00 00 0240 0000 00 07 01 05 04 74657374")
	f("schema change, not asked for", AppendOK(nil, 0, &OK{Status: Autocommit, Changes: AppendSchemaChange(nil, "test")}),
		"00 00 00 0200 0000")
	f("variable change", AppendVariableChange(nil, "autocommit", "OFF"),
		"00 0f 0a 6175746f636f6d6d6974 03 4f4646")
	f("ERR", AppendErr(nil, 1096, "HY000", "No tables used"), "ff 4804 23 4859303030 4e6f207461626c65732075736564")
	f("ERR before the login", AppendErr(nil, 1040, "", "Too many"), "ff 1004 546f6f206d616e79")
	f("PREPARE", AppendPrepared(nil, 1, 1, 2, 0), "00 01000000 0100 0200 00 0000")
	f("auth switch", AppendAuthSwitch(nil, "abc", []byte("xyz")), "fe 61626300 78797a00")
	f("auth more", AppendAuthMore(nil, 4), "01 04")
	f("local file", AppendLocalFile(nil, "/f"), "fb 2f66")
	c := Column{Name: "@@version_comment", Charset: 33, Length: 28 * 3, Type: TypeVarString, Decimals: NotFixed}
	f("column", AppendColumn(nil, &c), `03 646566 00 00 00 11 4040 76657273696f6e5f636f6d6d656e74 00
		0c 2100 54000000 fd 0000 1f 0000`)
	f("field list", AppendFieldListColumn(nil, &Column{Name: "a", Type: TypeLong, Charset: 63, Length: 11}, "7", false)[4:],
		"00 00 00 01 61 00 0c 3f00 0b000000 03 0000 00 0000 01 37")
	f("field list, no default", AppendFieldListColumn(nil, &Column{}, "", true)[22:], "fb")
}

func TestLenencInts(t *testing.T) {
	for v, want := range map[uint64]string{
		0: "00", 250: "fa", 251: "fcfb00", 65535: "fcffff", 65536: "fd000001", 1<<24 - 1: "fdffffff",
		1 << 24: "fe0000000100000000", 1<<64 - 1: "feffffffffffffffff",
	} {
		b := AppendLenencInt(nil, v)
		if w := unhex(t, want); string(b) != string(w) {
			t.Errorf("%d: %x, want %x", v, b, w)
		}
		c := NewCursor(b)
		if got := c.LenencInt(); got != v || !c.OK() || c.Len() != 0 {
			t.Errorf("%d became %d", v, got)
		}
	}
	for _, n := range []int{0, 250, 251, 65535, 65536, 1 << 24} {
		if got := len(AppendLenencString(nil, strings.Repeat("x", n))); got != lenencSize(n) {
			t.Errorf("%d bytes: %d, not %d", n, got, lenencSize(n))
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add([]byte("\xfc\x02"), []byte{0})
	f.Add([]byte("\xfe\xff\xff\xff\xff\xff\xff\xff\xff"), []byte{1})
	f.Fuzz(func(t *testing.T, b, steps []byte) {
		c := NewCursor(b)
		for _, s := range steps {
			before, ok := c.Len(), c.OK()
			switch s % 9 {
			case 0:
				c.LenencInt()
			case 1:
				c.LenencBytes()
			case 2:
				c.Null()
			case 3:
				c.DateTime()
			case 4:
				c.Duration()
			case 5:
				c.Uint64()
			case 6:
				c.Bytes(int(s))
			case 7:
				c.Uint16()
			case 8:
				c.nullOrRest()
			}
			if c.Len() > before || !ok && c.OK() {
				t.Fatalf("step %d: %d of %d bytes left, OK %v after %v", s, c.Len(), before, c.OK(), ok)
			}
		}
	})
}
