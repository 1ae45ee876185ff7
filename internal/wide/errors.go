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
