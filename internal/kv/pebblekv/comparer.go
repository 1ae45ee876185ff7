package pebblekv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/keys"
)

// comparer is byte order; a key's prefix is its row. The name is stored and may
// never change, and neither may what Split says about any stored key.
var comparer = &pebble.Comparer{
	Name:                 "basalt.rows.1",
	Compare:              bytes.Compare,
	Equal:                bytes.Equal,
	ComparePointSuffixes: bytes.Compare,
	CompareRangeSuffixes: bytes.Compare,
	AbbreviatedKey:       pebble.DefaultComparer.AbbreviatedKey,
	FormatKey:            pebble.DefaultComparer.FormatKey,
	Separator:            pebble.DefaultComparer.Separator,
	Successor:            pebble.DefaultComparer.Successor,
	Split:                keys.Split,
	ImmediateSuccessor:   appendRowSuccessor,
}

// appendRowSuccessor appends the smallest prefix behind the prefix a. All keys
// that start with a wide row's prefix, which ends in 00 01, have that prefix, so
// that the next is the one that ends in 00 02. Any other prefix is a whole key.
func appendRowSuccessor(dst, a []byte) []byte {
	n := len(dst)
	dst = append(dst, a...)
	if keys.Split(append(dst, 0)[n:]) == len(a) {
		dst[len(dst)-1]++
		return dst
	}
	return append(dst, 0)
}
