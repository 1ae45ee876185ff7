package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/sample"
)

// Field is a named value. The value is valid until its Session's next call.
type Field struct {
	Name  string
	Value []byte
}

// Row is a key and its fields, in the database's order.
type Row struct {
	Key    []byte
	Fields []Field
}

// Bytes is the size of the values.
func (r *Row) Bytes() (n int64) {
	for _, f := range r.Fields {
		n += int64(len(f.Value))
	}
	return n
}

// Session is one worker's connection.
type Session interface {
	// Read fills row with the named fields of a row, or with all for nil. A row
	// that is not there is an Error of class NotFound.
	Read(ctx context.Context, key []byte, fields []string, row *Row) error
	// Scan visits up to n rows from start on. The row passed is reused.
	Scan(ctx context.Context, start []byte, n int, fields []string, visit func(*Row) error) error
	// Update sets fields of a row that exists.
	Update(ctx context.Context, key []byte, fields []Field) error
	// Insert adds a row.
	Insert(ctx context.Context, key []byte, fields []Field) error
	// Delete deletes a row.
	Delete(ctx context.Context, key []byte) error
	// Close writes what is buffered and ends the session.
	Close() error
}

// Flusher is a Session that buffers writes; Flush sends them and waits. Buffered
// is false when this one does not.
type Flusher interface {
	Buffered() bool
	Flush(ctx context.Context) error
}

// Batcher is a Session that can insert many rows by one call.
type Batcher interface {
	InsertBatch(ctx context.Context, rows []Row) error
}

// Schema describes a table.
type Schema struct {
	Table  string
	Family string // of HBase
	Fields []string
	// FieldBytes is the longest value of a field.
	FieldBytes int
	Splits     []string
}

// Store is a database with one table of interest.
type Store interface {
	// Open connects a worker.
	Open(ctx context.Context, worker int) (Session, error)
	// Create makes the table. One that exists with the same schema is fine, with
	// another one it is a *SchemaError.
	Create(ctx context.Context, s Schema) error
	// Drop deletes the table; one that is not there is fine.
	Drop(ctx context.Context) error
	// Info tells what it is and how it is set, for the report.
	Info(ctx context.Context) map[string]string
	// Counters tell what travelled since the start; nil if it does not know.
	Counters() map[string]int64
	// Sources are what can be sampled of the server without being told more.
	Sources() []sample.Source
	Classify(error) (measure.Class, string)
	Close() error
}

// Config is how to talk to a database.
type Config struct {
	Table, Family string
	Fields        []string
	Connections   int
	MaxBatches    int // in flight, of HBase; 0 is no bound
	MaxBatchesPer int // and server
	ScanStyle     string
	Durability    string
	Buffering     bool
	BufferBytes   int
	PageFilter    bool
	// ValueFilter, if its operator is set, is what every row of a scan must match.
	ValueFilterOp, ValueFilter string

	// Of MySQL.
	AllColumns   bool   // select all, whatever is asked for
	SQLStyle     string // jdbc or goycsb
	FetchSize    int
	AutoCommit   bool
	RewriteBatch bool
	Unprepared   bool
}

// SchemaError tells that a table exists with another schema.
type SchemaError struct{ Table, Difference string }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("table %s exists with another schema: %s; use another -table, or --drop to delete it first", e.Table, e.Difference)
}

// Error is a failure whose class is known.
type Error struct {
	Class measure.Class
	Code  string
	Text  string
}

func (e *Error) Error() string { return e.Text }

// ErrNotFound is what reading a row that is not there returns.
var ErrNotFound = &Error{measure.NotFound, "", "no such row"}

// Wrong is an error of class WrongData.
func Wrong(format string, args ...any) error {
	return &Error{measure.WrongData, "", fmt.Sprintf(format, args...)}
}

// Classify knows the errors of this package and those of contexts; ok is false for
// others.
func Classify(err error) (class measure.Class, code string, ok bool) {
	var own *Error
	switch {
	case errors.As(err, &own):
		return own.Class, own.Code, true
	case errors.Is(err, context.DeadlineExceeded):
		return measure.Timeout, "", true
	}
	return 0, "", false
}
