package filter

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// isASCII tells whether b has no byte above 0x7f.
func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendJavaUTF8 appends b as Java reads UTF-8: each ill-formed piece becomes
// one U+FFFD, where a piece is the longest that could begin a character, and an
// encoded surrogate is one piece.
func appendJavaUTF8(dst, b []byte) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			n = illFormed(b)
		}
		dst = utf8.AppendRune(dst, r)
		b = b[n:]
	}
	return dst
}

// illFormed is the length of the ill-formed piece that b starts with.
func illFormed(b []byte) int {
	low, high, more := byte(0x80), byte(0xbf), 0
	switch lead := b[0]; {
	case lead < 0xc2 || lead > 0xf4:
		return 1
	case lead < 0xe0:
		more = 1
	case lead < 0xf0:
		more = 2
		if lead == 0xe0 {
			low = 0xa0
		}
	default:
		more = 3
		if lead == 0xf0 {
			low = 0x90
		} else if lead == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for n <= more && n < len(b) && low <= b[n] && b[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}

// appendLatin1 appends b read as ISO-8859-1.
func appendLatin1(dst, b []byte) []byte {
	for _, c := range b {
		dst = utf8.AppendRune(dst, rune(c))
	}
	return dst
}

// appendASCII appends b read as US-ASCII, whose other bytes become U+FFFD.
func appendASCII(dst, b []byte) []byte {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// lower is Java's String.toLowerCase(Locale.ROOT), final sigma included.
func lower(b []byte) []byte { return cases.Lower(language.Und).Bytes(b) }

// substringComparator is equal when the value, read as text, contains the
// operand whatever the case.
type substringComparator struct {
	never
	operand []byte // in lower case
	ascii   bool   // the operand is
	buf     []byte
}

func newSubstringComparator(operand []byte) *substringComparator {
	text := lower(appendJavaUTF8(nil, operand))
	return &substringComparator{operand: text, ascii: isASCII(text)}
}

func (k *substringComparator) Compare(value []byte) int {
	var found bool
	if k.ascii && isASCII(value) {
		found = containsFold(value, k.operand)
	} else {
		k.buf = appendJavaUTF8(k.buf[:0], value)
		found = bytes.Contains(lower(k.buf), k.operand)
	}
	if found {
		return 0
	}
	return 1
}

// containsFold looks for sub, which is in lower case, in ASCII text.
func containsFold(text, sub []byte) bool {
	if len(sub) == 0 {
		return true
	}
	first := sub[0]
	other := first
	if 'a' <= first && first <= 'z' {
		other -= 'a' - 'A'
	}
	for i := 0; i+len(sub) <= len(text); i++ {
		if c := text[i]; c != first && c != other {
			continue
		}
		if equalFold(text[i:i+len(sub)], sub) {
			return true
		}
	}
	return false
}

func equalFold(text, sub []byte) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != sub[i] {
			return false
		}
	}
	return true
}
