package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/basaltdb/basalt/client/internal/rpc"
)

// reaction is what to do about a failed attempt.
type reaction struct {
	// retry: another attempt may succeed.
	retry bool
	// relocate: the region is not, or may not be, where the cache says.
	relocate bool
	// serverGone: the server is about to end, or to begin; what is open to it is
	// of no more use.
	serverGone bool
	// scannerLost: the scanner is gone; a new one may go on where it was.
	scannerLost bool
	pause       pause
}

// pause is how long to wait before the next attempt.
type pause uint8

const (
	pauseNone pause = iota
	pauseNormal
	pauseOverloaded
)

// classes are the exceptions that steer retries, by their names without the
// package. What is not here is retried unless the server says otherwise.
var classes = map[string]reaction{
	"NotServingRegionException": {retry: true, relocate: true, pause: pauseNormal},
	"RegionMovedException":      {retry: true, relocate: true, pause: pauseNormal},
	"RegionOfflineException":    {retry: true, relocate: true, pause: pauseNormal},
	"WrongRegionException":      {retry: true, relocate: true, pause: pauseNormal},
	"RegionOpeningException":    {retry: true, pause: pauseNormal},

	"RegionTooBusyException":       {retry: true, pause: pauseNormal},
	"RpcThrottlingException":       {retry: true, pause: pauseNormal},
	"PleaseHoldException":          {retry: true, pause: pauseNormal},
	"MasterNotRunningException":    {retry: true, relocate: true, pause: pauseNormal},
	"CallQueueTooBigException":     {retry: true, pause: pauseOverloaded},
	"CallDroppedException":         {retry: true, pause: pauseOverloaded},
	"RetryImmediatelyException":    {retry: true},
	"MultiActionResultTooLarge":    {retry: true},
	"RegionServerStoppedException": {retry: true, relocate: true, serverGone: true, pause: pauseNormal},
	"RegionServerAbortedException": {retry: true, relocate: true, serverGone: true, pause: pauseNormal},
	"ServerNotRunningYetException": {retry: true, relocate: true, serverGone: true, pause: pauseNormal},
	"FailedServerException":        {retry: true, relocate: true, pause: pauseNormal},
	"MasterStoppedException":       {retry: true, relocate: true, pause: pauseNormal},
	"NotActiveMasterException":     {retry: true, relocate: true, pause: pauseNormal},

	// Scanner faults are do-not-retry for the call, not for the scan.
	"UnknownScannerException":        {scannerLost: true},
	"OutOfOrderScannerNextException": {scannerLost: true},
	"ScannerResetException":          {scannerLost: true},
	"LeaseException":                 {scannerLost: true},

	"DoNotRetryIOException":           {},
	"NoSuchColumnFamilyException":     {},
	"FailedSanityCheckException":      {},
	"TableNotFoundException":          {},
	"TableExistsException":            {},
	"TableNotDisabledException":       {},
	"TableNotEnabledException":        {},
	"InvalidFamilyOperationException": {},
	"NamespaceExistException":         {},
	"NamespaceNotFoundException":      {},
	"RowTooBigException":              {},
	"UnknownRegionException":          {},
	"AccessDeniedException":           {},
	"UnknownProtocolException":        {},
	"RequestTooBigException":          {},
	"UnsupportedOperationException":   {},
	"ConstraintException":             {},
	"CorruptHFileException":           {},
	"InvalidQuotaSettingsException":   {},
}

// react decides by the class of an exception, or by what ended the call.
func react(err error) reaction {
	var remote *RemoteError
	if errors.As(err, &remote) {
		r, known := classes[remote.SimpleClass()]
		switch {
		case known && (r.retry || r.scannerLost):
			if remote.overloaded {
				r.pause = pauseOverloaded
			}
			return r
		case known || remote.DoNotRetry || strings.HasPrefix(remote.Class, "java.lang."):
			return reaction{}
		}
		r = reaction{retry: true, pause: pauseNormal}
		if remote.overloaded {
			r.pause = pauseOverloaded
		}
		return r
	}
	switch {
	case errors.Is(err, ErrTimeout), errors.Is(err, context.Canceled), errors.Is(err, ErrClosed), errors.Is(err, ErrInvalid), errors.Is(err, ErrTableNotFound):
		return reaction{}
	case errors.Is(err, rpc.ErrMalformed), errors.Is(err, errMalformed):
		return reaction{}
	case errors.Is(err, rpc.ErrTimeout):
		return reaction{retry: true, relocate: true}
	}
	var call *rpc.CallError
	if errors.As(err, &call) || errors.Is(err, ErrUnavailable) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNREFUSED) {
		return reaction{retry: true, relocate: true, pause: pauseNormal}
	}
	return reaction{}
}

// maybeDone tells whether a failed attempt may have been carried out: it was
// sent, and what came back, if anything, does not say that it was refused.
func maybeDone(err error) bool {
	var call *rpc.CallError
	return errors.As(err, &call) && call.Sent
}
