package filter

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomTree writes a random filter over the small world of the tests: rows and
// qualifiers of the letters a to d, values of digits, timestamps up to 5.
func randomTree(rng *rand.Rand, depth int) string {
	if depth > 0 && rng.IntN(3) > 0 {
		return randomBranch(rng, depth)
	}
	return randomLeaf(rng)
}

func randomBranch(rng *rand.Rand, depth int) string {
	inner := func() string { return randomTree(rng, depth-1) }
	switch rng.IntN(12) {
	case 0:
		return "skip(" + inner() + ")"
	case 1:
		return "while(" + inner() + ")"
	}
	members := make([]string, rng.IntN(4))
	for i := range members {
		members[i] = inner()
	}
	return pick(rng, "all", "one") + "(" + strings.Join(members, ", ") + ")"
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// letters is a word of low to high of the letters a to d.
func letters(rng *rand.Rand, low, high int) string {
	b := make([]byte, low+rng.IntN(high-low+1))
	for i := range b {
		b[i] = byte('a' + rng.IntN(4))
	}
	return string(b)
}

func randomLeaf(rng *rand.Rand) string {
	word := func() string { return fmt.Sprintf("%q", letters(rng, 1, 2)) }
	op := func() string { return fmt.Sprintf("%q", pick(rng, "<", "<=", "=", "!=", ">=", ">")) }
	column := func() string { return fmt.Sprintf("%q", pick(rng, "f:", "g:")+letters(rng, 1, 2)) }
	number := func() string { return fmt.Sprintf("bin(\"%d\")", rng.IntN(10)) }
	flag := func(word string) string {
		if rng.IntN(2) == 0 {
			return ""
		}
		return ", " + word
	}
	switch rng.IntN(24) {
	case 0:
		return fmt.Sprintf("row(%s, bin(%s))", op(), word())
	case 1:
		return fmt.Sprintf("family(%s, bin(%q))", op(), pick(rng, "f", "g"))
	case 2:
		return fmt.Sprintf("qualifier(%s, %s(%s))", op(), pick(rng, "bin", "binprefix"), word())
	case 3:
		return fmt.Sprintf("value(%s, %s)", op(), number())
	case 4:
		return fmt.Sprintf("single(%s, %s, %s%s%s)", column(), op(), number(), flag("ifmissing"), flag("allversions"))
	case 5:
		return fmt.Sprintf("exclude(%s, %s, %s%s%s)", column(), op(), number(), flag("ifmissing"), flag("allversions"))
	case 6:
		return fmt.Sprintf("column(%s, %s, %s)", column(), op(), number())
	case 7:
		return fmt.Sprintf("dependent(%s%s)", column(), flag("drop"))
	case 8:
		return fmt.Sprintf("prefix(%s)", word())
	case 9:
		return fmt.Sprintf("stop(%s)", word())
	case 10:
		return fmt.Sprintf("page(%d)", rng.IntN(6))
	case 11:
		return "first()"
	case 12:
		return fmt.Sprintf("firstof(%s, %s)", word(), word())
	case 13:
		return "keyonly(" + pick(rng, "", "length") + ")"
	case 14:
		return fmt.Sprintf("columnprefix(%s)", word())
	case 15:
		a, b := letters(rng, 1, 1), letters(rng, 2, 2)
		return fmt.Sprintf("columnprefixes(%q, %q)", a, b)
	case 16:
		low, high := letters(rng, 0, 2), letters(rng, 0, 2)
		return fmt.Sprintf("columnrange(%q, %q)", pick(rng, "[", "(")+low, high+pick(rng, "]", ")"))
	case 17:
		return fmt.Sprintf("pagination(%d, %d)", rng.IntN(4), rng.IntN(3))
	case 18:
		return fmt.Sprintf("pagination(%d, %s)", rng.IntN(4), word())
	case 19:
		return fmt.Sprintf("count(%d)", rng.IntN(5))
	case 20:
		return fmt.Sprintf("timestamps(%d, %d%s)", 1+rng.IntN(5), 1+rng.IntN(5), flag("hint"))
	case 21:
		return fmt.Sprintf("fuzzy(%q, %q)", randomFuzzy(rng), randomFuzzy(rng))
	case 22:
		return fmt.Sprintf("ranges(%q, %q)", randomRange(rng), randomRange(rng))
	}
	return fmt.Sprintf("value(%s, substring(\"%d\"))", pick(rng, `"="`, `"!="`), rng.IntN(10))
}

// randomFuzzy is as long as the rows of the world.
func randomFuzzy(rng *rand.Rand) string {
	b := []byte(letters(rng, 3, 3))
	for i := range b {
		if rng.IntN(2) == 0 {
			b[i] = '?'
		}
	}
	return string(b)
}

func randomRange(rng *rand.Rand) string {
	start, stop := letters(rng, 0, 3), letters(rng, 0, 3)
	if start > stop && stop != "" {
		start, stop = stop, start
	}
	last := pick(rng, "]", ")")
	if start == stop {
		last = "]"
	}
	return pick(rng, "[", "(") + start + "," + stop + last
}
