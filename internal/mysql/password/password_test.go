// Shows both ways against known values, and that nothing else passes.
package password

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"testing"
)

var scramble = []byte("abcdefghij0123456789")

func answerNative(p string) []byte {
	one := sha1.Sum([]byte(p))
	two := sha1.Sum(one[:])
	mix := sha1.Sum(append(append([]byte{}, scramble...), two[:]...))
	subtle.XORBytes(mix[:], mix[:], one[:])
	return mix[:]
}

func answerSHA2(p string) []byte {
	one := sha256.Sum256([]byte(p))
	two := sha256.Sum256(one[:])
	mix := sha256.Sum256(append(two[:], scramble...))
	subtle.XORBytes(mix[:], mix[:], one[:])
	return mix[:]
}

func TestNative(t *testing.T) {
	// PASSWORD('mypass') of the MySQL manual.
	stored := HashNative("mypass")
	if stored != "*6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4" || !IsNativeHash(stored) {
		t.Fatal(stored)
	}
	if !CheckNative(stored, scramble, answerNative("mypass")) || !CheckNative("", scramble, nil) {
		t.Error("the right password")
	}
	for _, f := range []struct {
		stored string
		answer []byte
	}{
		{stored, answerNative("Mypass")}, {stored, nil}, {"", answerNative("")}, {stored, answerNative("mypass")[:19]},
		{"*00", answerNative("mypass")}, {strings.Replace(stored, "6", "x", 1), answerNative("mypass")},
		{stored, make([]byte, 20)},
	} {
		if CheckNative(f.stored, scramble, f.answer) {
			t.Errorf("%q took %x", f.stored, f.answer)
		}
	}
}

// Against crypt(3) of the GNU C library.
func TestSHACrypt(t *testing.T) {
	for _, f := range []struct {
		password, salt string
		rounds         int
		want           string
	}{
		{"Hello world!", "saltstring", 5000, "5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"},
		{"Hello world!", "saltstringsaltst", 10000, "3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"},
		{"a very much longer text to encrypt.  This one even stretches over morethan one line.", "anotherlongsalts", 1400,
			"Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1"},
		{"we have a short salt string but not a short password", "short", 77777, "JiO1O3ZpDAxGJeaDIuqCoEFysAe1mZNJRs3pw0KQRd/"},
	} {
		if got := string(shaCrypt([]byte(f.password), []byte(f.salt), f.rounds)); got != f.want {
			t.Errorf("%q: %s, want %s", f.password, got, f.want)
		}
	}
}

func TestSHA2(t *testing.T) {
	stored := HashSHA2("sec$ret")
	if !IsSHA2Hash(stored) || len(stored) != 70 || !strings.HasPrefix(stored, "$A$005$") {
		t.Fatalf("%q", stored)
	}
	if !CheckFull(stored, "sec$ret") || !CheckFull("", "") || !CheckFast(Stage2("sec$ret"), scramble, answerSHA2("sec$ret")) {
		t.Error("the right password")
	}
	for _, f := range []struct{ stored, password string }{
		{stored, "secret"}, {stored, ""}, {"", "secret"}, {stored[:69], "sec$ret"}, {stored, strings.Repeat("x", 1<<20)}, {"$A$000$" + stored[7:], "sec$ret"},
		{"$B" + stored[2:], "sec$ret"}, {"$A$0x5$" + stored[7:], "sec$ret"},
	} {
		if CheckFull(f.stored, f.password) {
			t.Errorf("%q took %q", f.stored, f.password)
		}
	}
	for _, answer := range [][]byte{nil, answerSHA2("x"), answerSHA2("sec$ret")[1:], make([]byte, 32)} {
		if CheckFast(Stage2("sec$ret"), scramble, answer) {
			t.Errorf("%x", answer)
		}
	}
	if again := HashSHA2("sec$ret"); again == stored {
		t.Error("two passwords share a salt")
	}
}

func BenchmarkCheckFull(b *testing.B) {
	stored := HashSHA2("secret")
	for range b.N {
		CheckFull(stored, "secret")
	}
}
