package pb

import "google.golang.org/protobuf/encoding/protowire"

// appendRegion appends a RegionSpecifier with a region's full name as field 1,
// where every request has it.
func appendRegion(dst, name []byte) []byte {
	dst, m := begin(dst, 1)
	dst = appendUint(dst, 1, RegionName)
	return End(appendBytes(dst, 2, name), m)
}

// appendNamed appends a filter or a comparator as a field.
func appendNamed(dst []byte, field int, n *Named) []byte {
	dst, m := begin(dst, field)
	dst = appendBytes(dst, 1, n.Name)
	return End(appendBytes(dst, 2, n.Data), m)
}

func appendTimeRange(dst []byte, field int, t TimeRange) []byte {
	dst, m := begin(dst, field)
	dst = appendUint(dst, 1, uint64(t.Min))
	return End(appendUint(dst, 2, uint64(t.Max)), m)
}

// appendFamilyTimeRange appends a ColumnFamilyTimeRange without its tag.
func appendFamilyTimeRange(dst []byte, t *FamilyTimeRange) []byte {
	size := 2 + sizeVarint(uint64(t.Min)) + sizeVarint(uint64(t.Max))
	dst = protowire.AppendVarint(dst, uint64(sizeBytes(len(t.Family))+sizeBytes(size)))
	dst = appendBytes(dst, 1, t.Family)
	return appendTimeRange(dst, 2, t.TimeRange)
}

func appendAttributes(dst []byte, field int, as Attributes) []byte {
	for i := range as {
		var m Mark
		dst, m = begin(dst, field)
		dst = appendBytes(dst, 1, as[i].Name)
		dst = End(appendBytes(dst, 2, as[i].Value), m)
	}
	return dst
}

func appendColumns(dst []byte, field int, cs []Column) []byte {
	for i := range cs {
		var m Mark
		dst, m = begin(dst, field)
		dst = appendBytes(dst, 1, cs[i].Family)
		for _, q := range cs[i].Qualifiers {
			dst = appendBytes(dst, 2, q)
		}
		dst = End(dst, m)
	}
	return dst
}

// AppendCondition appends a Condition message: by c.Filter when HasFilter is
// set, else by comparing a column.
func AppendCondition(dst []byte, c *Condition) []byte {
	dst = appendBytes(dst, 1, c.Row)
	if c.HasFilter {
		dst = appendNamed(dst, 7, &c.Filter)
	} else {
		dst = appendBytes(dst, 2, c.Family)
		dst = appendBytes(dst, 3, c.Qualifier)
		dst = appendUint(dst, 4, uint64(c.CompareType))
		dst = appendNamed(dst, 5, &c.Comparator)
	}
	if c.HasTimeRange {
		dst = appendTimeRange(dst, 6, c.TimeRange)
	}
	return dst
}
