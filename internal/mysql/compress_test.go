// Shows that what goes into compressed frames comes out, and that bytes which
// are no frames are an error.
package mysql

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"testing"
)

// stream is a connection over two buffers.
type stream struct {
	net.Conn
	in  io.Reader
	out *bytes.Buffer
}

func (s stream) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s stream) Write(b []byte) (int, error) { return s.out.Write(b) }

func TestCompressedRoundTrip(t *testing.T) {
	var wire, want bytes.Buffer
	w := newCompressed(stream{out: &wire})
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 49, 50, 1000, 100_000, 1<<24 - 1, 1 << 24} {
		b := make([]byte, n)
		if n%2 == 0 { // half of them do not get smaller
			for i := range b {
				b[i] = byte(rng.Uint32())
			}
		}
		want.Write(b)
		if k, err := w.Write(b); k != n || err != nil {
			t.Fatal(k, err)
		}
	}
	got, err := io.ReadAll(newCompressed(stream{in: &wire}))
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes of %d, %v", len(got), want.Len(), err)
	}
}

func FuzzCompressed(f *testing.F) {
	var wire bytes.Buffer
	w := newCompressed(stream{out: &wire})
	w.Write(bytes.Repeat([]byte("abc"), 100))
	w.Write([]byte("short"))
	f.Add(wire.Bytes())
	f.Add([]byte("\x03\x00\x00\x00\x64\x00\x00xxx"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := newCompressed(stream{in: bytes.NewReader(b)})
		// A frame holds 2^24-1 bytes at most, and needs some of its own.
		n, err := io.Copy(io.Discard, c)
		if err == nil && n > int64(len(b))<<24 {
			t.Error(n)
		}
	})
}
