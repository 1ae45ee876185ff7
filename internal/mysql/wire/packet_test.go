// Shows how packets are cut, joined and bounded.
package wire

import (
	"bytes"
	"testing"
)

func TestWriterNumbersPackets(t *testing.T) {
	w := Writer{Seq: 254}
	for range 3 {
		w.Begin()
		w.Buf = append(w.Buf, "ab"...)
		w.End()
	}
	w.Begin()
	w.Buf = append(w.Buf, "dropped"...)
	w.Abandon()
	want := "\x02\x00\x00\xfeab\x02\x00\x00\xffab\x02\x00\x00\x00ab"
	if string(w.Buf) != want || w.Seq != 1 {
		t.Errorf("%q, next %d", w.Buf, w.Seq)
	}
}

// A payload of any length comes back whole, whatever pieces it was cut into.
func TestPayloadsRoundTrip(t *testing.T) {
	f := func(size, packets int) {
		t.Helper()
		payload := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		w := Writer{Seq: 255}
		w.Begin()
		w.Buf = append(w.Buf, payload...)
		w.End()
		if len(w.Buf) != size+packets*HeadBytes {
			t.Fatalf("%d bytes became %d, want %d packets", size, len(w.Buf), packets)
		}
		if _, need, _, s := Next(w.Buf[:len(w.Buf)-1], 1<<30); s != Partial || need > len(w.Buf) {
			t.Errorf("%d bytes without the last: state %d, need %d of %d", size, s, need, len(w.Buf))
		}
		if size > 0 {
			if _, _, _, s := Next(w.Buf, size-1); s != TooBig {
				t.Errorf("%d bytes over the limit: %d", size, s)
			}
		}
		whole := append(w.Buf, "next"...)
		got, used, seq, s := Next(whole, size)
		if s != Complete || used != len(w.Buf) || seq != uint8(255+packets-1) || !bytes.Equal(got, payload) {
			t.Errorf("%d bytes: state %d, used %d, seq %d", size, s, used, seq)
		}
		if string(whole[used:]) != "next" {
			t.Error("what follows was overwritten")
		}
	}
	f(0, 1)
	f(1, 1)
	f(MaxPacketBytes-1, 1)
	f(MaxPacketBytes, 2)
	f(MaxPacketBytes+1, 2)
	f(2*MaxPacketBytes, 3)
	f(2*MaxPacketBytes+77, 3)
}

func FuzzNext(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x0e"), 10)
	f.Add([]byte("\xff\xff\xff\x00\x0e"), 1<<25)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		payload, used, _, s := Next(b, limit)
		switch s {
		case Complete:
			if used > len(b) || used < HeadBytes || len(payload) > limit || len(payload)+HeadBytes > used {
				t.Errorf("used %d of %d, payload %d, limit %d", used, len(b), len(payload), limit)
			}
		case Partial:
			if used <= len(b) {
				t.Errorf("%d bytes are there, %d are missing", len(b), used)
			}
		}
	})
}
