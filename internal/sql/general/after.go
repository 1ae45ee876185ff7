package general

import "regexp"

var alterTable = regexp.MustCompile(`(?i)^\s*alter\s+table\b`)

// quotedOrAfter is strings and quoted names, which stay as they are, or the place of a
// column, AFTER name.
var quotedOrAfter = regexp.MustCompile("'(?:[^'\\\\]|\\\\.|'')*'" + `|"(?:[^"\\]|\\.|"")*"` + "|`[^`]*`" + `|(?i:\bafter\s+)([A-Za-z_][A-Za-z0-9_$]*)`)

// quoteAfter puts the column of AFTER in quotes. The parser takes a name for it,
// but none of those that are also words of its grammar, such as name or status.
func quoteAfter(text string) string {
	var out []byte
	last := 0
	for _, m := range quotedOrAfter.FindAllStringSubmatchIndex(text, -1) {
		if m[2] < 0 {
			continue
		}
		out = append(append(append(append(out, text[last:m[2]]...), '`'), text[m[2]:m[3]]...), '`')
		last = m[3]
	}
	return string(append(out, text[last:]...))
}

// unquoted is where the place n of a text from quoteAfter is in the original.
func unquoted(text, quoted string, n int) int {
	at := 0
	for i := 0; i < n && at < len(text); i++ {
		if quoted[i] == text[at] {
			at++
		}
	}
	return at
}
