package gen

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Values makes field values. It belongs to one worker.
type Values struct {
	Length  Ints
	Letters bool // go-ycsb's alphabet; else the characters 0x20 to 0x7F
	// Ratio is how well values compress: of each only one part in Ratio is random,
	// the rest is taken from one block. 0 and 1 are all random.
	Ratio float64
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// block is what compressible values repeat: fixed, so that it repeats among runs
// and machines too.
var block = func() []byte {
	b := make([]byte, 4096)
	fill(b, rand.New(rand.NewPCG(1, 1)), true)
	return b
}()

func fill(b []byte, r *rand.Rand, onlyLetters bool) {
	for i := 0; i < len(b); {
		// Eight 8-bit draws of one number; scaled, since neither alphabet's size
		// is a power of two.
		v := r.Uint64()
		for range min(8, len(b)-i) {
			if onlyLetters {
				b[i] = letters[v&0xFF*uint64(len(letters))>>8]
			} else {
				b[i] = byte(0x20 + v&0xFF*96>>8)
			}
			v >>= 8
			i++
		}
	}
}

// Append appends a value to b.
func (v *Values) Append(b []byte, r *rand.Rand) []byte {
	n := int(v.Length.Next(r))
	at := len(b)
	b = append(b, make([]byte, n)...)
	random := n
	if v.Ratio > 1 {
		random = int(float64(n) / v.Ratio)
	}
	fill(b[at:at+random], r, v.Letters)
	for rest := b[at+random:]; len(rest) > 0; {
		rest = rest[copy(rest, block):]
	}
	return b
}

// JavaHash is Java's String.hashCode of ASCII text.
func JavaHash(b []byte) int32 {
	var h int32
	for _, c := range b {
		h = 31*h + int32(c)
	}
	return h
}

// AppendIntegrity appends the value that dataintegrity=true expects in a field.
func AppendIntegrity(b, key []byte, field string, size int) []byte {
	at := len(b)
	b = append(append(append(b, key...), ':'), field...)
	for len(b)-at < size {
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(JavaHash(b[at:])), 10)
	}
	return b[:at+size]
}

// Histogram draws lengths as often as a file says.
type Histogram struct {
	block   int64
	buckets []int64
	area    int64
}

// ReadHistogram reads a file of lines "BlockSize<TAB>n", then "bucket<TAB>count".
func ReadHistogram(in io.Reader) (*Histogram, error) {
	h := new(Histogram)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) != 2 {
			return nil, fmt.Errorf("length histogram: line %q is not two words", lines.Text())
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("length histogram: %q is no number", f[1])
		}
		if f[0] == "BlockSize" {
			h.block = n
			continue
		}
		bucket, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || bucket < 0 || bucket > 1<<20 {
			return nil, fmt.Errorf("length histogram: bucket %q is not a number up to 2^20", f[0])
		}
		for int64(len(h.buckets)) <= bucket {
			h.buckets = append(h.buckets, 0)
		}
		h.area += n - h.buckets[bucket]
		h.buckets[bucket] = n
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("length histogram: %w", err)
	}
	if h.block < 1 || h.area < 1 {
		return nil, fmt.Errorf("length histogram: it needs a BlockSize and at least one count above 0")
	}
	return h, nil
}

// Next implements Ints.
func (h *Histogram) Next(r *rand.Rand) int64 {
	n := r.Int64N(h.area)
	for i, c := range h.buckets {
		if n -= c; n < 0 {
			return int64(i+1) * h.block
		}
	}
	return int64(len(h.buckets)) * h.block
}
