package javaregex

import (
	"bytes"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// Flags are the bits of java.util.regex.Pattern.
type Flags int

const (
	UnixLines             Flags = 1 << iota // only \n ends a line
	CaseInsensitive                         // ASCII letters, unless UnicodeCase
	Comments                                // white space and #... are ignored
	Multiline                               // ^ and $ at lines
	Literal                                 // no character is special
	DotAll                                  // . matches line terminators
	UnicodeCase                             // with CaseInsensitive: all letters
	CanonEq                                 // not supported
	UnicodeCharacterClass                   // \w, \d ... in all scripts
)

// Regexp is a compiled pattern. It is not safe for concurrent use.
type Regexp struct {
	tree    *node
	timeout time.Duration
	// linear is nil if Go's engine cannot run the pattern.
	linear *regexp.Regexp
	// asciiOnly: linear is right for ASCII texts only.
	asciiOnly bool
	// lastEnd: linear takes $ for the very end, so that Match must also look
	// at the text without a line terminator at its end.
	lastEnd   bool
	unixLines bool // of that $

	backtracking *regexp2.Regexp // made when first needed
	runes        []rune
}

// Compile reads pattern. timeout bounds one Match that has to backtrack.
func Compile(pattern string, flags Flags, timeout time.Duration) (*Regexp, error) {
	tree, err := parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	r := &Regexp{tree: simplify(tree), timeout: timeout}
	r.asciiOnly = r.tree.has(kindBoundary)
	unixLines, all := r.tree.lastEnds()
	r.lastEnd, r.unixLines = unixLines || all, unixLines
	// In the shortened text, another form of \Z or a \z would be wrong.
	confused := unixLines && all || r.lastEnd && r.tree.has(kindTextEnd)
	if r.tree.linear(true) && !confused {
		w := writer{}
		w.write(r.tree)
		if w.Len() > maxWritten {
			return nil, errTooLarge
		}
		// Go's engine refuses large counts; the other one then has to do.
		r.linear, _ = regexp.Compile(w.String())
	}
	if r.linear == nil {
		if err := r.compileBacktracking(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

var errTooLarge = &SyntaxError{Text: "The character classes are too large"}

func (r *Regexp) compileBacktracking() error {
	w := writer{backtracking: true}
	w.write(r.tree)
	if w.Len() > maxWritten {
		return errTooLarge
	}
	re, err := regexp2.Compile(w.String(), regexp2.None)
	if err != nil {
		return fmt.Errorf("regular expression: %w", err)
	}
	re.MatchTimeout = r.timeout
	r.backtracking = re
	return nil
}

// Match tells whether text, which is valid UTF-8, contains a match. The error is
// a time-out.
func (r *Regexp) Match(text []byte) (bool, error) {
	if r.linear != nil && !(r.asciiOnly && !isASCII(text)) {
		if r.linear.Match(text) {
			return true, nil
		}
		if !r.lastEnd {
			return false, nil
		}
		n := r.terminator(text)
		return n > 0 && r.linear.Match(text[:len(text)-n]), nil
	}
	if r.backtracking == nil {
		if err := r.compileBacktracking(); err != nil {
			return false, err
		}
	}
	r.runes = r.runes[:0]
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		r.runes = append(r.runes, c)
		i += n
	}
	found, err := r.backtracking.MatchRunes(r.runes)
	if err != nil {
		return false, fmt.Errorf("regular expression: %w", err)
	}
	return found, nil
}

// terminator is the length in bytes of the line terminator that ends text.
func (r *Regexp) terminator(text []byte) int {
	switch {
	case len(text) == 0:
		return 0
	case r.unixLines:
		if text[len(text)-1] == '\n' {
			return 1
		}
		return 0
	case bytes.HasSuffix(text, []byte("\r\n")):
		return 2
	}
	if last, n := utf8.DecodeLastRune(text); lineTerminator.has(last) {
		return n
	}
	return 0
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
