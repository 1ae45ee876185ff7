package gen

import (
	"fmt"
	"math"
	"strconv"
)

// Hash names how hashed keys are made of record numbers.
type Hash uint8

const (
	// HashYCSB is FNV-1a over the number's bytes, the least significant first.
	HashYCSB Hash = iota
	// HashGoYCSB takes the bytes in the other order, as go-ycsb does.
	HashGoYCSB
)

// FNV64 is YCSB's hash of a number: FNV-1a of its 8 bytes, without its sign.
func FNV64(n int64) int64 { return fnv(uint64(n)) }

func fnv(v uint64) int64 {
	const offset, prime = 0xCBF29CE484222325, 1099511628211
	h := uint64(offset)
	for range 8 {
		h = (h ^ v&0xFF) * prime
		v >>= 8
	}
	if s := int64(h); s < 0 {
		return -s
	}
	return int64(h)
}

func swap(v uint64) (r uint64) {
	for range 8 {
		r = r<<8 | v&0xFF
		v >>= 8
	}
	return r
}

// KeySpace turns record numbers into keys.
type KeySpace struct {
	Prefix  string // "user" with YCSB
	Ordered bool   // the number itself, not its hash
	Padding int    // least number of digits
	Hash    Hash
}

// Append appends the key of record n to b.
func (k *KeySpace) Append(b []byte, n int64) []byte {
	if !k.Ordered {
		if k.Hash == HashGoYCSB {
			n = fnv(swap(uint64(n)))
		} else {
			n = fnv(uint64(n))
		}
	}
	b = append(b, k.Prefix...)
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], n, 10)
	for range k.Padding - len(d) {
		b = append(b, '0')
	}
	return append(b, d...)
}

// Key is Append to an empty slice, as text.
func (k *KeySpace) Key(n int64) string { return string(k.Append(nil, n)) }

// hashSpan is how far the leading digits of hashed keys reach: as decimal text
// they spread over 1.0 to 9.30104. A tenth of them have fewer than 19 digits, so
// that they sort among longer ones and cuts by value would be uneven.
const hashSpan = 8.30104

// Splits returns the n-1 keys that part the key space of records 0 to count-1
// into n even regions. Four digits carry up to 100 regions.
func (k *KeySpace) Splits(n int, count int64) ([]string, error) {
	if n < 1 || n > 100 {
		return nil, fmt.Errorf("a table can be cut into 1 to 100 regions, not %d", n)
	}
	var cuts []string
	for i := 1; i < n; i++ {
		if k.Ordered {
			// Unpadded numbers sort as text; cuts by number would be no order.
			cut := k.Key(count * int64(i) / int64(n))
			if len(cuts) > 0 && cut <= cuts[len(cuts)-1] {
				return nil, fmt.Errorf("ordered keys without zeropadding cannot be cut into %d regions", n)
			}
			cuts = append(cuts, cut)
			continue
		}
		cuts = append(cuts, k.Prefix+strconv.Itoa(int(math.Round((1+float64(i)/float64(n)*hashSpan)*1000))))
	}
	return cuts, nil
}
