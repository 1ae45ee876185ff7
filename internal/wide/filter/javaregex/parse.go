package javaregex

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// maxDepth bounds the nesting of groups and classes.
const maxDepth = 200

// SyntaxError is a pattern that Java refuses or that this package does not know.
type SyntaxError struct {
	Text string
	At   int // code points before the place
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("regular expression: %s near index %d", e.Text, e.At)
}

// parser reads a pattern as Java does. Errors are panics with *SyntaxError that
// parse recovers, so that the grammar can be read.
type parser struct {
	src []rune
	// quoted says which of src stood between \Q and \E: these are literal.
	quoted []bool
	at     int
	flags  Flags
	depth  int
	groups int // capturing groups opened so far
	names  map[string]int

	properties map[propertyKey]set
}

// parse returns the tree of pattern.
func parse(pattern string, flags Flags) (n *node, err error) {
	if !utf8.ValidString(pattern) {
		return nil, &SyntaxError{Text: "the pattern is not UTF-8"}
	}
	if flags&UnicodeCharacterClass != 0 {
		flags |= UnicodeCase
	}
	p := &parser{flags: flags, names: map[string]int{}, properties: map[propertyKey]set{}}
	if flags&CanonEq != 0 {
		return nil, &SyntaxError{Text: "CANON_EQ is not supported"}
	}
	if flags&Literal != 0 {
		for _, r := range pattern {
			p.src, p.quoted = append(p.src, r), append(p.quoted, true)
		}
		p.flags &^= Comments
	} else {
		p.unquote([]rune(pattern))
	}
	defer func() {
		if r := recover(); r != nil {
			syntax, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			n, err = nil, syntax
		}
	}()
	n = p.alternation()
	if p.more() {
		p.fail("Unmatched closing ')'")
	}
	return n, nil
}

// unquote resolves \Q...\E.
func (p *parser) unquote(src []rune) {
	inside := false
	for i := 0; i < len(src); i++ {
		if src[i] == '\\' && i+1 < len(src) {
			switch {
			case inside && src[i+1] == 'E':
				inside = false
				i++
				continue
			case !inside && src[i+1] == 'Q':
				inside = true
				i++
				continue
			case !inside:
				p.src = append(p.src, src[i], src[i+1])
				p.quoted = append(p.quoted, false, false)
				i++
				continue
			}
		}
		p.src = append(p.src, src[i])
		p.quoted = append(p.quoted, inside)
	}
}

func (p *parser) fail(text string, args ...any) {
	panic(&SyntaxError{Text: fmt.Sprintf(text, args...), At: p.at})
}

func (p *parser) more() bool { return p.at < len(p.src) }

func (p *parser) is(f Flags) bool { return p.flags&f != 0 }

// skipComments passes over white space and comments if they are to be ignored.
func (p *parser) skipComments() {
	if !p.is(Comments) {
		return
	}
	for p.more() && !p.quoted[p.at] {
		switch r := p.src[p.at]; {
		case space.has(r):
			p.at++
		case r == '#':
			for p.more() && !p.endsLine(p.src[p.at]) {
				p.at++
			}
		default:
			return
		}
	}
}

func (p *parser) endsLine(r rune) bool {
	if p.is(UnixLines) {
		return r == '\n'
	}
	return lineTerminator.has(r)
}

// peek returns the operator character at hand, or 0: at the end, and where the
// character is quoted.
func (p *parser) peek() rune {
	p.skipComments()
	if !p.more() || p.quoted[p.at] {
		return 0
	}
	return p.src[p.at]
}

// accept passes over r if it is at hand.
func (p *parser) accept(r rune) bool {
	if p.peek() != r {
		return false
	}
	p.at++
	return true
}

