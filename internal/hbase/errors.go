package hbase

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// Java classes of the exceptions that this service sends. A client makes the
// object by this name, so that only classes of hbase-client and hbase-common
// will do.
const (
	classIO                  = "java.io.IOException"
	classDoNotRetry          = "org.apache.hadoop.hbase.DoNotRetryIOException"
	classNotServingRegion    = "org.apache.hadoop.hbase.NotServingRegionException"
	classRegionTooBusy       = "org.apache.hadoop.hbase.RegionTooBusyException"
	classUnknownScanner      = "org.apache.hadoop.hbase.UnknownScannerException"
	classCallQueueTooBig     = "org.apache.hadoop.hbase.CallQueueTooBigException"
	classMultiTooLarge       = "org.apache.hadoop.hbase.MultiActionResultTooLarge"
	classRowTooBig           = "org.apache.hadoop.hbase.client.RowTooBigException"
	classFailedSanity        = "org.apache.hadoop.hbase.exceptions.FailedSanityCheckException"
	classOutOfOrder          = "org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException"
	classScannerReset        = "org.apache.hadoop.hbase.exceptions.ScannerResetException"
	classTimeout             = "org.apache.hadoop.hbase.exceptions.TimeoutIOException"
	classUnknownProtocol     = "org.apache.hadoop.hbase.exceptions.UnknownProtocolException"
	classLease               = "org.apache.hadoop.hbase.regionserver.LeaseException"
	classNoSuchFamily        = "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException"
	classRegionServerStopped = "org.apache.hadoop.hbase.regionserver.RegionServerStoppedException"
	classWrongRegion         = "org.apache.hadoop.hbase.regionserver.WrongRegionException"
)

// operation is what a row was wanted for. HBase words a row outside its region
// differently for each, and reports it with different classes.
type operation uint8

const (
	opGet operation = iota
	opMutate
	opCheck
	opScan
)

func refuse(format string, args ...any) *rpc.Error {
	return rpc.Errorf(classDoNotRetry, format, args...)
}

// sentinels are the errors of the layers below that are one value.
var sentinels = []struct {
	err   error
	class string
	retry bool
	text  string // empty: the error's own
}{
	{wide.ErrReadOnly, classDoNotRetry, false, "region is read only"},
	{wide.ErrScannerClosed, classUnknownScanner, false, "scanner was closed"},
	{kv.ErrConflict, classRegionTooBusy, true, ""},
	{kv.ErrLocked, classRegionTooBusy, true, ""},
	{kv.ErrDeadlock, classRegionTooBusy, true, ""},
	{kv.ErrTxnTooLarge, classDoNotRetry, false, ""},
	{kv.ErrTxnTooOld, classRegionTooBusy, true, ""},
	{kv.ErrTooLarge, classDoNotRetry, false, ""},
	{kv.ErrUnavailable, classRegionTooBusy, true, ""},
	// It may have happened: what a client does again by itself could count twice.
	{kv.ErrUndetermined, classDoNotRetry, false, ""},
	{kv.ErrCorrupt, classDoNotRetry, false, ""},
	{kv.ErrClosed, classRegionServerStopped, true, "server is stopping"},
	{context.DeadlineExceeded, classTimeout, true, "the call's deadline has passed"},
	{context.Canceled, classRegionServerStopped, true, "call was cancelled"},
}

// exception turns an error of any layer into the exception that HBase would
// send. r is the region that the operation was for, or nil.
func (s *Service) exception(err error, r *catalog.Region, op operation) *rpc.Error {
	var known *rpc.Error
	if errors.As(err, &known) {
		return known
	}
	e := s.classify(err, r, op)
	e.Cause = err
	return e
}

