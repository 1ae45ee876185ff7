package pb

// AppendGetRequest appends a whole GetRequest for the region of that name.
func AppendGetRequest(dst, region []byte, g *Get) []byte {
	dst = appendRegion(dst, region)
	dst, m := begin(dst, 2)
	return End(AppendGet(dst, g), m)
}

// AppendGet appends a Get message. What has the value that absence means is left
// out.
func AppendGet(dst []byte, g *Get) []byte {
	dst = appendBytes(dst, 1, g.Row)
	dst = appendColumns(dst, 2, g.Columns)
	dst = appendAttributes(dst, 3, g.Attributes)
	if g.HasFilter {
		dst = appendNamed(dst, 4, &g.Filter)
	}
	if g.HasTimeRange {
		dst = appendTimeRange(dst, 5, g.TimeRange)
	}
	if g.MaxVersions != 1 {
		dst = appendUint(dst, 6, uint64(g.MaxVersions))
	}
	if !g.CacheBlocks {
		dst = appendBool(dst, 7, false)
	}
	if g.HasStoreLimit {
		dst = appendUint(dst, 8, uint64(g.StoreLimit))
	}
	if g.StoreOffset != 0 {
		dst = appendUint(dst, 9, uint64(g.StoreOffset))
	}
	if g.ExistenceOnly {
		dst = appendBool(dst, 10, true)
	}
	if g.ClosestRowBefore {
		dst = appendBool(dst, 11, true)
	}
	if g.Consistency != 0 {
		dst = appendUint(dst, 12, uint64(g.Consistency))
	}
	for i := range g.FamilyTimeRanges {
		dst = appendFamilyTimeRange(append(dst, 13<<3|length), &g.FamilyTimeRanges[i])
	}
	if g.HasLoadOnDemand {
		dst = appendBool(dst, 14, g.LoadOnDemand)
	}
	if g.QueryMetrics {
		dst = appendBool(dst, 15, true)
	}
	return dst
}
