package pb

// AppendScanRequest appends a whole ScanRequest.
func AppendScanRequest(dst []byte, r *ScanRequest) []byte {
	if r.HasRegion {
		dst = appendRegion(dst, r.Region.Value)
	}
	if r.HasScan {
		var m Mark
		dst, m = begin(dst, 2)
		dst = End(AppendScan(dst, &r.Scan), m)
	}
	if r.HasScannerID {
		dst = appendUint(dst, 3, r.ScannerID)
	}
	if r.HasNumberOfRows {
		dst = appendUint(dst, 4, uint64(r.NumberOfRows))
	}
	if r.CloseScanner {
		dst = appendBool(dst, 5, true)
	}
	if r.HasNextCallSeq {
		dst = appendUint(dst, 6, r.NextCallSeq)
	}
	if r.HandlesPartials {
		dst = appendBool(dst, 7, true)
	}
	if r.HandlesHeartbeats {
		dst = appendBool(dst, 8, true)
	}
	if r.TrackMetrics {
		dst = appendBool(dst, 9, true)
	}
	if r.Renew {
		dst = appendBool(dst, 10, true)
	}
	if r.HasLimitOfRows {
		dst = appendUint(dst, 11, uint64(r.LimitOfRows))
	}
	return dst
}

// AppendScan appends a Scan message. What has the value that absence means is
// left out, but for the flags that say which bounds are inclusive.
func AppendScan(dst []byte, s *Scan) []byte {
	dst = appendColumns(dst, 1, s.Columns)
	dst = appendAttributes(dst, 2, s.Attributes)
	if len(s.StartRow) > 0 {
		dst = appendBytes(dst, 3, s.StartRow)
	}
	if len(s.StopRow) > 0 {
		dst = appendBytes(dst, 4, s.StopRow)
	}
	if s.HasFilter {
		dst = appendNamed(dst, 5, &s.Filter)
	}
	if s.HasTimeRange {
		dst = appendTimeRange(dst, 6, s.TimeRange)
	}
	if s.MaxVersions != 1 {
		dst = appendUint(dst, 7, uint64(s.MaxVersions))
	}
	if !s.CacheBlocks {
		dst = appendBool(dst, 8, false)
	}
	if s.BatchSize != 0 {
		dst = appendUint(dst, 9, uint64(s.BatchSize))
	}
	if s.HasMaxResultSize {
		dst = appendUint(dst, 10, s.MaxResultSize)
	}
	if s.HasStoreLimit {
		dst = appendUint(dst, 11, uint64(s.StoreLimit))
	}
	if s.StoreOffset != 0 {
		dst = appendUint(dst, 12, uint64(s.StoreOffset))
	}
	if s.HasLoadOnDemand {
		dst = appendBool(dst, 13, s.LoadOnDemand)
	}
	if s.Small {
		dst = appendBool(dst, 14, true)
	}
	if s.Reversed {
		dst = appendBool(dst, 15, true)
	}
	if s.Consistency != 0 {
		dst = appendHighUint(dst, 16, uint64(s.Consistency))
	}
	if s.HasCaching {
		dst = appendHighUint(dst, 17, uint64(s.Caching))
	}
	if s.AllowPartials {
		dst = appendHighBool(dst, 18, true)
	}
	for i := range s.FamilyTimeRanges {
		dst = appendFamilyTimeRange(appendHighTag(dst, 19, length), &s.FamilyTimeRanges[i])
	}
	if s.ReadPoint != 0 {
		dst = appendHighUint(dst, 20, s.ReadPoint)
	}
	if s.HasIncludeStart {
		dst = appendHighBool(dst, 21, s.IncludeStart)
	}
	if s.HasIncludeStop {
		dst = appendHighBool(dst, 22, s.IncludeStop)
	}
	if s.ReadType != 0 {
		dst = appendHighUint(dst, 23, uint64(s.ReadType))
	}
	if s.NeedCursor {
		dst = appendHighBool(dst, 24, true)
	}
	if s.QueryMetrics {
		dst = appendHighBool(dst, 25, true)
	}
	return dst
}
