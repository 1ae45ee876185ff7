package wide

import (
	"errors"
	"fmt"
)

// Errors that the door translates.
var (
	// ErrRetired: the table changed under the operation. Look the region up
	// again and retry.
	ErrRetired = errors.New("wide: table version was replaced")
	// ErrNotServing: the region's table is not enabled.
	ErrNotServing = errors.New("wide: region is not being served")
	// ErrReadOnly: the table is READONLY.
	ErrReadOnly = errors.New("wide: table is read-only")
	// ErrScannerClosed: Next after Close.
	ErrScannerClosed = errors.New("wide: scanner is closed")
	// ErrRowLock: the row's lock was not had in time.
	ErrRowLock = errors.New("wide: timed out waiting for a row lock")
)

// NoFamilyError: the table has no such family.
type NoFamilyError struct {
	Family []byte
	Table  string
}

func (e *NoFamilyError) Error() string {
	return fmt.Sprintf("Column family %s does not exist in table %s", e.Family, e.Table)
}

// WrongRegionError: the row lies outside the region.
type WrongRegionError struct {
	Row    []byte
	Region string
}

func (e *WrongRegionError) Error() string {
	return fmt.Sprintf("Requested row out of range for region %s, row=%q", e.Region, e.Row)
}

// ArgumentError is a request that can never work; the text is for the user.
type ArgumentError struct{ Text string }

func (e *ArgumentError) Error() string { return e.Text }

func argumentf(format string, args ...any) error {
	return &ArgumentError{fmt.Sprintf(format, args...)}
}

// RowTooBigError: one row gave more than a read may collect.
type RowTooBigError struct {
	Row   []byte
	Limit int64
}

func (e *RowTooBigError) Error() string {
	return fmt.Sprintf("row %q is larger than %d bytes", e.Row, e.Limit)
}

// CellTooBigError: a cell past the limit.
type CellTooBigError struct{ Bytes, Limit int }

func (e *CellTooBigError) Error() string {
	return fmt.Sprintf("Cell with size %d exceeds limit of %d bytes", e.Bytes, e.Limit)
}

// NotALongError: an increment met a value that is not 8 bytes wide.
type NotALongError struct{ Width int }

func (e *NotALongError) Error() string {
	return fmt.Sprintf("Field is not a long, it's %d bytes wide", e.Width)
}

// IncompatibleFilterError: a filter that judges whole rows met a row of at least
// as many cells as the scan wants in a result.
type IncompatibleFilterError struct{}

func (e *IncompatibleFilterError) Error() string {
	return "a filter whose hasFilterRow() is true is incompatible with a scan that must stop inside a row (batch)"
}
