// Package javaregex runs regular expressions written for java.util.regex.
//
// A pattern is parsed as Java 17 parses it, flags included, into a small tree in
// which every difference of dialect is gone: character classes and letters that
// ignore case are plain sets of code points, flags are resolved, quotes and
// comments removed. The tree is then written out for one of two engines: Go's
// regexp, linear in the text, whenever the pattern means the same there, and
// regexp2, which backtracks, for look-around, back references, atomic groups,
// possessive quantifiers and line anchors. Only "does the text contain a match"
// is answered, which makes greed irrelevant to the first engine.
//
// Not supported, with an error that says so: \X, \b{g}, \N{name}, CANON_EQ and
// Unicode blocks (\p{InGreek}).
//
// Read first: Compile, parser, node.
package javaregex
