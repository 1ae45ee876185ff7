package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// Errors to test for with errors.Is. Operations wrap them in an *OpError, which
// tells the operation, the table and the row.
var (
	// ErrClosed: the client, scanner or mutator was closed.
	ErrClosed = errors.New("client: closed")
	// ErrTimeout: an operation's time was up before it succeeded. The error
	// also is context.DeadlineExceeded, and wraps the last failure.
	ErrTimeout = errors.New("client: timed out")
	// ErrUndetermined: whether the operation was done is not known, and doing it
	// again might do it twice.
	ErrUndetermined = errors.New("client: outcome unknown")
	// ErrInvalid: the request cannot be sent: an empty row, a mutation without
	// cells, a name that is too long.
	ErrInvalid = errors.New("client: invalid request")
	// ErrUnavailable: no registry, server or region could be found that answers.
	ErrUnavailable = errors.New("client: not available")

	ErrTableNotFound     = errors.New("client: table not found")
	ErrTableExists       = errors.New("client: table exists")
	ErrTableNotDisabled  = errors.New("client: table is not disabled")
	ErrTableNotEnabled   = errors.New("client: table is not enabled")
	ErrNoSuchFamily      = errors.New("client: no such column family")
	ErrNamespaceNotFound = errors.New("client: namespace not found")
	ErrNamespaceExists   = errors.New("client: namespace exists")
	ErrUnknownRegion     = errors.New("client: unknown region")
	ErrAccessDenied      = errors.New("client: access denied")
)

var errMalformed = errors.New("client: malformed response")

// sentinels maps exception classes, without their package, to errors.
var sentinels = map[string]error{
	"TableNotFoundException":          ErrTableNotFound,
	"TableExistsException":            ErrTableExists,
	"TableNotDisabledException":       ErrTableNotDisabled,
	"TableNotEnabledException":        ErrTableNotEnabled,
	"NoSuchColumnFamilyException":     ErrNoSuchFamily,
	"InvalidFamilyOperationException": ErrNoSuchFamily,
	"NamespaceNotFoundException":      ErrNamespaceNotFound,
	"NamespaceExistException":         ErrNamespaceExists,
	"UnknownRegionException":          ErrUnknownRegion,
	"AccessDeniedException":           ErrAccessDenied,
}

// RemoteError is an exception that a server answered with.
type RemoteError struct {
	// Class is the Java class, with its package.
	Class string
	// Message is the first line of what the server said, without the class.
	Message string
	// Trace is all that the server said.
	Trace string
	// Server is the HOST:PORT that answered.
	Server string
	// DoNotRetry: the server said that asking again is no use.
	DoNotRetry bool

	host       string // where a moved region went
	port       int32
	overloaded bool
}

func (e *RemoteError) Error() string {
	if e.Message == "" {
		return e.Class
	}
	return e.Class + ": " + e.Message
}

// Is matches the sentinel that stands for the class.
func (e *RemoteError) Is(target error) bool { return sentinels[e.SimpleClass()] == target }

// SimpleClass is the class without its package.
func (e *RemoteError) SimpleClass() string { return e.Class[strings.LastIndexByte(e.Class, '.')+1:] }

func remoteError(x *pb.Exception, server string) *RemoteError {
	return &RemoteError{
		Class: x.Class, Message: firstLine(x.Class, x.StackTrace), Trace: x.StackTrace, Server: server,
		DoNotRetry: x.DoNotRetry, host: x.Hostname, port: x.Port, overloaded: x.ServerOverloaded,
	}
}

func firstLine(class, text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimPrefix(line, class)
	return strings.TrimSpace(strings.TrimPrefix(line, ":"))
}

// OpError is how an operation failed.
type OpError struct {
	Op    string
	Table string
	Row   []byte // nil when the operation is not about one row
	// Attempts is how often it was tried.
	Attempts int
	Err      error
}

func (e *OpError) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Table != "" {
		fmt.Fprintf(&b, " %s", e.Table)
	}
	if e.Row != nil {
		fmt.Fprintf(&b, " row %.80q", e.Row)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (%d attempts)", e.Attempts)
	}
	return b.String() + ": " + e.Err.Error()
}

func (e *OpError) Unwrap() error { return e.Err }

// timeoutError is ErrTimeout with the failure that was the last.
type timeoutError struct{ last error }

func (e *timeoutError) Error() string {
	if e.last == nil {
		return ErrTimeout.Error()
	}
	return ErrTimeout.Error() + "; last: " + e.last.Error()
}

func (e *timeoutError) Is(target error) bool {
	return target == ErrTimeout || target == context.DeadlineExceeded
}

func (e *timeoutError) Timeout() bool { return true }

func (e *timeoutError) Unwrap() error { return e.last }

// undetermined marks an error after which the operation may have been done.
type undetermined struct{ err error }

func (e *undetermined) Error() string { return ErrUndetermined.Error() + ": " + e.err.Error() }

func (e *undetermined) Is(target error) bool { return target == ErrUndetermined }

func (e *undetermined) Unwrap() error { return e.err }

// fromRPC turns an error of a call into one of ours.
func fromRPC(err error, server string) error {
	var x *rpc.Exception
	if errors.As(err, &x) {
		return remoteError(&x.Exception, server)
	}
	return err
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}

// asRemote finds the exception in an error.
func asRemote(err error) (*RemoteError, bool) {
	var e *RemoteError
	ok := errors.As(err, &e)
	return e, ok
}
