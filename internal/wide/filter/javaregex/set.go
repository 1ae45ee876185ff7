package javaregex

import (
	"slices"
	"sort"
	"sync"
	"unicode"
)

// set is a set of code points: sorted, disjoint ranges as low, high pairs.
type set []rune

var everything = set{0, unicode.MaxRune}

// setOf makes a set of low, high pairs in any order.
func setOf(pairs ...rune) set { return normal(slices.Clone(pairs)) }

// normal sorts pairs in place and joins those that overlap or touch.
func normal(pairs set) set {
	sort.Sort(byLow(pairs))
	out := pairs[:0]
	for i := 0; i < len(pairs); i += 2 {
		low, high := pairs[i], pairs[i+1]
		if n := len(out); n > 0 && low <= out[n-1]+1 {
			out[n-1] = max(out[n-1], high)
		} else {
			out = append(out, low, high)
		}
	}
	return out
}

type byLow set

func (s byLow) Len() int           { return len(s) / 2 }
func (s byLow) Less(i, j int) bool { return s[2*i] < s[2*j] }
func (s byLow) Swap(i, j int) {
	s[2*i], s[2*j] = s[2*j], s[2*i]
	s[2*i+1], s[2*j+1] = s[2*j+1], s[2*i+1]
}

func (s set) has(r rune) bool {
	i := sort.Search(len(s)/2, func(i int) bool { return s[2*i+1] >= r })
	return i < len(s)/2 && s[2*i] <= r
}

func (s set) full() bool { return len(s) == 2 && s[0] == 0 && s[1] == unicode.MaxRune }

func (s set) negate() set {
	out := make(set, 0, len(s)+2)
	from := rune(0)
	for i := 0; i < len(s); i += 2 {
		if s[i] > from {
			out = append(out, from, s[i]-1)
		}
		from = s[i+1] + 1
	}
	if from <= unicode.MaxRune {
		out = append(out, from, unicode.MaxRune)
	}
	return out
}

func (s set) union(t set) set {
	return normal(append(append(make(set, 0, len(s)+len(t)), s...), t...))
}

func (s set) intersect(t set) set { return s.negate().union(t.negate()).negate() }

// foldASCII adds the other case of every ASCII letter.
func (s set) foldASCII() set {
	var more set
	for r := 'a'; r <= 'z'; r++ {
		upper := r - 'a' + 'A'
		if s.has(r) != s.has(upper) {
			more = append(more, r, r, upper, upper)
		}
	}
	if more == nil {
		return s
	}
	return s.union(more)
}

// folding are the code points that have another case.
var folding = sync.OnceValue(func() []rune {
	var out []rune
	for r := rune(0); r <= 0x1ffff; r++ {
		if unicode.SimpleFold(r) != r {
			out = append(out, r)
		}
	}
	return out
})

// foldUnicode adds the other cases of every code point.
func (s set) foldUnicode() set {
	if s.full() {
		return s
	}
	var more set
	add := func(r rune) {
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			if !s.has(o) {
				more = append(more, o, o)
			}
		}
	}
	if len(s) == 2 && s[1]-s[0] < 256 {
		for r := s[0]; r <= s[1]; r++ {
			add(r)
		}
	} else {
		for _, r := range folding() {
			if s.has(r) {
				add(r)
			}
		}
	}
	if more == nil {
		return s
	}
	return s.union(more)
}

// tables makes a set of Unicode's tables.
func tables(ts ...*unicode.RangeTable) set {
	var out set
	for _, t := range ts {
		for _, r := range t.R16 {
			out = appendStrided(out, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			out = appendStrided(out, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return normal(out)
}

func appendStrided(out set, low, high, stride rune) set {
	if stride == 1 {
		return append(out, low, high)
	}
	for r := low; r <= high; r += stride {
		out = append(out, r, r)
	}
	return out
}
