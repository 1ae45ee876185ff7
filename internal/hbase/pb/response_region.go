package pb

// Decode reads a RegionInfo message; its byte slices alias b.
func (r *RegionInfo) Decode(b []byte) error {
	*r = RegionInfo{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | varint:
			r.ID = p.u
		case 2<<3 | length:
			name := parser{in: p.b}
			for name.next() {
				switch name.tag {
				case 1<<3 | length:
					r.Namespace = name.b
				case 2<<3 | length:
					r.Qualifier = name.b
				}
			}
			if name.err != nil {
				return name.done("TableName")
			}
		case 3<<3 | length:
			r.StartKey = p.b
		case 4<<3 | length:
			r.EndKey = p.b
		case 5<<3 | varint:
			r.Offline = p.u != 0
		case 6<<3 | varint:
			r.Split = p.u != 0
		case 7<<3 | varint:
			r.Replica = int32(p.u)
		}
	}
	return p.done("RegionInfo")
}
