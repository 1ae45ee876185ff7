package javaregex

// class reads a character class up to, not including, its closing bracket:
//
//	class := ['^'] operand { "&&" operand }
//	operand := { item | '[' class ']' }
//
// Negation covers everything, nested classes and intersections included.
func (p *parser) class() set {
	negative := p.accept('^')
	s := p.classOperands(true)
	if negative {
		s = s.negate()
	}
	return s
}

// classOperands reads operands joined by && up to the bracket. first says that
// this is where a class begins: a bracket there is an ordinary character.
func (p *parser) classOperands(first bool) set {
	p.enter()
	defer p.leave()
	s, any := p.classUnion(first)
	for p.intersects() {
		p.at += 2
		right, anyRight := p.classUnion(false)
		switch {
		case anyRight && any:
			s = s.intersect(right)
		case anyRight:
			s, any = right, true
		case !any:
			p.fail("Bad class syntax")
		}
	}
	return s
}

// intersects tells whether && is at hand.
func (p *parser) intersects() bool {
	return p.peek() == '&' && p.at+1 < len(p.src) && p.src[p.at+1] == '&' && !p.quoted[p.at+1]
}

// classUnion reads items and nested classes up to && or the bracket. any is
// false if there were none.
func (p *parser) classUnion(first bool) (s set, any bool) {
	for ; ; first = false {
		r := p.peek()
		switch {
		case !p.more():
			p.fail("Unclosed character class")
		case r == ']' && !first, p.intersects():
			return normal(s), any
		case r == '[':
			p.at++
			p.enter()
			s = append(s, p.class()...)
			p.leave()
			if !p.accept(']') {
				p.fail("Unclosed character class")
			}
		default:
			s = append(s, p.classItem()...)
		}
		any = true
	}
}

// classItem reads one character, an escape, or a range.
func (p *parser) classItem() set {
	low, several := p.classChar()
	if several != nil {
		return several
	}
	high := low
	if p.peek() == '-' && p.at+1 < len(p.src) {
		next, quoted := p.src[p.at+1], p.quoted[p.at+1]
		if quoted || next != '[' && next != ']' {
			p.at++
			p.skipComments()
			if high, several = p.classChar(); several != nil {
				p.fail("Illegal character range")
			}
			if high < low {
				p.fail("Illegal character range")
			}
		}
	}
	return p.fold(set{low, high})
}

// classChar reads one character, or an escape that stands for several.
func (p *parser) classChar() (r rune, several set) {
	literal := p.more() && p.quoted[p.at]
	r = p.raw()
	if literal || r != '\\' {
		return r, nil
	}
	r = p.raw()
	if s, ok := p.classEscape(r); ok {
		return 0, append(set{}, s...)
	}
	switch r {
	case 'b', 'B', 'A', 'G', 'z', 'Z', 'k', 'R', 'X', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.fail("Illegal/unsupported escape sequence")
	}
	return p.charEscape(r), nil
}
