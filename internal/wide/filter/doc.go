// Package filter is HBase's server-side filters and comparators: what each of
// the built-in classes answers for a cell, a row key, a finished row, and how
// lists and wrappers combine the answers. It decodes a filter from its Java
// class name and serialized form, and does nothing else: it reads no store and
// knows no scan. Whoever reads rows drives a Filter through the steps that the
// interface names.
//
// The answers follow HBase 2.6 where it has one, oddities included: a row limit
// that counts per scanner, wrappers that do not pass the row key on, prefixes
// that hide each other. The tests replay answers recorded from a real HBase.
// Basalt differs, on purpose, where HBase's answer depends on where bytes
// happen to lie, loses rows of reversed scans, or never ends; each such place
// says so.
//
// Read first: Filter, Decode, allList and oneList.
//
// What always holds: decoding allocates in proportion to its input and within
// Limits; a decoded filter keeps no reference to what it was decoded from; a
// filter never writes into a cell's bytes; a hint never leads backwards.
package filter
