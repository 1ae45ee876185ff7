package pb

// CoprocessorCall is a CoprocessorServiceCall.
type CoprocessorCall struct {
	Row     []byte
	Service []byte
	Method  []byte
	Request []byte
}

// Decode reads a CoprocessorServiceCall message.
func (c *CoprocessorCall) Decode(b []byte) error {
	*c = CoprocessorCall{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			c.Row = p.b
		case 2<<3 | length:
			c.Service = p.b
		case 3<<3 | length:
			c.Method = p.b
		case 4<<3 | length:
			c.Request = p.b
		}
	}
	return p.done("CoprocessorServiceCall")
}

// CoprocessorRequest is a CoprocessorServiceRequest.
type CoprocessorRequest struct {
	Region Region
	Call   CoprocessorCall
}

// Decode reads a CoprocessorServiceRequest message.
func (r *CoprocessorRequest) Decode(b []byte) error {
	*r = CoprocessorRequest{}
	p := parser{in: b}
	for p.next() {
		var err error
		switch p.tag {
		case 1<<3 | length:
			err = r.Region.Decode(p.b)
		case 2<<3 | length:
			err = r.Call.Decode(p.b)
		}
		if err != nil {
			return err
		}
	}
	return p.done("CoprocessorServiceRequest")
}

// AppendCoprocessorResponse appends a CoprocessorServiceResponse: the region by
// its name, and the answer with the Java class of its message.
func AppendCoprocessorResponse(dst, regionName []byte, class string, value []byte) []byte {
	dst, m := begin(dst, 1)
	dst = appendUint(dst, 1, RegionName)
	dst = End(appendBytes(dst, 2, regionName), m)
	return appendNamedText(dst, 2, class, value)
}

// MutateRowsRequest is the request of MultiRowMutationService: mutations on
// several rows of a region, done together.
type MutateRowsRequest struct {
	NonceGroup uint64
	Nonce      uint64
	Region     Region
	HasRegion  bool

	raw []byte
}

// Decode reads a MutateRowsRequest message; walk it with Mutations and
// Conditions.
func (r *MutateRowsRequest) Decode(b []byte) error {
	*r = MutateRowsRequest{raw: b}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 2<<3 | varint:
			r.NonceGroup = p.u
		case 3<<3 | varint:
			r.Nonce = p.u
		case 4<<3 | length:
			r.HasRegion = true
			if err := r.Region.Decode(p.b); err != nil {
				return err
			}
		}
	}
	return p.done("MutateRowsRequest")
}

// Mutations walks the mutations.
func (r *MutateRowsRequest) Mutations() Mutations { return Mutations{p: parser{in: r.raw}} }

// Conditions walks the conditions: all must hold.
func (r *MutateRowsRequest) Conditions() Conditions { return Conditions{p: parser{in: r.raw}} }

// Mutations is an iterator over the mutations of a MutateRowsRequest.
type Mutations struct {
	p   parser
	err error
}

// Next decodes the next mutation; false at the end or on an error (Err).
func (it *Mutations) Next(m *Mutation) bool {
	for it.err == nil && it.p.next() {
		if it.p.tag == 1<<3|length {
			it.err = m.Decode(it.p.b)
			return it.err == nil
		}
	}
	if it.err == nil {
		it.err = it.p.done("MutateRowsRequest")
	}
	return false
}

// Err is nil after a complete walk.
func (it *Mutations) Err() error { return it.err }

// Conditions is an iterator over the conditions of a MutateRowsRequest.
type Conditions struct {
	p   parser
	err error
}

// Next decodes the next condition; false at the end or on an error (Err).
func (it *Conditions) Next(c *Condition) bool {
	for it.err == nil && it.p.next() {
		if it.p.tag == 5<<3|length {
			it.err = c.Decode(it.p.b)
			return it.err == nil
		}
	}
	if it.err == nil {
		it.err = it.p.done("MutateRowsRequest")
	}
	return false
}

// Err is nil after a complete walk.
func (it *Conditions) Err() error { return it.err }

// AppendMutateRowsResponse appends a MutateRowsResponse message.
func AppendMutateRowsResponse(dst []byte, processed bool) []byte {
	return appendBool(dst, 1, processed)
}

// AggregateRequest is the request of AggregateService's methods.
type AggregateRequest struct {
	Interpreter     []byte // Java class of the column interpreter
	Scan            Scan
	HasScan         bool
	InterpreterData []byte
	HandlesPartials bool
}

// Decode reads an AggregateRequest message.
func (r *AggregateRequest) Decode(b []byte) error {
	*r = AggregateRequest{Scan: r.Scan}
	var scan []byte
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			r.Interpreter = p.b
		case 2<<3 | length:
			scan, r.HasScan = p.b, true
		case 3<<3 | length:
			r.InterpreterData = p.b
		case 4<<3 | varint:
			r.HandlesPartials = p.u != 0
		}
	}
	if p.err != nil {
		return p.done("AggregateRequest")
	}
	return r.Scan.Decode(scan)
}

// AggregateResponse is the answer of AggregateService's methods.
type AggregateResponse struct {
	FirstParts        [][]byte
	SecondPart        []byte
	HasSecondPart     bool
	NextChunkStartRow []byte // nil: the answer is complete
	WaitIntervalMS    uint64
}

// AppendAggregateResponse appends an AggregateResponse message.
func AppendAggregateResponse(dst []byte, r *AggregateResponse) []byte {
	for _, b := range r.FirstParts {
		dst = appendBytes(dst, 1, b)
	}
	if r.HasSecondPart {
		dst = appendBytes(dst, 2, r.SecondPart)
	}
	if r.NextChunkStartRow != nil {
		dst = appendBytes(dst, 3, r.NextChunkStartRow)
		dst = appendUint(dst, 4, r.WaitIntervalMS)
	}
	return dst
}
