package wire

// UnsignedParam marks a parameter's type as unsigned.
const UnsignedParam = 0x80

// ParamType is the type of a parameter as its client bound it.
type ParamType struct {
	Type     Type
	Unsigned bool
}

// Execute is the head of a COM_STMT_EXECUTE.
type Execute struct {
	Statement uint32
	Cursor    byte
	rest      Cursor
}

// DecodeExecute takes apart, after the command byte:
//
//	statement4  cursor flags1  iterations4 (always 1)  and then the parameters
func DecodeExecute(b []byte) (Execute, error) {
	c := NewCursor(b)
	e := Execute{Statement: c.Uint32(), Cursor: c.Byte()}
	c.Uint32()
	e.rest = c
	return e, c.Err()
}

// Params is what a COM_STMT_EXECUTE binds.
type Params struct {
	// Bound tells that the types came along.
	Bound  bool
	nulls  []byte
	values Cursor
}

// Params takes apart what follows if the statement has count parameters, more
// than none:
//
//	NULL bitmap (count + 7) / 8  bound1
//	type1 flags1, for each parameter  (bound = 1)
//	values of the parameters that are neither NULL nor sent as long data
//
// Types that are not bound again stay: types has count elements, and is changed
// here when they come.
func (e *Execute) Params(types []ParamType) (p Params, err error) {
	c := e.rest
	p.nulls = c.Bytes((len(types) + 7) / 8)
	if p.Bound = c.Byte() == 1; p.Bound {
		b := c.Bytes(2 * len(types))
		for i := range b[:len(b)/2] {
			types[i] = ParamType{Type(b[2*i]), b[2*i+1]&UnsignedParam != 0}
		}
	}
	p.values = c
	return p, c.Err()
}

// Null tells whether parameter i is NULL.
func (p *Params) Null(i int) bool { return p.nulls[i/8]&(1<<(i%8)) != 0 }

// Values is where the values are taken from, in order.
func (p *Params) Values() *Cursor { return &p.values }
