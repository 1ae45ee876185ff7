package kv

import "errors"

// Errors that callers act on. Engines wrap them with %w and the operation.
var (
	// ErrNotFound: no such key.
	ErrNotFound = errors.New("kv: not found")
	// ErrConflict: another transaction changed what this one read or wrote.
	// Retry the whole transaction.
	ErrConflict = errors.New("kv: write conflict")
	// ErrLocked: the lock is held and the caller did not want to wait.
	ErrLocked = errors.New("kv: locked")
	// ErrLockTimeout: waited for a lock as long as allowed.
	ErrLockTimeout = errors.New("kv: lock wait timeout")
	// ErrDeadlock: this transaction was chosen to break a deadlock.
	ErrDeadlock = errors.New("kv: deadlock")
	// ErrTxnTooLarge and ErrTxnTooOld: past Limits.
	ErrTxnTooLarge = errors.New("kv: transaction too large")
	ErrTxnTooOld   = errors.New("kv: transaction too old")
	// ErrTooLarge: a key or value past Limits.
	ErrTooLarge = errors.New("kv: key or value too large")
	// ErrUnavailable: refused before anything happened (closing, disk full).
	ErrUnavailable = errors.New("kv: unavailable")
	// ErrUndetermined: it may or may not have happened. Never retry blindly.
	ErrUndetermined = errors.New("kv: outcome undetermined")
	// ErrCorrupt: stored bytes are damaged; the message names the key or file.
	ErrCorrupt = errors.New("kv: corrupt")
	// ErrTxnOver: the transaction was committed, rolled back, or failed.
	ErrTxnOver = errors.New("kv: transaction is over")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("kv: closed")
	// ErrUnsupported: an optional capability that this engine lacks.
	ErrUnsupported = errors.New("kv: not supported by this engine")
	// ErrNewerFormat: the data directory was written by a newer Basalt.
	ErrNewerFormat = errors.New("kv: data directory has a newer format")
	// ErrInUse: another process has the data directory open.
	ErrInUse = errors.New("kv: data directory is in use")
)
