package pb

import "google.golang.org/protobuf/encoding/protowire"

// Decode reads a ScanResponse message, but for inline results: walk those with
// ScanResults. The two lists may come packed. Metrics own their names; Cursor is
// a view of b.
func (r *ScanResponse) Decode(b []byte) error {
	r.Reset()
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | varint:
			r.CellsPerResult = append(r.CellsPerResult, uint32(p.u))
		case 1<<3 | length:
			for packed := p.b; len(packed) > 0; {
				v, n := protowire.ConsumeVarint(packed)
				if n < 0 {
					p.fail("bad packed varint")
					return p.done("ScanResponse")
				}
				r.CellsPerResult, packed = append(r.CellsPerResult, uint32(v)), packed[n:]
			}
		case 2<<3 | varint:
			r.ScannerID, r.HasScannerID = p.u, true
		case 3<<3 | varint:
			r.MoreResults, r.HasMoreResults = p.u != 0, true
		case 4<<3 | varint:
			r.TTL, r.HasTTL = uint32(p.u), true
		case 6<<3 | varint:
			r.Stale, r.HasStale = p.u != 0, true
		case 7<<3 | varint:
			r.PartialPerResult = append(r.PartialPerResult, p.u != 0)
		case 7<<3 | length:
			for _, v := range p.b {
				r.PartialPerResult = append(r.PartialPerResult, v != 0)
			}
		case 8<<3 | varint:
			r.MoreInRegion = p.u != 0
		case 9<<3 | varint:
			r.Heartbeat = p.u != 0
		case 10<<3 | length:
			r.HasMetrics = true
			if err := r.decodeMetrics(p.b); err != nil {
				return err
			}
		case 11<<3 | varint:
			r.ReadPoint, r.HasReadPoint = p.u, true
		case 12<<3 | length:
			cursor := parser{in: p.b}
			for cursor.next() {
				if cursor.tag == 1<<3|length {
					r.Cursor = cursor.b
				}
			}
			if cursor.err != nil {
				return cursor.done("Cursor")
			}
		}
	}
	return p.done("ScanResponse")
}

func (r *ScanResponse) decodeMetrics(b []byte) error {
	all := parser{in: b}
	for all.next() {
		if all.tag != 1<<3|length {
			continue
		}
		var m Metric
		one := parser{in: all.b}
		for one.next() {
			switch one.tag {
			case 1<<3 | length:
				m.Name = string(one.b)
			case 2<<3 | varint:
				m.Value = int64(one.u)
			}
		}
		if one.err != nil {
			return one.done("NameInt64Pair")
		}
		r.Metrics = append(r.Metrics, m)
	}
	return all.done("ScanMetrics")
}

// ScanResults walks the inline results of a ScanResponse.
type ScanResults struct {
	p   parser
	err error
}

// NewScanResults starts at the first one.
func NewScanResults(scanResponse []byte) ScanResults {
	return ScanResults{p: parser{in: scanResponse}}
}

// Next decodes the next result; false at the end or on an error (Err).
func (it *ScanResults) Next(r *Result) bool {
	for it.err == nil && it.p.next() {
		if it.p.tag == 5<<3|length {
			it.err = r.Decode(it.p.b)
			return it.err == nil
		}
	}
	if it.err == nil {
		it.err = it.p.done("ScanResponse")
	}
	return false
}

// Err is nil after a complete walk.
func (it *ScanResults) Err() error { return it.err }