// raw passes over the next character, whatever it is.
func (p *parser) raw() rune {
	if !p.more() {
		p.fail("Unexpected end of the pattern")
	}
	r := p.src[p.at]
	p.at++
	return r
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail("Nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) alternation() *node {
	p.enter()
	defer p.leave()
	n := &node{kind: kindAlternate}
	for {
		n.subs = append(n.subs, p.sequence())
		if !p.accept('|') {
			break
		}
	}
	if len(n.subs) == 1 {
		return n.subs[0]
	}
	return n
}

func (p *parser) sequence() *node {
	n := &node{kind: kindConcat}
	for {
		r := p.peek()
		if r == '|' || r == ')' || !p.more() {
			return n
		}
		if sub := p.quantified(); sub != nil {
			n.subs = append(n.subs, sub)
		}
	}
}

// quantified reads an atom and the quantifier behind it.
func (p *parser) quantified() *node {
	atom, repeatable := p.atom()
	if !repeatable {
		return atom
	}
	n := &node{kind: kindRepeat, subs: []*node{atom}}
	switch p.peek() {
	case '?':
		p.at++
		n.low, n.high = 0, 1
	case '*':
		p.at++
		n.low, n.high = 0, -1
	case '+':
		p.at++
		n.low, n.high = 1, -1
	case '{':
		p.at++
		p.counts(n)
	default:
		return atom
	}
	switch p.peek() {
	case '?':
		p.at++
		n.lazy = true
	case '+':
		p.at++
		n.possessive = true
	}
	return n
}

// counts reads what follows the brace of {n}, {n,} or {n,m}.
func (p *parser) counts(n *node) {
	n.low = p.number()
	n.high = n.low
	if p.accept(',') {
		n.high = -1
		if p.peek() != '}' {
			n.high = p.number()
		}
	}
	if !p.accept('}') {
		p.fail("Unclosed counted closure")
	}
	if n.high >= 0 && n.high < n.low {
		p.fail("Illegal repetition range")
	}
}

func (p *parser) number() int {
	n := 0
	from := p.at
	for p.more() && '0' <= p.peek() && p.peek() <= '9' {
		n = n*10 + int(p.raw()-'0')
		if n > 1<<31-1 {
			p.fail("Illegal repetition range")
		}
	}
	if p.at == from {
		p.fail("Illegal repetition")
	}
	return n
}

// atom reads one element. repeatable is false for inline flags, which a
// quantifier cannot follow; the node is nil then.
func (p *parser) atom() (n *node, repeatable bool) {
	p.skipComments()
	if p.quoted[p.at] {
		return p.literal(p.raw()), true
	}
	switch r := p.raw(); r {
	case '(':
		return p.group()
	case '[':
		s := p.class()
		if !p.accept(']') {
			p.fail("Unclosed character class")
		}
		return &node{kind: kindSet, set: s}, true
	case '.':
		switch {
		case p.is(DotAll):
			return &node{kind: kindSet, set: everything}, true
		case p.is(UnixLines):
			return &node{kind: kindSet, set: newline.negate()}, true
		}
		return &node{kind: kindSet, set: lineTerminator.negate()}, true
	case '^':
		if p.is(Multiline) {
			return &node{kind: kindLineStart, unixLines: p.is(UnixLines)}, true
		}
		return &node{kind: kindTextStart}, true
	case '$':
		if p.is(Multiline) {
			return &node{kind: kindLineEnd, unixLines: p.is(UnixLines)}, true
		}
		return &node{kind: kindLastEnd, unixLines: p.is(UnixLines)}, true
	case '*', '+', '?':
		p.fail("Dangling meta character '%c'", r)
	case '{':
		// A count of nothing, which Java takes.
		p.at--
		return &node{kind: kindConcat}, true
	case '\\':
		return p.escape(), true
	default:
		return p.literal(r), true
	}
	return nil, false
}

// literal matches r, in any case if the flags say so.
func (p *parser) literal(r rune) *node {
	return &node{kind: kindSet, set: p.fold(set{r, r})}
}

func (p *parser) fold(s set) set {
	switch {
	case !p.is(CaseInsensitive):
		return s
	case p.is(UnicodeCase):
		return s.foldUnicode()
	}
	return s.foldASCII()
}

// group reads what follows an opening parenthesis.
func (p *parser) group() (n *node, repeatable bool) {
	if p.peek() != '?' {
		p.groups++
		n = &node{kind: kindCapture, group: p.groups}
		p.groupBody(n)
		return n, true
	}
	p.at++
	switch r := p.raw(); r {
	case ':':
		return p.inner(), true
	case '>':
		n = &node{kind: kindAtomic}
	case '=', '!':
		n = &node{kind: kindLook, negative: r == '!'}
	case '<':
		switch r := p.raw(); r {
		case '=', '!':
			n = &node{kind: kindLook, behind: true, negative: r == '!'}
		default:
			p.at--
			name := p.groupName()
			if _, taken := p.names[name]; taken {
				p.fail("Named capturing group <%s> is already defined", name)
			}
			p.groups++
			p.names[name] = p.groups
			n = &node{kind: kindCapture, group: p.groups}
		}
	default:
		p.at--
		return p.inlineFlags()
	}
	p.groupBody(n)
	return n, true
}

// groupBody reads the rest of a group into n, up to its parenthesis.
func (p *parser) groupBody(n *node) { n.subs = []*node{p.inner()} }

// inner reads a group's pattern and parenthesis. Flags set inside end there.
func (p *parser) inner() *node {
	saved := p.flags
	n := p.alternation()
	if !p.accept(')') {
		p.fail("Unclosed group")
	}
	p.flags = saved
	return n
}

// groupName reads a name and the '>' behind it.
func (p *parser) groupName() string {
	var name []rune
	for {
		r := p.raw()
		if r == '>' {
			break
		}
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (len(name) == 0 || r < '0' || r > '9') {
			p.fail("Illegal name of a group")
		}
		name = append(name, r)
	}
	if len(name) == 0 {
		p.fail("Illegal name of a group")
	}
	return string(name)
}

// inlineFlags reads (?flags) or (?flags:pattern), from the flags on.
func (p *parser) inlineFlags() (n *node, repeatable bool) {
	saved := p.flags
	off := false
	for {
		var f Flags
		switch r := p.raw(); r {
		case 'i':
			f = CaseInsensitive
		case 'm':
			f = Multiline
		case 's':
			f = DotAll
		case 'd':
			f = UnixLines
		case 'u':
			f = UnicodeCase
		case 'c':
			p.fail("CANON_EQ is not supported")
		case 'x':
			f = Comments
		case 'U':
			f = UnicodeCharacterClass | UnicodeCase
		case '-':
			if off {
				p.fail("Unknown inline modifier")
			}
			off = true
			continue
		case ')':
			return nil, false
		case ':':
			n = p.inner()
			p.flags = saved
			return n, true
		default:
			p.fail("Unknown inline modifier")
		}
		if off {
			p.flags &^= f
		} else {
			p.flags |= f
		}
	}
}

// escape reads what follows a backslash outside of a class.
func (p *parser) escape() *node {
	r := p.raw()
	switch r {
	case 'A', 'G':
		// Only the first match is ever looked for, so \G is the start.
		return &node{kind: kindTextStart}
	case 'z':
		return &node{kind: kindTextEnd}
	case 'Z':
		return &node{kind: kindLastEnd, unixLines: p.is(UnixLines)}
	case 'b', 'B':
		if r == 'b' && p.at+2 < len(p.src) && string(p.src[p.at:p.at+3]) == "{g}" {
			p.fail("\\b{g} is not supported")
		}
		return &node{kind: kindBoundary, negative: r == 'B'}
	case 'R':
		pair := &node{kind: kindConcat, subs: []*node{
			{kind: kindSet, set: set{'\r', '\r'}}, {kind: kindSet, set: newline}}}
		one := &node{kind: kindSet, set: verticalSpace}
		return &node{kind: kindAlternate, subs: []*node{pair, one}}
	case 'X':
		p.fail("\\X is not supported")
	case 'k':
		if p.raw() != '<' {
			p.fail("\\k is not followed by '<' for named capturing group")
		}
		name := p.groupName()
		group, ok := p.names[name]
		if !ok {
			p.fail("named capturing group <%s> does not exist", name)
		}
		return p.backref(group)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		// More digits belong to the number as long as there is such a group.
		group := int(r - '0')
		for p.more() && !p.quoted[p.at] && '0' <= p.src[p.at] && p.src[p.at] <= '9' {
			longer := group*10 + int(p.src[p.at]-'0')
			if longer > p.groups {
				break
			}
			group = longer
			p.at++
		}
		return p.backref(group)
	}
	if s, ok := p.classEscape(r); ok {
		return &node{kind: kindSet, set: s}
	}
	return p.literal(p.charEscape(r))
}

// backref matches what the group matched; a group that is not there never did.
func (p *parser) backref(group int) *node {
	if group > p.groups {
		return &node{kind: kindSet}
	}
	return &node{kind: kindBackref, group: group, fold: p.is(CaseInsensitive)}
}

// classEscape is the set of an escape that stands for several code points.
func (p *parser) classEscape(r rune) (set, bool) {
	switch r {
	case 'd', 'D', 'h', 'H', 's', 'S', 'v', 'V', 'w', 'W':
		return p.cached(propertyKey{`\` + string(r), p.flags & UnicodeCharacterClass}, func() set {
			return predefined(r, p.flags)
		}), true
	case 'p', 'P':
		name := string(p.raw())
		if name == "{" {
			from := p.at
			for p.raw() != '}' {
			}
			name = string(p.src[from : p.at-1])
		}
		s := p.property(name)
		if r == 'P' {
			s = s.negate()
		}
		return s, true
	}
	return nil, false
}

// property is the set of a \p name.
func (p *parser) property(name string) set {
	key := propertyKey{name, p.flags & (CaseInsensitive | UnicodeCharacterClass)}
	s := p.cached(key, func() set { return property(name, p.flags) })
	if s == nil {
		p.fail("Unknown or unsupported character property {%.100s}", name)
	}
	return s
}

// cached makes a set once: patterns repeat names, and some sets are large.
func (p *parser) cached(key propertyKey, build func() set) set {
	s, ok := p.properties[key]
	if !ok {
		s = build()
		p.properties[key] = s
	}
	return s
}

type propertyKey struct {
	name  string
	flags Flags
}

// charEscape is the code point of an escape that stands for one.
func (p *parser) charEscape(r rune) rune {
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	case 'a':
		return '\a'
	case 'e':
		return 0x1b
	case 'c':
		return p.raw() ^ 64
	case '0':
		return p.octal()
	case 'x':
		if p.more() && p.src[p.at] == '{' {
			p.at++
			v := rune(0)
			for p.more() && p.src[p.at] != '}' {
				v = v<<4 | p.hexDigit()
				if v > unicode.MaxRune {
					p.fail("Hexadecimal codepoint is too big")
				}
			}
			if p.raw() != '}' {
				p.fail("Unclosed hexadecimal escape sequence")
			}
			return v
		}
		return p.hexDigit()<<4 | p.hexDigit()
	case 'u':
		v := p.unit()
		if 0xd800 <= v && v < 0xdc00 && p.at+6 <= len(p.src) && p.src[p.at] == '\\' && p.src[p.at+1] == 'u' {
			before := p.at
			p.at += 2
			if low := p.unit(); 0xdc00 <= low && low < 0xe000 {
				return 0x10000 + (v-0xd800)<<10 + (low - 0xdc00)
			}
			p.at = before
		}
		return v
	case 'N':
		p.fail("\\N{name} is not supported")
	}
	if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
		p.fail("Illegal/unsupported escape sequence")
	}
	return r
}

// octal reads the one to three digits of \0n, at most 0377.
func (p *parser) octal() rune {
	v, n := rune(0), 0
	for n < 3 && p.more() && '0' <= p.src[p.at] && p.src[p.at] <= '7' && v*8+p.src[p.at]-'0' <= 0o377 {
		v = v*8 + p.raw() - '0'
		n++
	}
	if n == 0 {
		p.fail("Illegal octal escape sequence")
	}
	return v
}

// unit reads four hexadecimal digits.
func (p *parser) unit() rune {
	v := rune(0)
	for range 4 {
		v = v<<4 | p.hexDigit()
	}
	return v
}

func (p *parser) hexDigit() rune {
	switch r := p.raw(); {
	case '0' <= r && r <= '9':
		return r - '0'
	case 'a' <= r && r <= 'f':
		return r - 'a' + 10
	case 'A' <= r && r <= 'F':
		return r - 'A' + 10
	}
	p.fail("Illegal hexadecimal escape sequence")
	return 0
}
