package pb

// MultiRequest holds actions on many rows, grouped by region.
type MultiRequest struct {
	NonceGroup uint64
	// Condition is how clients before 2.4 guard the first region action.
	Condition    Condition
	HasCondition bool

	raw []byte
}

// Decode reads a MultiRequest message; the region actions are walked with
// RegionActions.
func (r *MultiRequest) Decode(b []byte) error {
	*r = MultiRequest{raw: b}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 2<<3 | varint:
			r.NonceGroup = p.u
		case 3<<3 | length:
			r.HasCondition = true
			if err := r.Condition.Decode(p.b); err != nil {
				return err
			}
		}
	}
	return p.done("MultiRequest")
}

// RegionActions walks the region actions.
func (r *MultiRequest) RegionActions() RegionActions { return RegionActions{p: parser{in: r.raw}} }

// RegionActions is an iterator over the region actions of a Multi.
type RegionActions struct {
	p   parser
	err error
}

// Next decodes the next region action; false at the end or on an error (Err).
func (it *RegionActions) Next(ra *RegionAction) bool {
	for it.err == nil && it.p.next() {
		if it.p.tag == 1<<3|length {
			it.err = ra.Decode(it.p.b)
			return it.err == nil
		}
	}
	if it.err == nil {
		it.err = it.p.done("MultiRequest")
	}
	return false
}

// Err is nil after a complete walk.
func (it *RegionActions) Err() error { return it.err }

// RegionAction holds the actions for one region.
type RegionAction struct {
	Region       Region
	Atomic       bool
	Condition    Condition
	HasCondition bool
	// Count is the number of actions.
	Count int

	raw []byte
}

// Decode reads a RegionAction message; the actions are walked with Actions.
func (ra *RegionAction) Decode(b []byte) error {
	*ra = RegionAction{raw: b}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			if err := ra.Region.Decode(p.b); err != nil {
				return err
			}
		case 2<<3 | varint:
			ra.Atomic = p.u != 0
		case 3<<3 | length:
			ra.Count++
		case 4<<3 | length:
			ra.HasCondition = true
			if err := ra.Condition.Decode(p.b); err != nil {
				return err
			}
		}
	}
	return p.done("RegionAction")
}

// Actions walks the actions.
func (ra *RegionAction) Actions() Actions { return Actions{p: parser{in: ra.raw}} }

// Actions is an iterator over the actions of a region action.
type Actions struct {
	p   parser
	err error
}

// Next decodes the next action; false at the end or on an error (Err).
func (it *Actions) Next(a *Action) bool {
	for it.err == nil && it.p.next() {
		if it.p.tag == 3<<3|length {
			it.err = a.Decode(it.p.b)
			return it.err == nil
		}
	}
	if it.err == nil {
		it.err = it.p.done("RegionAction")
	}
	return false
}

// Err is nil after a complete walk.
func (it *Actions) Err() error { return it.err }

// Action is one of: a mutation, a get, a coprocessor call. Only the part whose
// flag is set is meaningful.
type Action struct {
	Index       uint32
	HasIndex    bool
	Mutation    Mutation
	HasMutation bool
	Get         Get
	HasGet      bool
	Call        CoprocessorCall
	HasCall     bool
}

// Decode reads an Action message.
func (a *Action) Decode(b []byte) error {
	a.Index, a.HasIndex = 0, false
	a.HasMutation, a.HasGet, a.HasCall = false, false, false
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | varint:
			a.Index, a.HasIndex = uint32(p.u), true
		case 2<<3 | length:
			a.HasMutation = true
			if err := a.Mutation.Decode(p.b); err != nil {
				return err
			}
		case 3<<3 | length:
			a.HasGet = true
			if err := a.Get.Decode(p.b); err != nil {
				return err
			}
		case 4<<3 | length:
			a.HasCall = true
			if err := a.Call.Decode(p.b); err != nil {
				return err
			}
		}
	}
	return p.done("Action")
}

// BeginRegionActionResult opens the next RegionActionResult of a MultiResponse.
func BeginRegionActionResult(dst []byte) ([]byte, Mark) { return begin(dst, 1) }

// AppendMultiProcessed appends MultiResponse.processed.
func AppendMultiProcessed(dst []byte, processed bool) []byte { return appendBool(dst, 2, processed) }

// AppendRegionException appends the exception of an open RegionActionResult,
// which then must have no results.
func AppendRegionException(dst []byte, class, text string) []byte {
	return appendNamedText(dst, 2, class, text)
}

// AppendRegionProcessed appends the outcome of an open RegionActionResult: only
// for atomic and conditional ones, since clients then ignore its results.
func AppendRegionProcessed(dst []byte, processed bool) []byte { return appendBool(dst, 3, processed) }

// BeginResultOrException opens the next ResultOrException of an open
// RegionActionResult.
func BeginResultOrException(dst []byte, index uint32) ([]byte, Mark) {
	dst, m := begin(dst, 1)
	return appendUint(dst, 1, uint64(index)), m
}

// BeginActionResult opens the Result of an open ResultOrException.
func BeginActionResult(dst []byte) ([]byte, Mark) { return begin(dst, 2) }

// AppendActionResult appends a whole ResultOrException with a result.
func AppendActionResult(dst []byte, index uint32, r *Result) []byte {
	dst, roe := BeginResultOrException(dst, index)
	dst, m := BeginActionResult(dst)
	return End(End(AppendResult(dst, r), m), roe)
}

// AppendActionException appends a whole ResultOrException with an exception.
func AppendActionException(dst []byte, index uint32, class, text string) []byte {
	dst, roe := BeginResultOrException(dst, index)
	return End(appendNamedText(dst, 3, class, text), roe)
}

// AppendActionServiceResult appends a whole ResultOrException with the answer of
// a coprocessor call.
func AppendActionServiceResult(dst []byte, index uint32, class string, value []byte) []byte {
	dst, roe := BeginResultOrException(dst, index)
	dst, m := begin(dst, 4)
	return End(End(appendNamedText(dst, 1, class, value), m), roe)
}

// appendNamedText appends a NameBytesPair as a field.
func appendNamedText[T ~string | ~[]byte](dst []byte, field int, name string, value T) []byte {
	dst, m := begin(dst, field)
	dst = appendBytes(dst, 1, name)
	return End(appendBytes(dst, 2, value), m)
}