func (s *Service) classify(err error, r *catalog.Region, op operation) *rpc.Error {
	var (
		family *wide.NoFamilyError
		region *wide.WrongRegionError
		arg    *wide.ArgumentError
		row    *wide.RowTooBigError
		cell   *wide.CellTooBigError
		long   *wide.NotALongError
		class  *filter.UnknownError
		form   *filter.MalformedError
		eval   *filter.EvalError
		batch  *wide.IncompatibleFilterError
	)
	switch {
	case errors.Is(err, wide.ErrRetired), errors.Is(err, wide.ErrNotServing):
		if r == nil {
			return rpc.Retryf(classNotServingRegion, "region is not online on %s", s.server)
		}
		return s.notServing(r.Name)
	case errors.As(err, &family):
		text := family.Error()
		if r != nil {
			text = fmt.Sprintf("Column family %s does not exist in region %s in table %s", family.Family, catalog.DisplayBytes(r.Name), family.Table)
		}
		return rpc.Errorf(classNoSuchFamily, "%s", text)
	case errors.As(err, &region):
		return wrongRegion(region, r, op)
	case errors.As(err, &arg):
		return refuse("%s", arg.Text)
	case errors.As(err, &row):
		return rpc.Errorf(classRowTooBig, "Max row size allowed: %d, but the row is bigger than that, the row info: %s",
			row.Limit, catalog.DisplayBytes(row.Row))
	case errors.As(err, &cell):
		return refuse("%s", cell.Error())
	case errors.As(err, &long):
		return refuse("%s", long.Error())
	case errors.As(err, &class):
		return refuse("%s", class.Error())
	case errors.As(err, &form):
		return refuse("%s", form.Error())
	case errors.As(err, &eval):
		return refuse("%s", eval.Error())
	case errors.As(err, &batch):
		// The class is no IOException: clients could not raise it themselves.
		return refuse("org.apache.hadoop.hbase.filter.IncompatibleFilterException: %s", batch.Error())
	case errors.Is(err, wide.ErrRowLock), errors.Is(err, kv.ErrLockTimeout):
		if r == nil {
			return rpc.Retryf(classIO, "Timed out waiting for lock for row")
		}
		return rpc.Retryf(classIO, "Timed out waiting for lock for row in region %s", r.Encoded)
	}
	for _, known := range sentinels {
		if !errors.Is(err, known.err) {
			continue
		}
		text := known.text
		if text == "" {
			text = err.Error()
		}
		if known.retry {
			return rpc.Retryf(known.class, "%s", text)
		}
		return rpc.Errorf(known.class, "%s", text)
	}
	s.unknown.report(s.log, err)
	return rpc.Retryf(classIO, "internal error: %v", err)
}

// wrongRegion is what HBase says to a row outside of the region. In a mutation
// it is a failed sanity check, which clients do not retry.
func wrongRegion(e *wide.WrongRegionError, r *catalog.Region, op operation) *rpc.Error {
	word := "Get"
	switch op {
	case opMutate:
		word = "batchMutate"
	case opCheck:
		word = "doCheckAndRowMutate"
	case opScan:
		word = "Scan"
	}
	text := e.Error()
	if r != nil {
		text = fmt.Sprintf("Requested row out of range for %s on HRegion %s, startKey='%s', getEndKey()='%s', row='%s'",
			word, catalog.DisplayBytes(r.Name), catalog.DisplayBytes(r.Start), catalog.DisplayBytes(r.End), catalog.DisplayBytes(e.Row))
	}
	if op == opMutate {
		return rpc.Errorf(classFailedSanity, "%s", text)
	}
	return rpc.Retryf(classWrongRegion, "%s", text)
}

// notServing is the answer for a region that is not here: the client forgets
// the location and looks again.
func (s *Service) notServing(name []byte) *rpc.Error {
	return rpc.Retryf(classNotServingRegion, "%s is not online on %s", catalog.DisplayBytes(name), s.server)
}

// failureLog reports errors that nobody expected, at most one a second: what
// breaks every call must not fill the disk too.
type failureLog struct {
	mu         sync.Mutex
	last       time.Time
	suppressed int
}

func (l *failureLog) report(log *slog.Logger, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Sub(l.last) < time.Second {
		l.suppressed++
		return
	}
	log.Error("unexpected error in a client's call", "error", err, "suppressed", l.suppressed)
	l.last, l.suppressed = now, 0
}
