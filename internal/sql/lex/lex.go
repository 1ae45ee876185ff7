// Package lex takes the literals out of a statement's text, so that texts which
// differ only in them are known to be one statement: "SELECT c FROM t WHERE id =
// 5" is "SELECT c FROM t WHERE id = ?" with the argument 5.
package lex

import (
	"strconv"

	"github.com/basaltdb/basalt/internal/rel/row"
)

// MaxBytes bounds the texts that are looked at.
const MaxBytes = 16 << 10

// maxArgs bounds the literals of a text.
const maxArgs = 256

// Normal is a text without its literals. It is reused: what Parse gave is valid
// until the next call.
type Normal struct {
	Text []byte
	Args []row.Value
	buf  []byte // of strings that are not as they are written
}

// isWord tells whether b is part of a name or number.
func isWord(b byte) bool {
	return b == '_' || b == '$' || b == '@' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// Parse takes whole numbers and strings in single quotes out of text. ok is false
// for a text with anything that could be read in another way (comments, other
// literals, double quotes, several statements), or that is too long.
func (n *Normal) Parse(text string, backslash bool) (ok bool) {
	n.Text, n.Args, n.buf = n.Text[:0], n.Args[:0], n.buf[:0]
	if len(text) > MaxBytes {
		return false
	}
	if cap(n.buf) < len(text) {
		// Never grown while strings refer to it.
		n.buf = make([]byte, 0, len(text))
	}
	for i := 0; i < len(text); {
		b := text[i]
		switch {
		case b == '`':
			end := i + 1
			for end < len(text) && text[end] != '`' {
				end++
			}
			if end == len(text) {
				return false
			}
			n.Text = append(n.Text, text[i:end+1]...)
			i = end + 1
		case b == '\'':
			if i > 0 && (isWord(text[i-1]) || text[i-1] == '\'') {
				return false
			}
			if i, ok = n.quoted(text, i+1, backslash); !ok {
				return false
			}
			if i < len(text) && isWord(text[i]) {
				return false
			}
		case b >= '0' && b <= '9':
			end := i
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			if end < len(text) && (isWord(text[end]) || text[end] == '.') || i > 0 && text[i-1] == '.' {
				return false
			}
			v, ok := number(text[i:end])
			if !ok || !n.add(v) {
				return false
			}
			i = end
		case isWord(b):
			end := i
			for end < len(text) && isWord(text[end]) {
				end++
			}
			if b == '@' {
				return false
			}
			n.Text = append(n.Text, text[i:end]...)
			i = end
		case b == '"' || b == '#' || b == ';' || b == '?' || b == ':' || b == '\\' || b == '/',
			b == '-' && i+1 < len(text) && text[i+1] == '-':
			return false
		case b == '\n' || b == '\r' || b == '\t':
			n.Text = append(n.Text, ' ')
			i++
		default:
			n.Text = append(n.Text, b)
			i++
		}
	}
	return true
}

func (n *Normal) add(v row.Value) bool {
	n.Text = append(n.Text, '?')
	n.Args = append(n.Args, v)
	return len(n.Args) <= maxArgs
}

func number(digits string) (row.Value, bool) {
	if i, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return row.IntValue(i), true
	}
	u, err := strconv.ParseUint(digits, 10, 64)
	return row.UintValue(u), err == nil
}

// quoted takes a string whose text begins at i.
func (n *Normal) quoted(text string, i int, backslash bool) (int, bool) {
	at := len(n.buf)
	for i < len(text) {
		b := text[i]
		switch {
		case b == '\'' && i+1 < len(text) && text[i+1] == '\'':
			n.buf = append(n.buf, '\'')
			i += 2
		case b == '\'':
			return i + 1, n.add(row.BytesValue(n.buf[at:len(n.buf):len(n.buf)]))
		case b == '\\' && backslash:
			if i+1 == len(text) {
				return i, false
			}
			c, ok := unescape(text[i+1])
			if !ok {
				return i, false
			}
			n.buf = append(n.buf, c)
			i += 2
		default:
			n.buf = append(n.buf, b)
			i++
		}
	}
	return i, false
}

// unescape is what a backslash and b stand for; \% and \_ mean different things
// in different places.
func unescape(b byte) (byte, bool) {
	switch b {
	case '0':
		return 0, true
	case 'b':
		return '\b', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'Z':
		return 26, true
	case '%', '_':
		return 0, false
	}
	return b, true
}
