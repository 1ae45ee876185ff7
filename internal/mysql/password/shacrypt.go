package password

import "crypto/sha256"

// crypt64 are the digits of crypt(3).
const crypt64 = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// shaCrypt is the hash part of SHA-crypt with SHA-256, whose description is
// public ("Unix crypt using SHA-256 and SHA-512"). The step names are of that
// description; the salt may be longer than there.
func shaCrypt(p, salt []byte, rounds int) []byte {
	// Steps 4 to 8: digest B.
	h := sha256.New()
	h.Write(p)
	h.Write(salt)
	h.Write(p)
	b := h.Sum(nil)

	// Steps 1 to 3 and 9 to 12: digest A.
	h.Reset()
	h.Write(p)
	h.Write(salt)
	for n := len(p); n > 0; n -= len(b) {
		h.Write(b[:min(n, len(b))])
	}
	for n := len(p); n > 0; n >>= 1 {
		if n&1 == 1 {
			h.Write(b)
		} else {
			h.Write(p)
		}
	}
	a := h.Sum(nil)

	// Steps 13 to 16: sequence P, of the password's length.
	h.Reset()
	for range p {
		h.Write(p)
	}
	pp := stretch(h.Sum(nil), len(p))

	// Steps 17 to 20: sequence S, of the salt's length.
	h.Reset()
	for range 16 + int(a[0]) {
		h.Write(salt)
	}
	ss := stretch(h.Sum(nil), len(salt))

	// Step 21.
	for i := range rounds {
		h.Reset()
		if i&1 == 1 {
			h.Write(pp)
		} else {
			h.Write(a)
		}
		if i%3 != 0 {
			h.Write(ss)
		}
		if i%7 != 0 {
			h.Write(pp)
		}
		if i&1 == 1 {
			h.Write(a)
		} else {
			h.Write(pp)
		}
		a = h.Sum(a[:0])
	}

	// Step 22: three bytes become four digits, in an order of its own.
	out := make([]byte, 0, hashChars)
	digits := func(b2, b1, b0 byte, n int) {
		v := uint(b2)<<16 | uint(b1)<<8 | uint(b0)
		for range n {
			out = append(out, crypt64[v&63])
			v >>= 6
		}
	}
	x, y, z := 0, 10, 20
	for range 10 {
		digits(a[x], a[y], a[z], 4)
		x, y, z = z+1, x+1, y+1
	}
	digits(0, a[31], a[30], 3)
	return out
}

// stretch repeats a digest to n bytes.
func stretch(digest []byte, n int) []byte {
	out := make([]byte, n)
	for i := 0; i < n; i += len(digest) {
		copy(out[i:], digest)
	}
	return out
}
