package javaregex

import (
	"strings"
	"unicode"
)

// Java's predefined classes. In their ASCII form unless the pattern asks for
// UNICODE_CHARACTER_CLASS.
var (
	digits          = set{'0', '9'}
	horizontalSpace = setOf('\t', '\t', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200a,
		0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000)
	verticalSpace  = setOf('\n', '\r', 0x85, 0x85, 0x2028, 0x2029)
	space          = setOf('\t', '\r', ' ', ' ')
	word           = setOf('0', '9', 'A', 'Z', '_', '_', 'a', 'z')
	lineTerminator = setOf('\n', '\n', '\r', '\r', 0x85, 0x85, 0x2028, 0x2029)
	newline        = set{'\n', '\n'}
)

// posix are the \p names that mean ASCII only.
var posix = map[string]set{
	"Lower":  {'a', 'z'},
	"Upper":  {'A', 'Z'},
	"ASCII":  {0, 0x7f},
	"Alpha":  {'A', 'Z', 'a', 'z'},
	"Digit":  digits,
	"Alnum":  {'0', '9', 'A', 'Z', 'a', 'z'},
	"Punct":  {'!', '/', ':', '@', '[', '`', '{', '~'},
	"Graph":  {'!', '~'},
	"Print":  {' ', '~'},
	"Blank":  {'\t', '\t', ' ', ' '},
	"Cntrl":  {0, 0x1f, 0x7f, 0x7f},
	"XDigit": {'0', '9', 'A', 'F', 'a', 'f'},
	"Space":  space,
}

// binary are Unicode's binary properties, written \p{IsName}, in lower case.
func binary(name string) (set, bool) {
	switch name {
	case "alphabetic":
		return tables(unicode.L, unicode.Nl, unicode.Other_Alphabetic), true
	case "ideographic":
		return tables(unicode.Ideographic), true
	case "letter":
		return tables(unicode.L), true
	case "lowercase":
		return tables(unicode.Ll, unicode.Other_Lowercase), true
	case "uppercase":
		return tables(unicode.Lu, unicode.Other_Uppercase), true
	case "titlecase":
		return tables(unicode.Lt), true
	case "punctuation":
		return tables(unicode.P), true
	case "control":
		return tables(unicode.Cc), true
	case "white_space", "whitespace":
		return tables(unicode.White_Space), true
	case "digit":
		return tables(unicode.Nd), true
	case "hex_digit", "hexdigit":
		return tables(unicode.Hex_Digit, unicode.Nd), true
	case "join_control", "joincontrol":
		return tables(unicode.Join_Control), true
	case "noncharacter_code_point", "noncharactercodepoint":
		return tables(unicode.Noncharacter_Code_Point), true
	case "assigned":
		return category("Cn").negate(), true
	}
	return nil, false
}

// category is a general category such as Lu or L; nil if there is none.
func category(name string) set {
	switch name {
	case "LC":
		return tables(unicode.Lu, unicode.Ll, unicode.Lt)
	case "LD":
		return tables(unicode.L, unicode.Nd)
	case "L1":
		return set{0, 0xff}
	case "all":
		return everything
	case "Cn":
		return tables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z,
			unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs).negate()
	case "C":
		return tables(unicode.C).union(category("Cn"))
	}
	if t, ok := unicode.Categories[name]; ok {
		return tables(t)
	}
	return nil
}

func script(name string) set {
	for full, t := range unicode.Scripts {
		if strings.EqualFold(full, name) {
			return tables(t)
		}
	}
	return nil
}

// unicodeWord is \w with UNICODE_CHARACTER_CLASS.
func unicodeWord() set {
	alphabetic, _ := binary("alphabetic")
	return alphabetic.union(tables(unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control))
}

