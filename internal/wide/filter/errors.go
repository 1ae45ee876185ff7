package filter

import "fmt"

// UnknownError: the class is none of HBase's built-in filters or comparators.
type UnknownError struct{ Class string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("filter: class %.200q is not supported", e.Class)
}

// MalformedError: the serialized form of Class cannot be decoded, holds
// arguments that HBase refuses, or passes one of the Limits.
type MalformedError struct {
	Class string
	Text  string
}

func (e *MalformedError) Error() string {
	return fmt.Sprintf("filter: %s: %s", e.Class, e.Text)
}

// EvalError: a comparator could not judge a stored value. HBase fails the call
// with an exception then.
type EvalError struct {
	Class string
	Text  string
}

func (e *EvalError) Error() string {
	return fmt.Sprintf("filter: %s: %s", e.Class, e.Text)
}

func malformed(class, format string, args ...any) error {
	return &MalformedError{Class: class, Text: fmt.Sprintf(format, args...)}
}

// Err returns the first error that f met while judging cells, or nil. From then
// on what f answers is of no use: whoever reads asks after each row and fails
// the call.
func Err(f Filter) error {
	if e, ok := f.(interface{ Err() error }); ok {
		return e.Err()
	}
	return nil
}
