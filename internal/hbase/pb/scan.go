package pb

// ScanRequest opens a scanner, reads from one, or closes one.
type ScanRequest struct {
	Region            Region
	HasRegion         bool
	Scan              Scan
	HasScan           bool
	ScannerID         uint64
	HasScannerID      bool
	NumberOfRows      uint32
	HasNumberOfRows   bool
	CloseScanner      bool
	NextCallSeq       uint64
	HasNextCallSeq    bool
	HandlesPartials   bool
	HandlesHeartbeats bool
	TrackMetrics      bool
	Renew             bool
	LimitOfRows       uint32
	HasLimitOfRows    bool
}

// Decode reads a ScanRequest message.
func (r *ScanRequest) Decode(b []byte) error {
	*r = ScanRequest{Scan: r.Scan}
	var scan []byte
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			r.HasRegion = true
			if err := r.Region.Decode(p.b); err != nil {
				return err
			}
		case 2<<3 | length:
			scan, r.HasScan = p.b, true
		case 3<<3 | varint:
			r.ScannerID, r.HasScannerID = p.u, true
		case 4<<3 | varint:
			r.NumberOfRows, r.HasNumberOfRows = uint32(p.u), true
		case 5<<3 | varint:
			r.CloseScanner = p.u != 0
		case 6<<3 | varint:
			r.NextCallSeq, r.HasNextCallSeq = p.u, true
		case 7<<3 | varint:
			r.HandlesPartials = p.u != 0
		case 8<<3 | varint:
			r.HandlesHeartbeats = p.u != 0
		case 9<<3 | varint:
			r.TrackMetrics = p.u != 0
		case 10<<3 | varint:
			r.Renew = p.u != 0
		case 11<<3 | varint:
			r.LimitOfRows, r.HasLimitOfRows = uint32(p.u), true
		}
	}
	if p.err != nil {
		return p.done("ScanRequest")
	}
	// An absent scan decodes as an empty one: no row of an earlier use stays.
	return r.Scan.Decode(scan)
}

// Read types of a scan.
const (
	ReadDefault = 0
	ReadStream  = 1
	ReadPread   = 2
)

// Scan is HBase's Scan.
type Scan struct {
	Columns          []Column
	Attributes       Attributes
	StartRow         []byte
	StopRow          []byte
	Filter           Named
	HasFilter        bool
	TimeRange        TimeRange
	HasTimeRange     bool
	MaxVersions      uint32 // 1 when absent
	CacheBlocks      bool   // true when absent
	BatchSize        uint32
	MaxResultSize    uint64
	HasMaxResultSize bool
	StoreLimit       uint32
	HasStoreLimit    bool
	StoreOffset      uint32
	LoadOnDemand     bool
	HasLoadOnDemand  bool
	Small            bool
	Reversed         bool
	Consistency      uint32
	Caching          uint32
	HasCaching       bool
	AllowPartials    bool
	FamilyTimeRanges []FamilyTimeRange
	ReadPoint        uint64
	IncludeStart     bool // true when absent
	HasIncludeStart  bool
	IncludeStop      bool
	HasIncludeStop   bool
	ReadType         uint32
	NeedCursor       bool
	QueryMetrics     bool
}

func (s *Scan) reset() {
	*s = Scan{
		Columns:          reuse(s.Columns),
		Attributes:       reuse(s.Attributes),
		FamilyTimeRanges: reuse(s.FamilyTimeRanges),
		TimeRange:        AllTime,
		MaxVersions:      1,
		CacheBlocks:      true,
		IncludeStart:     true,
	}
}

// Decode reads a Scan message.
func (s *Scan) Decode(b []byte) (err error) {
	s.reset()
	p := parser{in: b}
	for err == nil && p.next() {
		switch p.tag {
		case 1<<3 | length:
			s.Columns, err = addColumn(s.Columns, p.b)
		case 2<<3 | length:
			err = s.Attributes.add(p.b)
		case 3<<3 | length:
			s.StartRow = p.b
		case 4<<3 | length:
			s.StopRow = p.b
		case 5<<3 | length:
			s.HasFilter = true
			err = s.Filter.Decode(p.b)
		case 6<<3 | length:
			s.HasTimeRange = true
			err = s.TimeRange.Decode(p.b)
		case 7<<3 | varint:
			s.MaxVersions = uint32(p.u)
		case 8<<3 | varint:
			s.CacheBlocks = p.u != 0
		case 9<<3 | varint:
			s.BatchSize = uint32(p.u)
		case 10<<3 | varint:
			s.MaxResultSize, s.HasMaxResultSize = p.u, true
		case 11<<3 | varint:
			s.StoreLimit, s.HasStoreLimit = uint32(p.u), true
		case 12<<3 | varint:
			s.StoreOffset = uint32(p.u)
		case 13<<3 | varint:
			s.LoadOnDemand, s.HasLoadOnDemand = p.u != 0, true
		case 14<<3 | varint:
			s.Small = p.u != 0
		case 15<<3 | varint:
			s.Reversed = p.u != 0
		case 16<<3 | varint:
			s.Consistency = uint32(p.u)
		case 17<<3 | varint:
			s.Caching, s.HasCaching = uint32(p.u), true
		case 18<<3 | varint:
			s.AllowPartials = p.u != 0
		case 19<<3 | length:
			s.FamilyTimeRanges, err = addFamilyTimeRange(s.FamilyTimeRanges, p.b)
		case 20<<3 | varint:
			s.ReadPoint = p.u
		case 21<<3 | varint:
			s.IncludeStart, s.HasIncludeStart = p.u != 0, true
		case 22<<3 | varint:
			s.IncludeStop, s.HasIncludeStop = p.u != 0, true
		case 23<<3 | varint:
			s.ReadType = uint32(p.u)
		case 24<<3 | varint:
			s.NeedCursor = p.u != 0
		case 25<<3 | varint:
			s.QueryMetrics = p.u != 0
		}
	}
	if err != nil {
		return err
	}
	return p.done("Scan")
}
