package rpc

import (
	"context"
	"fmt"
	"time"

	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/kv"
)

// Client is what a connection said of itself in its header. Immutable.
type Client struct {
	Service string // simple name, e.g. ClientService
	User    string
	Remote  string
	// Codec is NoCodec when the client takes no cell blocks.
	Codec CodecKind
	// Version of the client library, 0.0 when it did not say.
	VersionMajor, VersionMinor int
	HasVersion                 bool
}

// AtLeast tells whether the client said that it is of this version or newer.
func (c *Client) AtLeast(major, minor int) bool {
	return c.HasVersion && (c.VersionMajor > major || c.VersionMajor == major && c.VersionMinor >= minor)
}

// CodecKind is the cell block codec that a client asked for: what wire's cell
// functions take.
type CodecKind = wire.Codec

const (
	NoCodec               = wire.NoCodec
	KeyValueCodec         = wire.KeyValueCodec
	KeyValueCodecWithTags = wire.KeyValueCodecWithTags
	CellCodec             = wire.CellCodec
)

// Call is one request. Param and Cells are valid until the reply is finished.
type Call struct {
	Client   *Client
	Method   string
	Param    []byte // the request message, undecoded
	Cells    []byte // the cell block, decompressed; nil without one
	Received time.Time
	// Deadline is zero when the client set none.
	Deadline time.Time
	Priority uint32
}

// Reply collects one answer. A handler appends its response message to Message
// (it may stay empty: an empty message is a legal answer) and cells, encoded
// with the client's codec and uncompressed, to Cells. Both are reused buffers.
type Reply struct {
	Message []byte
	Cells   []byte
	// Mark holds the reply back until the engine's log is synced up to it.
	Mark kv.Mark
}

// Handler answers one method. Returning an error sends an exception and drops
// what was put into the reply (but not its Mark: an error may show state too).
// ctx ends with the connection, not with the call's Deadline, which is there for
// whoever waits for something.
type Handler func(ctx context.Context, c *Call, r *Reply) error

// Method is a registered handler.
type Method struct {
	Handle Handler
	// Blocking says that the call may take long (a procedure, a wait): the
	// connection goes on reading and other calls overtake it. Without it the
	// call runs in the connection's reading goroutine, within a time budget.
	Blocking bool
	// MayBlock, when not nil, decides it call by call, cheaply.
	MayBlock func(c *Call) bool
}

// Service is the methods of one HBase service, by exact name.
type Service map[string]Method

// Error is an exception for the client.
type Error struct {
	Class      string // Java class name; must exist in hbase-client
	Message    string
	DoNotRetry bool
	// Hostname and Port go only with RegionMovedException.
	Hostname string
	Port     int32
	// Overloaded sets server_overloaded.
	Overloaded bool
	// Fatal closes the connection after the exception.
	Fatal bool
	Cause error
}

func (e *Error) Error() string { return e.Class + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an exception that is not retried.
func Errorf(class, format string, args ...any) *Error {
	return &Error{Class: class, Message: fmt.Sprintf(format, args...), DoNotRetry: true}
}

// Retryf makes an exception that the client may retry.
func Retryf(class, format string, args ...any) *Error {
	return &Error{Class: class, Message: fmt.Sprintf(format, args...)}
}
