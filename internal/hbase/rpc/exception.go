package rpc

import (
	"errors"
	"fmt"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
)

// Exceptions that the transport itself sends.
const (
	classDoNotRetry             = "org.apache.hadoop.hbase.DoNotRetryIOException"
	classIO                     = "java.io.IOException"
	classCallQueueTooBig        = "org.apache.hadoop.hbase.CallQueueTooBigException"
	classRequestTooBig          = "org.apache.hadoop.hbase.exceptions.RequestTooBigException"
	classFatalConnection        = "org.apache.hadoop.hbase.ipc.FatalConnectionException"
	classWrongVersion           = "org.apache.hadoop.hbase.ipc.WrongVersionException"
	classBadAuth                = "org.apache.hadoop.hbase.ipc.BadAuthException"
	classSecurityNotEnabled     = "org.apache.hadoop.hbase.ipc.SecurityNotEnabledException"
	classUnknownService         = "org.apache.hadoop.hbase.ipc.UnknownServiceException"
	classUnsupportedCodec       = "org.apache.hadoop.hbase.ipc.UnsupportedCellCodecException"
	classUnsupportedCompression = "org.apache.hadoop.hbase.ipc.UnsupportedCompressionCodecException"
)

// toError is the exception for an error of a handler. Handlers translate what
// they know; the rest is an IOException, which clients retry.
func toError(err error) (e *Error, known bool) {
	if errors.As(err, &e) {
		return e, true
	}
	return &Error{Class: classIO, Message: "internal error: " + err.Error(), Cause: err}, false
}

// appendError appends the response frame of an exception. Clients print the
// stack trace, search it, and show its first line as the message.
func appendError(dst []byte, callID uint32, e *Error, where string) []byte {
	return wire.AppendException(dst, callID, &pb.Exception{
		Class:            e.Class,
		StackTrace:       fmt.Sprintf("%s: %s\n\tat basalt.%s\n", e.Class, e.Message, where),
		Hostname:         e.Hostname,
		Port:             e.Port,
		DoNotRetry:       e.DoNotRetry,
		ServerOverloaded: e.Overloaded,
	})
}
