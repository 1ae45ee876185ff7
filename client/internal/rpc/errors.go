package rpc

import (
	"errors"
	"fmt"

	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// ErrClosed: the connection or the pool was closed by its owner.
var ErrClosed = errors.New("rpc: closed")

// ErrTimeout: a call's deadline passed.
var ErrTimeout = errors.New("rpc: call timed out")

// ErrMalformed: the server sent what is no response.
var ErrMalformed = errors.New("rpc: malformed response")

// Exception is a server's answer that a call failed.
type Exception struct{ pb.Exception }

func (e *Exception) Error() string { return e.Class + ": " + e.StackTrace }

// CallError is any other end of a call. Its cause is ErrTimeout, ErrClosed,
// ErrMalformed, the context's error, or what the network said.
type CallError struct {
	// Sent: the request may have reached the server, and may have been done.
	Sent bool
	// Server is the address.
	Server string
	Err    error
}

func (e *CallError) Error() string { return fmt.Sprintf("server %s: %v", e.Server, e.Err) }

func (e *CallError) Unwrap() error { return e.Err }
