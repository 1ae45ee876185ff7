package password

import (
	"crypto/sha1"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// Native is the name of the older way.
const Native = "mysql_native_password"

// HashNative is the stored form of a password: an asterisk and SHA1(SHA1(p)) in
// capital hexadecimal digits.
func HashNative(p string) string {
	if p == "" {
		return ""
	}
	one := sha1.Sum([]byte(p))
	two := sha1.Sum(one[:])
	return "*" + strings.ToUpper(hex.EncodeToString(two[:]))
}

// IsNativeHash tells whether s can be a stored form.
func IsNativeHash(s string) bool {
	if len(s) != 1+2*sha1.Size || s[0] != '*' {
		return false
	}
	_, err := hex.DecodeString(s[1:])
	return err == nil
}

// CheckNative tells whether a client's answer to a scramble proves its password.
// The answer is
//
//	SHA1(p) xor SHA1(scramble SHA1(SHA1(p)))
//
// or nothing when there is no password.
func CheckNative(stored string, scramble, answer []byte) bool {
	if stored == "" || len(answer) == 0 {
		return stored == "" && len(answer) == 0
	}
	if !IsNativeHash(stored) || len(answer) != sha1.Size {
		return false
	}
	two, _ := hex.DecodeString(stored[1:]) // IsNativeHash has done it
	h := sha1.New()
	h.Write(scramble)
	h.Write(two)
	one := h.Sum(nil)
	subtle.XORBytes(one, one, answer)
	got := sha1.Sum(one)
	return subtle.ConstantTimeCompare(got[:], two) == 1
}
