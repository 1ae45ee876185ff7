package pb

import "google.golang.org/protobuf/encoding/protowire"

// ScanResponse describes the answer to a scan call, but for inline results.
// MoreInRegion is always sent.
type ScanResponse struct {
	// CellsPerResult and PartialPerResult have an entry for each result in the
	// cell block.
	CellsPerResult   []uint32
	PartialPerResult []bool
	ScannerID        uint64
	HasScannerID     bool
	MoreResults      bool
	HasMoreResults   bool
	TTL              uint32
	HasTTL           bool
	Stale            bool
	HasStale         bool
	MoreInRegion     bool
	Heartbeat        bool
	Metrics          []Metric
	HasMetrics       bool
	ReadPoint        uint64
	HasReadPoint     bool
	Cursor           []byte // row; nil: no cursor
}

// Metric is a NameInt64Pair of the scan metrics.
type Metric struct {
	Name  string
	Value int64
}

// Reset clears r and keeps its slices' capacity.
func (r *ScanResponse) Reset() {
	*r = ScanResponse{
		CellsPerResult:   reuse(r.CellsPerResult),
		PartialPerResult: reuse(r.PartialPerResult),
		Metrics:          reuse(r.Metrics),
	}
}

// AppendScanResponse appends a ScanResponse message. The two per-result lists go
// unpacked: that is the form of HBase's schema, and old clients read no other.
func AppendScanResponse(dst []byte, r *ScanResponse) []byte {
	for _, n := range r.CellsPerResult {
		dst = appendUint(dst, 1, uint64(n))
	}
	if r.HasScannerID {
		dst = appendUint(dst, 2, r.ScannerID)
	}
	if r.HasMoreResults {
		dst = appendBool(dst, 3, r.MoreResults)
	}
	if r.HasTTL {
		dst = appendUint(dst, 4, uint64(r.TTL))
	}
	if r.HasStale {
		dst = appendBool(dst, 6, r.Stale)
	}
	for _, p := range r.PartialPerResult {
		dst = appendBool(dst, 7, p)
	}
	dst = appendBool(dst, 8, r.MoreInRegion)
	if r.Heartbeat {
		dst = appendBool(dst, 9, true)
	}
	if r.HasMetrics {
		var all, one Mark
		dst, all = begin(dst, 10)
		for i := range r.Metrics {
			dst, one = begin(dst, 1)
			dst = appendBytes(dst, 1, r.Metrics[i].Name)
			dst = End(appendUint(dst, 2, uint64(r.Metrics[i].Value)), one)
		}
		dst = End(dst, all)
	}
	if r.HasReadPoint {
		dst = appendUint(dst, 11, r.ReadPoint)
	}
	if r.Cursor != nil {
		dst = protowire.AppendVarint(append(dst, 12<<3|length), uint64(sizeBytes(len(r.Cursor))))
		dst = appendBytes(dst, 1, r.Cursor)
	}
	return dst
}

// BeginScanResult opens the next inline Result of a ScanResponse. They may stand
// before or after what AppendScanResponse appends.
func BeginScanResult(dst []byte) ([]byte, Mark) { return begin(dst, 5) }

// EndScanResult closes an inline Result.
func EndScanResult(dst []byte, m Mark, partial bool) []byte {
	if partial {
		dst = appendBool(dst, 5, true)
	}
	return End(dst, m)
}
