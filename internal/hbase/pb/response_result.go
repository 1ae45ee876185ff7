package pb

import "github.com/basaltdb/basalt/internal/wide/cell"

// Decode reads a Result message. Inline cells alias b; the slice that holds them
// is r's own and is used again.
func (r *Result) Decode(b []byte) error {
	*r = Result{Cells: reuse(r.Cells)}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			r.Cells = grow(r.Cells)
			if err := decodeCell(p.b, &r.Cells[len(r.Cells)-1]); err != nil {
				return err
			}
		case 2<<3 | varint:
			r.CellCount, r.HasCellCount = int32(p.u), true
		case 3<<3 | varint:
			r.Exists, r.HasExists = p.u != 0, true
		case 4<<3 | varint:
			r.Stale = p.u != 0
		case 5<<3 | varint:
			r.Partial = p.u != 0
		}
	}
	return p.done("Result")
}

// decodeCell reads a Cell message.
func decodeCell(b []byte, c *cell.Cell) error {
	*c = cell.Cell{Type: cell.Put}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			c.Row = p.b
		case 2<<3 | length:
			c.Family = p.b
		case 3<<3 | length:
			c.Qualifier = p.b
		case 4<<3 | varint:
			c.Timestamp = int64(p.u)
		case 5<<3 | varint:
			c.Type = cell.Type(p.u)
		case 6<<3 | length:
			c.Value = p.b
		case 7<<3 | length:
			c.Tags = p.b
		}
	}
	return p.done("Cell")
}

// DecodeGetResponse reads a GetResponse; without a result r is an empty one.
func DecodeGetResponse(b []byte, r *Result) error {
	var m MutateResponse
	m.Result.Cells = r.Cells
	err := m.Decode(b)
	*r = m.Result
	return err
}

// MutateResponse answers a MutateRequest.
type MutateResponse struct {
	Result       Result
	HasResult    bool
	Processed    bool
	HasProcessed bool
}

// Decode reads a MutateResponse message, of which a GetResponse is the first
// field.
func (m *MutateResponse) Decode(b []byte) error {
	*m = MutateResponse{Result: Result{Cells: reuse(m.Result.Cells)}}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			m.HasResult = true
			if err := m.Result.Decode(p.b); err != nil {
				return err
			}
		case 2<<3 | varint:
			m.Processed, m.HasProcessed = p.u != 0, true
		}
	}
	return p.done("MutateResponse")
}
