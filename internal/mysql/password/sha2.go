package password

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"strconv"
)

// SHA2 is the name of the newer way. A client proves its password by one hash
// (CheckFast) to a server that has seen the password since it started; otherwise
// it has to send it, over a safe channel (CheckFull).
const SHA2 = "caching_sha2_password"

// A stored form is
//
//	$A$ rounds/1000, three hexadecimal digits $ salt*20 hash*43
//
// with the hash of SHA-crypt. The salt is without zero bytes and dollars.
const (
	sha2Prefix = "$A$"
	saltBytes  = 20
	hashChars  = 43
	sha2Bytes  = len(sha2Prefix) + 3 + 1 + saltBytes + hashChars
	sha2Rounds = 5000
	// maxSHA2Rounds bounds what checking a stored form may cost; MySQL's own
	// bound is 4095000.
	maxSHA2Rounds = 4095 * 1000
	// MaxBytes of a password. What a check costs grows with the square.
	MaxBytes = 256
)

// HashSHA2 is a new stored form of a password.
func HashSHA2(p string) string {
	if p == "" {
		return ""
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	for i := range salt {
		// Printable, so that a dump of accounts survives every client.
		salt[i] = crypt64[salt[i]%64]
	}
	return string(appendSHA2(nil, p, salt, sha2Rounds))
}

func appendSHA2(b []byte, p string, salt []byte, rounds int) []byte {
	b = fmt.Appendf(b, "%s%03X$%s", sha2Prefix, rounds/1000, salt)
	return append(b, shaCrypt([]byte(p), salt, rounds)...)
}

// IsSHA2Hash tells whether s can be a stored form.
func IsSHA2Hash(s string) bool {
	_, _, ok := splitSHA2(s)
	return ok
}

func splitSHA2(s string) (salt string, rounds int, ok bool) {
	if len(s) != sha2Bytes || s[:3] != sha2Prefix || s[6] != '$' {
		return "", 0, false
	}
	n, err := strconv.ParseUint(s[3:6], 16, 16)
	if err != nil || n == 0 || n*1000 > maxSHA2Rounds {
		return "", 0, false
	}
	return s[7 : 7+saltBytes], int(n) * 1000, true
}

// CheckFull tells whether a password is the stored one. It takes a millisecond
// or more, as it is meant to.
func CheckFull(stored, p string) bool {
	if stored == "" || p == "" {
		return stored == "" && p == ""
	}
	salt, rounds, ok := splitSHA2(stored)
	if !ok || len(p) > MaxBytes {
		return false
	}
	got := shaCrypt([]byte(p), []byte(salt), rounds)
	return subtle.ConstantTimeCompare(got, []byte(stored[sha2Bytes-hashChars:])) == 1
}

// Stage2 is what a server keeps in memory of a password that it has seen, for
// CheckFast: SHA256(SHA256(p)).
func Stage2(p string) [sha256.Size]byte {
	one := sha256.Sum256([]byte(p))
	return sha256.Sum256(one[:])
}

// CheckFast tells whether a client's answer to a scramble proves its password.
// The answer is
//
//	SHA256(p) xor SHA256(SHA256(SHA256(p)) scramble)
func CheckFast(stage2 [sha256.Size]byte, scramble, answer []byte) bool {
	if len(answer) != sha256.Size {
		return false
	}
	h := sha256.New()
	h.Write(stage2[:])
	h.Write(scramble)
	one := h.Sum(nil)
	subtle.XORBytes(one, one, answer)
	got := sha256.Sum256(one)
	return subtle.ConstantTimeCompare(got[:], stage2[:]) == 1
}
