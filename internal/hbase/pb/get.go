package pb

// GetRequest asks one region for one row.
type GetRequest struct {
	Region Region
	Get    Get
}

// Decode reads a GetRequest message.
func (r *GetRequest) Decode(b []byte) error {
	r.Region = Region{}
	var get []byte
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			if err := r.Region.Decode(p.b); err != nil {
				return err
			}
		case 2<<3 | length:
			get = p.b
		}
	}
	if p.err != nil {
		return p.done("GetRequest")
	}
	if get == nil {
		return missing("GetRequest", "get")
	}
	return r.Get.Decode(get)
}

// Get is HBase's Get.
type Get struct {
	Row              []byte
	Columns          []Column
	Attributes       Attributes
	Filter           Named
	HasFilter        bool
	TimeRange        TimeRange
	HasTimeRange     bool
	MaxVersions      uint32 // 1 when absent
	CacheBlocks      bool   // true when absent
	StoreLimit       uint32
	HasStoreLimit    bool
	StoreOffset      uint32
	ExistenceOnly    bool
	ClosestRowBefore bool
	Consistency      uint32
	FamilyTimeRanges []FamilyTimeRange
	LoadOnDemand     bool
	HasLoadOnDemand  bool
	QueryMetrics     bool
}

func (g *Get) reset() {
	*g = Get{
		Columns:          reuse(g.Columns),
		Attributes:       reuse(g.Attributes),
		FamilyTimeRanges: reuse(g.FamilyTimeRanges),
		TimeRange:        AllTime,
		MaxVersions:      1,
		CacheBlocks:      true,
	}
}

// Decode reads a Get message.
func (g *Get) Decode(b []byte) (err error) {
	g.reset()
	p := parser{in: b}
	for err == nil && p.next() {
		switch p.tag {
		case 1<<3 | length:
			g.Row = p.b
		case 2<<3 | length:
			g.Columns, err = addColumn(g.Columns, p.b)
		case 3<<3 | length:
			err = g.Attributes.add(p.b)
		case 4<<3 | length:
			g.HasFilter = true
			err = g.Filter.Decode(p.b)
		case 5<<3 | length:
			g.HasTimeRange = true
			err = g.TimeRange.Decode(p.b)
		case 6<<3 | varint:
			g.MaxVersions = uint32(p.u)
		case 7<<3 | varint:
			g.CacheBlocks = p.u != 0
		case 8<<3 | varint:
			g.StoreLimit, g.HasStoreLimit = uint32(p.u), true
		case 9<<3 | varint:
			g.StoreOffset = uint32(p.u)
		case 10<<3 | varint:
			g.ExistenceOnly = p.u != 0
		case 11<<3 | varint:
			g.ClosestRowBefore = p.u != 0
		case 12<<3 | varint:
			g.Consistency = uint32(p.u)
		case 13<<3 | length:
			g.FamilyTimeRanges, err = addFamilyTimeRange(g.FamilyTimeRanges, p.b)
		case 14<<3 | varint:
			g.LoadOnDemand, g.HasLoadOnDemand = p.u != 0, true
		case 15<<3 | varint:
			g.QueryMetrics = p.u != 0
		}
	}
	if err != nil {
		return err
	}
	return p.done("Get")
}
