package catalog

import (
	"bytes"
	"crypto/md5" // the names of regions are made with it, no secret depends on it
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
)

// maxRowBytes is the longest row key, and so the longest split key.
const maxRowBytes = 32767

// firstOpenSeq is what HBase reports for a region opened for the first time.
const firstOpenSeq = 2

// RegionName makes the name of a region and its short form:
//
//	table "," start "," id "." md5 "."
//
// md5 is the hex digest of what stands before the first of the two dots, and
// also the short (encoded) name. The table goes without the default namespace.
func RegionName(table TableName, start []byte, id int64) (name []byte, encoded string) {
	return ReplicaName(table, start, id, 0)
}

// ReplicaName is RegionName for a replica: the id is followed by "_" and its
// number as four hex digits, but for the first, number 0.
func ReplicaName(table TableName, start []byte, id int64, replica int) (name []byte, encoded string) {
	name = append(name, table.String()...)
	name = append(name, ',')
	name = append(name, start...)
	name = append(name, ',')
	name = strconv.AppendInt(name, id, 10)
	if replica > 0 {
		name = append(name, ReplicaSuffix(replica)...)
	}
	sum := md5.Sum(name)
	encoded = hex.EncodeToString(sum[:])
	name = append(name, '.')
	name = append(name, encoded...)
	return append(name, '.'), encoded
}

// ReplicaSuffix is what tells the names of a replica from those of the region:
// nothing for number 0.
func ReplicaSuffix(replica int) string {
	if replica == 0 {
		return ""
	}
	return fmt.Sprintf("_%04X", replica)
}

// span is a region without its table: what is stored of it, and its load, which
// is nil for a new one.
type span struct {
	start, end []byte
	id         int64
	load       *RegionLoad
}

// setRegions gives the table new Region values for these spans, which are
// sorted and cover all rows.
func (t *Table) setRegions(spans []span) {
	t.Regions = make([]*Region, len(spans))
	for i, s := range spans {
		r := &Region{Table: t, Start: s.start, End: s.end, RegionID: s.id, OpenSeq: firstOpenSeq + t.Opens, Load: s.load}
		if r.Load == nil {
			r.Load = new(RegionLoad)
		}
		r.Name, r.Encoded = RegionName(t.Name, s.start, s.id)
		t.Regions[i] = r
	}
}

// spans is the reverse of setRegions.
func (t *Table) spans() []span {
	out := make([]span, len(t.Regions))
	for i, r := range t.Regions {
		out[i] = span{r.Start, r.End, r.RegionID, r.Load}
	}
	return out
}

// cut makes the spans of a new table. Split keys may come in any order.
func cut(splitKeys [][]byte, id int64, most int) ([]span, error) {
	if len(splitKeys)+1 > most {
		return nil, argumentErrorf("%d regions are more than a table may have (%d)", len(splitKeys)+1, most)
	}
	keys := make([][]byte, len(splitKeys))
	for i, k := range splitKeys {
		switch {
		case len(k) == 0:
			return nil, argumentErrorf("Empty split key must not be passed in the split keys.")
		case len(k) > maxRowBytes:
			return nil, argumentErrorf("Split key of %d bytes is longer than a row may be (%d)", len(k), maxRowBytes)
		}
		keys[i] = bytes.Clone(k)
	}
	sort.Slice(keys, func(i, j int) bool { return bytes.Compare(keys[i], keys[j]) < 0 })
	out := make([]span, 0, len(keys)+1)
	start := []byte{}
	for _, k := range keys {
		if bytes.Equal(start, k) {
			return nil, argumentErrorf("All split keys must be unique, found duplicate: %s, %s",
				DisplayBytes(k), DisplayBytes(k))
		}
		out = append(out, span{start: start, end: k, id: id})
		start = k
	}
	return append(out, span{start: start, end: []byte{}, id: id}), nil
}

// DisplayBytes shows bytes as HBase does: printable ASCII as it is, all else as
// \xNN.
func DisplayBytes(b []byte) string {
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, len(b))
	for _, c := range b {
		if c >= ' ' && c <= '~' && c != '\\' {
			out = append(out, c)
		} else {
			out = append(out, '\\', 'x', digits[c>>4], digits[c&15])
		}
	}
	return string(out)
}

// String shows the region as HBase's messages do.
func (r *Region) String() string {
	return "{ENCODED => " + r.Encoded + ", NAME => '" + DisplayBytes(r.Name) + "', STARTKEY => '" +
		DisplayBytes(r.Start) + "', ENDKEY => '" + DisplayBytes(r.End) + "'}"
}
