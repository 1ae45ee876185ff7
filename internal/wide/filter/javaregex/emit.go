package javaregex

import (
	"fmt"
	"regexp"
	"strings"
)

// Texts are UTF-8 and hold no surrogates, and neither engine can write one in a
// class: sets are written without them.
const (
	surrogateMin = 0xd800
	surrogateMax = 0xdfff
)

// withoutSurrogates calls f for each range of s.
func withoutSurrogates(s set, f func(low, high rune)) {
	for i := 0; i < len(s); i += 2 {
		low, high := s[i], s[i+1]
		if high < surrogateMin || low > surrogateMax {
			f(low, high)
			continue
		}
		if low < surrogateMin {
			f(low, surrogateMin-1)
		}
		if high > surrogateMax {
			f(surrogateMax+1, high)
		}
	}
}

// maxWritten bounds the bytes of a written pattern: a few bytes of Java can name
// sets of hundreds of ranges.
const maxWritten = 1 << 20

// writer is a dialect to write a tree in.
type writer struct {
	strings.Builder
	// backtracking is the dialect of regexp2, otherwise it is Go's.
	backtracking bool
}

func (w *writer) code(r rune) {
	switch {
	case !w.backtracking:
		fmt.Fprintf(w, `\x{%x}`, r)
	case r <= 0xffff:
		fmt.Fprintf(w, `\u%04x`, r)
	default:
		w.WriteRune(r)
	}
}

func (w *writer) writeSet(s set) {
	n := 0
	var one rune
	withoutSurrogates(s, func(low, high rune) {
		n += 1 + int(min(high-low, 1))
		one = low
	})
	switch {
	case s.full():
		w.WriteString(`(?s:.)`)
	case n == 0: // nothing
		w.WriteString(`[^\x00-`)
		w.code(0x10ffff)
		w.WriteByte(']')
	case n == 1 && !w.backtracking:
		w.WriteString(regexp.QuoteMeta(string(one)))
	default:
		w.writeRanges(s)
	}
}

// maxRanges of one class. regexp2 sorts a class anew for each range that it
// reads, so large sets are written in pieces, which it joins faster.
const maxRanges = 64

func (w *writer) writeRanges(s set) {
	pieces := w.backtracking && len(s)/2 > maxRanges
	if pieces {
		w.WriteString(`(?:`)
	}
	w.WriteByte('[')
	n := 0
	withoutSurrogates(s, func(low, high rune) {
		if pieces && n == maxRanges {
			w.WriteString(`]|[`)
			n = 0
		}
		n++
		w.code(low)
		if high > low {
			w.WriteByte('-')
			w.code(high)
		}
	})
	w.WriteByte(']')
	if pieces {
		w.WriteByte(')')
	}
}

func (w *writer) write(n *node) {
	if w.Len() > maxWritten {
		return // Compile refuses the whole
	}
	switch n.kind {
	case kindSet:
		w.writeSet(n.set)
	case kindConcat:
		for _, s := range n.subs {
			w.write(s)
		}
	case kindAlternate:
		w.WriteString(`(?:`)
		for i, s := range n.subs {
			if i > 0 {
				w.WriteByte('|')
			}
			w.write(s)
		}
		w.WriteByte(')')
	case kindRepeat:
		w.writeRepeat(n)
	case kindCapture:
		// Numbered in the order written, which is the order of n.group. The
		// linear engine needs no captures.
		if w.backtracking {
			w.WriteByte('(')
		} else {
			w.WriteString(`(?:`)
		}
		w.write(n.subs[0])
		w.WriteByte(')')
	case kindTextStart:
		w.WriteString(`\A`)
	case kindTextEnd:
		w.WriteString(`\z`)
	case kindLastEnd:
		if w.backtracking {
			w.WriteString(lastEnd(n.unixLines))
		} else {
			w.WriteString(`\z`)
		}
	case kindBoundary:
		w.writeBoundary(n.negative)
	default:
		w.writeBacktracking(n)
	}
}

func (w *writer) writeRepeat(n *node) {
	if n.possessive {
		w.WriteString(`(?>`)
	}
	w.WriteString(`(?:`)
	w.write(n.subs[0])
	w.WriteByte(')')
	switch {
	case n.high < 0:
		fmt.Fprintf(w, "{%d,}", n.low)
	default:
		fmt.Fprintf(w, "{%d,%d}", n.low, n.high)
	}
	if n.lazy {
		w.WriteByte('?')
	}
	if n.possessive {
		w.WriteByte(')')
	}
}

// writeBoundary writes \b or \B. Java takes letters and digits of all scripts
// for parts of words, Go's engine only ASCII: it gets ASCII texts only.
func (w *writer) writeBoundary(negative bool) {
	if !w.backtracking {
		if negative {
			w.WriteString(`\B`)
		} else {
			w.WriteString(`\b`)
		}
		return
	}
	const part = `[_\p{L}\p{Nd}\p{Mn}]`
	if negative {
		w.WriteString(`(?:(?<=` + part + `)(?=` + part + `)|(?<!` + part + `)(?!` + part + `))`)
	} else {
		w.WriteString(`(?:(?<=` + part + `)(?!` + part + `)|(?<!` + part + `)(?=` + part + `))`)
	}
}

const terminators = `[\n\r\u0085\u2028\u2029]`

// lastEnd is the end, or the place before a line terminator at the end, which
// is never between \r and \n.
func lastEnd(unixLines bool) string {
	if unixLines {
		return `(?=\n?\z)`
	}
	return `(?=(?:\r\n|` + terminators + `)?\z)(?<!\r(?=\n))`
}

// writeBacktracking writes the kinds that only regexp2 knows.
func (w *writer) writeBacktracking(n *node) {
	switch n.kind {
	case kindAtomic:
		w.WriteString(`(?>`)
		w.write(n.subs[0])
		w.WriteByte(')')
	case kindLook:
		w.WriteString(`(?`)
		if n.behind {
			w.WriteByte('<')
		}
		if n.negative {
			w.WriteByte('!')
		} else {
			w.WriteByte('=')
		}
		w.write(n.subs[0])
		w.WriteByte(')')
	case kindBackref:
		if n.fold {
			fmt.Fprintf(w, `(?i:\k<%d>)`, n.group)
		} else {
			fmt.Fprintf(w, `(?:\k<%d>)`, n.group)
		}
	case kindLineStart:
		// Never at the end of the text, not even of an empty one.
		if n.unixLines {
			w.WriteString(`(?:\A|(?<=\n))(?!\z)`)
		} else {
			w.WriteString(`(?:\A|(?<=` + terminators + `)(?<!\r(?=\n)))(?!\z)`)
		}
	case kindLineEnd:
		if n.unixLines {
			w.WriteString(`(?=\n|\z)`)
		} else {
			w.WriteString(`(?=` + terminators + `|\z)(?<!\r(?=\n))`)
		}
	}
}
