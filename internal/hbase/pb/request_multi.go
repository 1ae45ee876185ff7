package pb

import "github.com/basaltdb/basalt/internal/wide/cell"

// BeginRegionAction opens the next RegionAction of a MultiRequest, for the
// region of that name.
func BeginRegionAction(dst, region []byte) ([]byte, Mark) {
	dst, m := begin(dst, 1)
	return appendRegion(dst, region), m
}

// AppendRegionAtomic makes an open RegionAction atomic.
func AppendRegionAtomic(dst []byte) []byte { return appendBool(dst, 2, true) }

// AppendRegionCondition appends the condition of an open RegionAction.
func AppendRegionCondition(dst []byte, c *Condition) []byte {
	dst, m := begin(dst, 4)
	return End(AppendCondition(dst, c), m)
}

// AppendActionGet appends a get as the next Action of an open RegionAction.
func AppendActionGet(dst []byte, index uint32, g *Get) []byte {
	dst, action := begin(dst, 3)
	dst = appendUint(dst, 1, uint64(index))
	dst, m := begin(dst, 3)
	return End(End(AppendGet(dst, g), m), action)
}

// AppendActionMutation appends a mutation as the next Action of an open
// RegionAction; see AppendMutation for cells.
func AppendActionMutation(dst []byte, index uint32, m *Mutation, cells []cell.Cell) []byte {
	dst, action := begin(dst, 3)
	dst = appendUint(dst, 1, uint64(index))
	dst, at := begin(dst, 2)
	return End(End(AppendMutation(dst, m, cells), at), action)
}

// AppendMultiNonceGroup appends MultiRequest.nonceGroup.
func AppendMultiNonceGroup(dst []byte, group uint64) []byte { return appendUint(dst, 2, group) }
