package pb

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// AppendMutateRequest appends a whole MutateRequest for the region of that name.
// cells are the mutation's data, which go inline. condition may be nil.
func AppendMutateRequest(dst, region []byte, m *Mutation, cells []cell.Cell, condition *Condition, nonceGroup uint64) []byte {
	dst = appendRegion(dst, region)
	var at Mark
	dst, at = begin(dst, 2)
	dst = End(AppendMutation(dst, m, cells), at)
	if condition != nil {
		dst, at = begin(dst, 3)
		dst = End(AppendCondition(dst, condition), at)
	}
	if nonceGroup != 0 {
		dst = appendUint(dst, 4, nonceGroup)
	}
	return dst
}

// AppendMutation appends a MutationProto message with cells as its inline data;
// with m.HasCellCount the data are in the cell block and cells must be nil. Each
// run of cells of one family is a ColumnValue of its own.
func AppendMutation(dst []byte, m *Mutation, cells []cell.Cell) []byte {
	dst = appendBytes(dst, 1, m.Row)
	dst = appendUint(dst, 2, uint64(m.Type))
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && bytes.Equal(cells[n].Family, cells[0].Family) {
			n++
		}
		var at Mark
		dst, at = begin(dst, 3)
		dst = appendBytes(dst, 1, cells[0].Family)
		for i := range cells[:n] {
			dst = appendValue(dst, m.Type, &cells[i])
		}
		dst, cells = End(dst, at), cells[n:]
	}
	if m.HasTimestamp {
		dst = appendUint(dst, 4, uint64(m.Timestamp))
	}
	dst = appendAttributes(dst, 5, m.Attributes)
	if m.Durability != 0 {
		dst = appendUint(dst, 6, uint64(m.Durability))
	}
	if m.HasTimeRange {
		dst = appendTimeRange(dst, 7, m.TimeRange)
	}
	if m.HasCellCount {
		dst = appendUint(dst, 8, uint64(int64(m.CellCount)))
	}
	if m.HasNonce {
		dst = appendUint(dst, 9, m.Nonce)
	}
	return dst
}

// appendValue appends a cell as a QualifierValue. A timestamp that stands for
// the server's clock is what its absence means.
func appendValue(dst []byte, mutation uint32, c *cell.Cell) []byte {
	dst, at := begin(dst, 2)
	dst = appendBytes(dst, 1, c.Qualifier)
	if mutation != MutateDelete {
		dst = appendBytes(dst, 2, c.Value)
	}
	if c.Timestamp != cell.Latest {
		dst = appendUint(dst, 3, uint64(c.Timestamp))
	}
	if mutation == MutateDelete {
		dst = appendUint(dst, 4, deleteType(c.Type))
	}
	return End(dst, at)
}

func deleteType(t cell.Type) uint64 {
	switch t {
	case cell.DeleteColumn:
		return DeleteMultipleVersions
	case cell.DeleteFamily:
		return DeleteFamily
	case cell.DeleteFamilyVersion:
		return DeleteFamilyVersion
	}
	return DeleteOneVersion
}