// predefined is the class of a letter after the backslash (d, h, s, v or w, in
// upper case for the complement).
func predefined(letter rune, flags Flags) set {
	ucc := flags&UnicodeCharacterClass != 0
	var s set
	switch unicode.ToLower(letter) {
	case 'd':
		s = digits
		if ucc {
			s = tables(unicode.Nd)
		}
	case 'h':
		s = horizontalSpace
	case 's':
		s = space
		if ucc {
			s = tables(unicode.White_Space)
		}
	case 'v':
		s = verticalSpace
	case 'w':
		s = word
		if ucc {
			s = unicodeWord()
		}
	}
	if unicode.IsUpper(letter) {
		return s.negate()
	}
	return s
}

// property is the class that \p{name} names; nil if Java has none such.
func property(name string, flags Flags) set {
	s := caseSensitiveProperty(name, flags)
	if flags&CaseInsensitive != 0 {
		switch strings.ToLower(name) {
		case "lu", "ll", "lt", "islu", "isll", "islt", "isuppercase", "islowercase", "istitlecase",
			"javauppercase", "javalowercase", "javatitlecase":
			return category("LC").union(s)
		}
		return s.foldASCII()
	}
	return s
}

func caseSensitiveProperty(name string, flags Flags) set {
	if key, value, ok := strings.Cut(name, "="); ok {
		switch strings.ToLower(key) {
		case "sc", "script":
			return script(value)
		case "gc", "general_category":
			return category(value)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(name, "Is"); ok {
		if s, ok := binary(strings.ToLower(rest)); ok {
			return s
		}
		if s := category(rest); s != nil {
			return s
		}
		return script(rest)
	}
	if rest, ok := strings.CutPrefix(name, "java"); ok {
		return javaProperty(rest)
	}
	if s, ok := posix[name]; ok {
		if flags&UnicodeCharacterClass != 0 {
			return unicodePosix(name, s)
		}
		return s
	}
	return category(name)
}

// unicodePosix is a POSIX class with UNICODE_CHARACTER_CLASS.
func unicodePosix(name string, ascii set) set {
	alphabetic, _ := binary("alphabetic")
	whiteSpace := tables(unicode.White_Space)
	graph := whiteSpace.union(tables(unicode.Cc, unicode.Cs)).union(category("Cn")).negate()
	blank := tables(unicode.Zs).union(set{'\t', '\t'})
	switch name {
	case "Lower":
		return tables(unicode.Ll, unicode.Other_Lowercase)
	case "Upper":
		return tables(unicode.Lu, unicode.Other_Uppercase)
	case "Alpha":
		return alphabetic
	case "Digit":
		return tables(unicode.Nd)
	case "Alnum":
		return alphabetic.union(tables(unicode.Nd))
	case "Punct":
		return tables(unicode.P)
	case "Graph":
		return graph
	case "Print":
		return graph.union(blank).intersect(tables(unicode.Cc).negate())
	case "Blank":
		return blank
	case "Cntrl":
		return tables(unicode.Cc)
	case "XDigit":
		return tables(unicode.Nd, unicode.Hex_Digit)
	case "Space":
		return whiteSpace
	}
	return ascii
}

// javaProperty are the methods of java.lang.Character, written \p{javaName}.
func javaProperty(name string) set {
	switch name {
	case "LowerCase":
		return tables(unicode.Ll, unicode.Other_Lowercase)
	case "UpperCase":
		return tables(unicode.Lu, unicode.Other_Uppercase)
	case "TitleCase":
		return tables(unicode.Lt)
	case "Alphabetic":
		s, _ := binary("alphabetic")
		return s
	case "Ideographic":
		return tables(unicode.Ideographic)
	case "Digit":
		return tables(unicode.Nd)
	case "Defined":
		return category("Cn").negate()
	case "Letter":
		return tables(unicode.L)
	case "LetterOrDigit":
		return tables(unicode.L, unicode.Nd)
	case "SpaceChar":
		return tables(unicode.Z)
	case "Whitespace":
		noBreak := setOf(0xa0, 0xa0, 0x2007, 0x2007, 0x202f, 0x202f)
		return tables(unicode.Z).intersect(noBreak.negate()).union(setOf('\t', '\r', 0x1c, 0x1f))
	case "ISOControl":
		return setOf(0, 0x1f, 0x7f, 0x9f)
	}
	return nil
}
