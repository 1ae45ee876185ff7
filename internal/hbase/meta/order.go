package meta

import "bytes"

const comma = ','

// Compare orders row keys of hbase:meta. A key is
//
//	table [ "," start [ "," id ] ]
//
// cut at its first and its last comma, since table and id have none but a start
// key may have any. The parts are compared one after the other, each as bytes;
// a key without a part comes before those that have it. So all regions of "t"
// come before all of "t-1", though '-' is more than ',', and the table's state
// row, which is only its name, comes before its regions.
func Compare(a, b []byte) int {
	at, a, aMore := bytes.Cut(a, []byte{comma})
	bt, b, bMore := bytes.Cut(b, []byte{comma})
	if c := bytes.Compare(at, bt); c != 0 {
		return c
	}
	if c := compareBools(aMore, bMore); c != 0 || !aMore {
		return c
	}
	as, a, aMore := cutLast(a)
	bs, b, bMore := cutLast(b)
	if c := bytes.Compare(as, bs); c != 0 {
		return c
	}
	if c := compareBools(aMore, bMore); c != 0 || !aMore {
		return c
	}
	return bytes.Compare(a, b)
}

func cutLast(k []byte) (before, after []byte, found bool) {
	i := bytes.LastIndexByte(k, comma)
	if i < 0 {
		return k, nil, false
	}
	return k[:i], k[i+1:], true
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
