package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/golang/snappy"
)

var compressions = []Compression{NoCompression, Snappy, Lz4, Gzip, Zlib}

func TestCompressionRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	noise := make([]byte, 600<<10)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	text := bytes.Repeat([]byte("family:qualifier "), 40<<10)
	for _, c := range compressions {
		for _, in := range [][]byte{{}, {1}, []byte("hello hello hello"), text[:chunkBytes], text[:chunkBytes+1], text, noise} {
			packed := c.Compress([]byte("pre"), in)
			if string(packed[:3]) != "pre" {
				t.Fatal("the bytes before changed")
			}
			out, err := c.Decompress([]byte("pre"), packed[3:], len(in))
			if err != nil || string(out[:3]) != "pre" || !bytes.Equal(out[3:], in) {
				t.Fatalf("compression %d of %d bytes: %v", c, len(in), err)
			}
			if len(in) == 0 {
				continue
			}
			if _, err := c.Decompress(nil, packed[3:], len(in)-1); !errors.Is(err, ErrTooLarge) {
				t.Errorf("compression %d of %d bytes, with a limit of one less: %v", c, len(in), err)
			}
			if _, err := c.Decompress(nil, packed[3:len(packed)-1], len(in)); c != NoCompression && !errors.Is(err, ErrMalformed) {
				t.Errorf("compression %d, cut: %v", c, err)
			}
		}
	}
}

// TestHadoopFraming: block length, chunk length, raw chunk; and the reader takes
// several chunks in a block and several blocks in a stream.
func TestHadoopFraming(t *testing.T) {
	frame := func(b []byte) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
	}
	hello := snappy.Encode(nil, []byte("hello"))
	want := append([]byte{0, 0, 0, 5}, frame(hello)...)
	if got := Snappy.Compress(nil, []byte("hello")); !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
	two := append([]byte{0, 0, 0, 10}, frame(hello)...)
	stream := append(append(append(two, frame(hello)...), 0, 0, 0, 0), want...)
	if got, err := Snappy.Decompress(nil, stream, 100); err != nil || string(got) != "hellohellohello" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestHadoopVectors: what Hadoop's and HBase's own Java codecs make of a text.
// That Java reads what this package writes was checked by hand, with megabytes.
func TestHadoopVectors(t *testing.T) {
	f := func(c Compression, packed string) {
		t.Helper()
		b, err := hex.DecodeString(packed)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Decompress(nil, b, 100); err != nil || string(got) != "hello hello hello hello hello" {
			t.Errorf("%q, %v", got, err)
		}
	}
	f(Snappy, "0000001d0000000b1d1468656c6c6f205a0600")
	f(Lz4, "0000001d0000000f6e68656c6c6f2006005068656c6c6f")
	f(Gzip, "1f8b08000000000000ffcb48cdc9c957c8c04e0200f6d253381d000000")
	f(Zlib, "789ccb48cdc9c957c8c04e0200a3100ae5")
}

// TestBombs: what claims to be large costs nothing before it is.
func TestBombs(t *testing.T) {
	lie := append([]byte{0x0f, 0xff, 0xff, 0xff, 0, 0, 0, 6}, 0xff, 0xff, 0xff, 0x7f, 0, 1)
	for _, c := range []Compression{Snappy, Lz4} {
		n := testing.AllocsPerRun(1, func() {
			if _, err := c.Decompress(nil, lie, 1<<28); !errors.Is(err, ErrMalformed) {
				t.Errorf("compression %d: %v", c, err)
			}
		})
		if n > 20 {
			t.Errorf("%v allocations", n)
		}
	}
	bomb := Gzip.Compress(nil, make([]byte, 50<<20))
	if _, err := Gzip.Decompress(nil, bomb, 1<<20); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

func TestClasses(t *testing.T) {
	if c, ok := CompressionByClass("org.apache.hadoop.io.compress.SnappyCodec"); c != Snappy || !ok {
		t.Error("no snappy")
	}
	if _, ok := CompressionByClass("org.example.Other"); ok {
		t.Error("an unknown compression is known")
	}
	if c, ok := CodecByClass("org.apache.hadoop.hbase.codec.KeyValueCodec"); c != KeyValueCodec || !ok {
		t.Error("no KeyValueCodec")
	}
	if _, ok := CodecByClass("org.example.Other"); ok {
		t.Error("an unknown codec is known")
	}
}

func FuzzDecompress(f *testing.F) {
	for _, c := range compressions {
		f.Add(uint8(c), c.Compress(nil, []byte("hello hello hello hello")))
	}
	f.Fuzz(func(t *testing.T, n uint8, in []byte) {
		c := Compression(n % 5)
		const limit = 1 << 20
		out, err := c.Decompress(nil, in, limit)
		if err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTooLarge) {
				t.Errorf("%v", err)
			}
			return
		}
		if len(out) > limit {
			t.Errorf("%d bytes past the limit", len(out))
		}
		again, err := c.Decompress(nil, c.Compress(nil, out), limit)
		if err != nil || !bytes.Equal(again, out) {
			t.Errorf("no round trip: %v", err)
		}
	})
}
