package filter

import (
	"strings"
	"unicode/utf8"

	"github.com/basaltdb/basalt/internal/wide/filter/javaregex"
)

// charset says how the bytes of a value are read as text.
type charset uint8

const (
	charsetUTF8 charset = iota
	charsetLatin1
	charsetASCII
)

// charsetNamed knows the names and the usual aliases that Java has for what it
// calls a charset.
func charsetNamed(name string) (charset, bool) {
	switch strings.ToUpper(name) {
	case "", "UTF-8", "UTF8":
		return charsetUTF8, true
	case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "ISO8859_1", "8859_1", "LATIN1", "L1", "CP819", "IBM819":
		return charsetLatin1, true
	case "US-ASCII", "ASCII", "ISO646-US", "646":
		return charsetASCII, true
	}
	return 0, false
}

// regexComparator is equal when the value, read as text, contains a match.
type regexComparator struct {
	env     *env
	re      *javaregex.Regexp
	charset charset
	buf     []byte
}

func (k *regexComparator) Err() error { return k.env.err }

func (k *regexComparator) Compare(value []byte) int {
	if k.env.err != nil {
		return 1 // the call fails anyway: waste no more time
	}
	found, err := k.re.Match(k.text(value))
	if err != nil {
		k.env.fail("RegexStringComparator", err.Error())
	}
	if found {
		return 0
	}
	return 1
}

// text is value in UTF-8, valid until the next call.
func (k *regexComparator) text(value []byte) []byte {
	switch k.charset {
	case charsetUTF8:
		if utf8.Valid(value) {
			return value
		}
		k.buf = appendJavaUTF8(k.buf[:0], value)
	case charsetLatin1:
		if isASCII(value) {
			return value
		}
		k.buf = appendLatin1(k.buf[:0], value)
	default:
		if isASCII(value) {
			return value
		}
		k.buf = appendASCII(k.buf[:0], value)
	}
	return k.buf
}

// decodeRegex reads
//
//	RegexStringComparator{1! pattern:s; 2! pattern_flags:int32; 3! charset:s; 4 engine:s}
func (d *decoder) decodeRegex(b []byte) (Comparator, error) {
	const class = "RegexStringComparator"
	var pattern, charsetName, engine []byte
	var flags javaregex.Flags
	hasPattern, hasFlags, hasCharset := false, false, false
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | bytesType:
			pattern, hasPattern = m.bytes(), true
		case 2<<3 | varintType:
			flags, hasFlags = javaregex.Flags(m.int32()), true
		case 3<<3 | bytesType:
			charsetName, hasCharset = m.bytes(), true
		case 4<<3 | bytesType:
			engine = m.bytes()
		default:
			m.skip()
		}
	}
	if m.bad || !hasPattern || !hasFlags || !hasCharset {
		return nil, incomplete(class)
	}
	if len(pattern) > d.limits.MaxPatternBytes {
		return nil, malformed(class, "the pattern has %d bytes, more than %d", len(pattern), d.limits.MaxPatternBytes)
	}
	cs, ok := charsetNamed(string(charsetName))
	switch string(engine) {
	case "", "JAVA":
	case "JONI":
		// Joni reads UTF-8 whatever it is told, knows \n as the only line end,
		// and is at home in all scripts.
		cs, ok = charsetUTF8, true
		flags &= javaregex.CaseInsensitive | javaregex.DotAll | javaregex.Multiline
		flags |= javaregex.UnixLines | javaregex.UnicodeCharacterClass
	default:
		return nil, malformed(class, "engine %.100q is not supported", engine)
	}
	if !ok {
		return nil, malformed(class, "charset %.100q is not supported", charsetName)
	}
	re, err := javaregex.Compile(string(pattern), flags, d.limits.RegexTimeout)
	if err != nil {
		return nil, malformed(class, "%v", err)
	}
	return &regexComparator{env: d.env, re: re, charset: cs}, nil
}
