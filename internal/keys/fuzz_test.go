package keys

import (
	"bytes"
	"testing"
)

// What the fuzz tests want to show: any bytes can be given to a decoder, and
// what decodes encodes to the same bytes, so that no two keys mean one thing
// (but for uvarints longer than they need be, which are read and never written).

func FuzzDecodeWide(f *testing.F) {
	row := AppendRow(nil, 7, []byte("r\x00w"))
	f.Add(AppendPacked(bytes.Clone(row), 3))
	f.Add(AppendCell(bytes.Clone(row), 300, []byte("q\x00"), 1234, 4))
	f.Add(AppendRowEnd(nil, 1<<40, nil))
	f.Add([]byte{SpaceWide, 0xF8, 0x01, 0, 1})
	f.Fuzz(func(t *testing.T, key []byte) {
		split := Split(key)
		if split > len(key) {
			t.Fatalf("Split %d of %d", split, len(key))
		}
		dataID, r, n, err := DecodeRow(nil, key)
		if err != nil {
			return
		}
		if n != split {
			t.Fatalf("row prefix %d, Split %d", n, split)
		}
		if want := AppendRow(nil, dataID, r); !bytes.Equal(want, key[:n]) && shortest(key[1:]) {
			t.Fatalf("%x, encoded again %x", key[:n], want)
		}
		w, err := DecodeSuffix(nil, key[n:])
		if err != nil || !shortest(key[n:]) {
			return
		}
		var again []byte
		if w.Form == FormPacked {
			again = AppendPacked(nil, w.FamilyID)
		} else {
			again = AppendCell(nil, w.FamilyID, w.Qualifier, w.Timestamp, w.Type)
		}
		if !bytes.Equal(again, key[n:]) {
			t.Fatalf("%x, encoded again %x", key[n:], again)
		}
	})
}

// shortest tells whether b starts with a uvarint as AppendUvarint writes it.
func shortest(b []byte) bool {
	v, n := Uvarint(b)
	return len(AppendUvarint(nil, v)) == n
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte("a"), []byte("a\x00"), uint64(1), uint64(0xF8))
	f.Add([]byte("a\x00\x01"), []byte("a\x00\xff"), uint64(0xFFFF), uint64(0x10000))
	f.Fuzz(func(t *testing.T, a, b []byte, x, y uint64) {
		ka, kb := AppendRow(nil, x, a), AppendRow(nil, y, b)
		want := bytes.Compare(a, b)
		if x != y {
			want = 1
			if x < y {
				want = -1
			}
		}
		if got := bytes.Compare(ka, kb); got != want {
			t.Fatalf("(%d, %x) and (%d, %x): %d, want %d", x, a, y, b, got, want)
		}
		if want < 0 && bytes.Compare(AppendRowEnd(nil, x, a), kb) > 0 {
			t.Fatalf("the end of (%d, %x) lies after (%d, %x)", x, a, y, b)
		}
	})
}
