package measure

// Class is what kind of end an operation had.
type Class uint8

// The classes. Only OK counts as throughput.
const (
	OK Class = iota
	NotFound
	Timeout
	Refused // or closed
	Conflict
	Duplicate
	Overload
	WrongData
	Other
	classes
)

var classNames = [classes]string{"ok", "not-found", "timeout", "refused", "conflict", "duplicate", "overload", "wrong-data", "other"}

func (c Class) String() string { return classNames[c] }

// Status is YCSB's name for the class.
func (c Class) Status() string {
	switch c {
	case OK:
		return "OK"
	case NotFound:
		return "NOT_FOUND"
	case WrongData:
		return "UNEXPECTED_STATE"
	case Overload:
		return "SERVICE_UNAVAILABLE"
	}
	return "ERROR"
}
