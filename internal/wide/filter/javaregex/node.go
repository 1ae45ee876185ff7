package javaregex

// kind of a node.
type kind uint8

const (
	kindSet       kind = iota // one code point of set
	kindConcat                // subs in a row; none: the empty string
	kindAlternate             // any of subs, in order
	kindRepeat                // subs[0], low to high times (high < 0: no bound)
	kindCapture               // subs[0], remembered as group
	kindAtomic                // subs[0], its first match only
	kindLook                  // subs[0] must (not) match from here, or up to here
	kindBackref               // what group matched
	kindTextStart             // \A, and ^ unless MULTILINE
	kindTextEnd               // \z
	kindLastEnd               // \Z, and $ unless MULTILINE: the end, or before a last line terminator
	kindLineStart             // ^ if MULTILINE
	kindLineEnd               // $ if MULTILINE
	kindBoundary              // \b, \B
)

// node of a pattern's tree. Sets are already closed under case and flags already
// resolved; unixLines and fold are kept for the kinds that need them.
type node struct {
	kind       kind
	set        set
	subs       []*node
	low, high  int
	lazy       bool
	possessive bool
	group      int
	negative   bool // look, boundary
	behind     bool // look
	unixLines  bool // lastEnd, lineStart, lineEnd
	fold       bool // backref
}

// simplify drops what cannot change whether a text contains a match: a leading
// or trailing .* that matches everything. Users write them often, and without
// them the engines can search for literal text.
func simplify(n *node) *node {
	if n.kind != kindConcat {
		return n
	}
	subs := n.subs
	for len(subs) > 0 && matchesAnything(subs[0]) {
		subs = subs[1:]
	}
	for len(subs) > 0 && matchesAnything(subs[len(subs)-1]) {
		subs = subs[:len(subs)-1]
	}
	return &node{kind: kindConcat, subs: subs}
}

func matchesAnything(n *node) bool {
	return n.kind == kindRepeat && n.low == 0 && n.high < 0 && !n.possessive &&
		n.subs[0].kind == kindSet && n.subs[0].set.full()
}

// linear tells whether Go's engine can run n: it knows only what is regular, and
// of \Z only what need not look past the end (see Regexp.Match). tail says that
// nothing can be matched after n.
func (n *node) linear(tail bool) bool {
	switch n.kind {
	case kindAtomic, kindLook, kindBackref, kindLineStart, kindLineEnd:
		return false
	case kindLastEnd:
		return tail
	case kindRepeat:
		if n.possessive {
			return false
		}
		tail = false
	case kindConcat:
		for i, s := range n.subs {
			if !s.linear(tail && i == len(n.subs)-1) {
				return false
			}
		}
		return true
	}
	for _, s := range n.subs {
		if !s.linear(tail) {
			return false
		}
	}
	return true
}

// lastEnds tells which forms of \Z the tree holds.
func (n *node) lastEnds() (unixLines, all bool) {
	if n.kind == kindLastEnd {
		return n.unixLines, !n.unixLines
	}
	for _, s := range n.subs {
		u, a := s.lastEnds()
		unixLines, all = unixLines || u, all || a
	}
	return unixLines, all
}

// has tells whether n or a node below it is of kind k.
func (n *node) has(k kind) bool {
	if n.kind == k {
		return true
	}
	for _, s := range n.subs {
		if s.has(k) {
			return true
		}
	}
	return false
}
