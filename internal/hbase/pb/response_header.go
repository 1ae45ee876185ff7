package pb

// ResponseHeader goes before every response.
type ResponseHeader struct {
	CallID          uint32
	HasException    bool
	Exception       Exception
	CellBlockLength uint32
}

// Decode reads a ResponseHeader message. The exception owns its strings.
func (h *ResponseHeader) Decode(b []byte) error {
	*h = ResponseHeader{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | varint:
			h.CallID = uint32(p.u)
		case 2<<3 | length:
			h.HasException = true
			if err := h.Exception.Decode(p.b); err != nil {
				return err
			}
		case 3<<3 | length:
			meta := parser{in: p.b}
			for meta.next() {
				if meta.tag == 1<<3|varint {
					h.CellBlockLength = uint32(meta.u)
				}
			}
			if meta.err != nil {
				return meta.done("CellBlockMeta")
			}
		}
	}
	return p.done("ResponseHeader")
}

// Decode reads an ExceptionResponse message. e owns its strings.
func (e *Exception) Decode(b []byte) error {
	*e = Exception{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			e.Class = string(p.b)
		case 2<<3 | length:
			e.StackTrace = string(p.b)
		case 3<<3 | length:
			e.Hostname = string(p.b)
		case 4<<3 | varint:
			e.Port = int32(p.u)
		case 5<<3 | varint:
			e.DoNotRetry = p.u != 0
		case 6<<3 | varint:
			e.ServerOverloaded = p.u != 0
		}
	}
	return p.done("ExceptionResponse")
}
