package pb

// RegionResults walks the RegionActionResults of a MultiResponse, which stand in
// the order of the request's region actions.
type RegionResults struct {
	p   parser
	err error
}

// NewRegionResults starts at the first one.
func NewRegionResults(multiResponse []byte) RegionResults {
	return RegionResults{p: parser{in: multiResponse}}
}

// Next decodes the next one; false at the end or on an error (Err).
func (it *RegionResults) Next(r *RegionResult) bool {
	for it.err == nil && it.p.next() {
		if it.p.tag == 1<<3|length {
			it.err = r.Decode(it.p.b)
			return it.err == nil
		}
	}
	if it.err == nil {
		it.err = it.p.done("MultiResponse")
	}
	return false
}

// Err is nil after a complete walk.
func (it *RegionResults) Err() error { return it.err }

// RegionResult is a RegionActionResult: an exception for the whole region, or a
// result for each action.
type RegionResult struct {
	Exception    NamedText
	HasException bool
	Processed    bool
	HasProcessed bool

	raw []byte
}

// NamedText is an exception inside a MultiResponse: its class, and its text. The
// strings are copies.
type NamedText struct {
	Name, Text string
}

func (n *NamedText) decode(b []byte) error {
	var a Attribute
	err := a.decode(b)
	n.Name, n.Text = string(a.Name), string(a.Value)
	return err
}

// Decode reads a RegionActionResult message; its results are walked with
// Actions.
func (r *RegionResult) Decode(b []byte) error {
	*r = RegionResult{raw: b}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 2<<3 | length:
			r.HasException = true
			if err := r.Exception.decode(p.b); err != nil {
				return err
			}
		case 3<<3 | varint:
			r.Processed, r.HasProcessed = p.u != 0, true
		}
	}
	return p.done("RegionActionResult")
}

// Actions walks the results of single actions.
func (r *RegionResult) Actions() ActionResults { return ActionResults{p: parser{in: r.raw}} }

// ActionResults is an iterator over the results of a region's actions.
type ActionResults struct {
	p   parser
	err error
}

// Next decodes the next result; false at the end or on an error (Err).
func (it *ActionResults) Next(r *ActionResult) bool {
	for it.err == nil && it.p.next() {
		if it.p.tag == 1<<3|length {
			it.err = r.Decode(it.p.b)
			return it.err == nil
		}
	}
	if it.err == nil {
		it.err = it.p.done("RegionActionResult")
	}
	return false
}

// Err is nil after a complete walk.
func (it *ActionResults) Err() error { return it.err }

// ActionResult is a ResultOrException.
type ActionResult struct {
	Index        uint32
	Result       Result
	HasResult    bool
	Exception    NamedText
	HasException bool
}

// Decode reads a ResultOrException message.
func (r *ActionResult) Decode(b []byte) error {
	*r = ActionResult{Result: Result{Cells: reuse(r.Result.Cells)}}
	p := parser{in: b}
	for p.next() {
		var err error
		switch p.tag {
		case 1<<3 | varint:
			r.Index = uint32(p.u)
		case 2<<3 | length:
			r.HasResult = true
			err = r.Result.Decode(p.b)
		case 3<<3 | length:
			r.HasException = true
			err = r.Exception.decode(p.b)
		}
		if err != nil {
			return err
		}
	}
	return p.done("ResultOrException")
}
