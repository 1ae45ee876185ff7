package admin

import (
	"context"
	"errors"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
)

// Exception classes. All of them are in hbase-client, so that every client can
// make one of the name.
const (
	classDoNotRetry        = "org.apache.hadoop.hbase.DoNotRetryIOException"
	classIO                = "java.io.IOException"
	classTableExists       = "org.apache.hadoop.hbase.TableExistsException"
	classTableNotFound     = "org.apache.hadoop.hbase.TableNotFoundException"
	classTableNotDisabled  = "org.apache.hadoop.hbase.TableNotDisabledException"
	classTableNotEnabled   = "org.apache.hadoop.hbase.TableNotEnabledException"
	classInvalidFamily     = "org.apache.hadoop.hbase.InvalidFamilyOperationException"
	classNoFamily          = "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException"
	classNamespaceExists   = "org.apache.hadoop.hbase.NamespaceExistException"
	classNamespaceNotFound = "org.apache.hadoop.hbase.NamespaceNotFoundException"
	classUnknownRegion     = "org.apache.hadoop.hbase.UnknownRegionException"
	classNotServing        = "org.apache.hadoop.hbase.NotServingRegionException"
	classRegionTooBusy     = "org.apache.hadoop.hbase.RegionTooBusyException"
	classMergeRegion       = "org.apache.hadoop.hbase.exceptions.MergeRegionException"
	classNoSnapshot        = "org.apache.hadoop.hbase.snapshot.SnapshotDoesNotExistException"
)

// translate makes an exception of an error. Where HBase's text depends on the
// call, the call's handler has made the exception already.
//
// HBase names constraint.ConstraintException for reserved and non-empty
// namespaces, and IllegalArgumentException here and there. Clients cannot load
// either, so both become what they then see: a DoNotRetryIOException.
func translate(err error) *rpc.Error {
	e := exception(err)
	if e.Cause == nil && error(e) != err {
		e.Cause = err
	}
	return e
}

func exception(err error) *rpc.Error {
	if e, ok := errors.AsType[*rpc.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*catalog.ExistsError](err); ok {
		return rpc.Errorf(classTableExists, "%s", e.Table)
	}
	if e, ok := errors.AsType[*catalog.NotFoundError](err); ok {
		return rpc.Errorf(classTableNotFound, "%s", e.Table)
	}
	if e, ok := errors.AsType[*catalog.NotDisabledError](err); ok {
		return rpc.Errorf(classTableNotDisabled, "%s", e.Table)
	}
	if e, ok := errors.AsType[*catalog.NotEnabledError](err); ok {
		return rpc.Errorf(classTableNotEnabled, "%s", e.Table)
	}
	if e, ok := errors.AsType[*catalog.FamilyError](err); ok {
		return rpc.Errorf(classInvalidFamily, "%s", e.Text)
	}
	if e, ok := errors.AsType[*catalog.NamespaceExistsError](err); ok {
		return rpc.Errorf(classNamespaceExists, "%s", e)
	}
	if e, ok := errors.AsType[*catalog.NamespaceNotFoundError](err); ok {
		return rpc.Errorf(classNamespaceNotFound, "%s", e.Name)
	}
	if e, ok := errors.AsType[*catalog.RegionNotFoundError](err); ok {
		return rpc.Errorf(classUnknownRegion, "%s", e.Name)
	}
	if e, ok := errors.AsType[*catalog.MergeError](err); ok {
		return rpc.Errorf(classMergeRegion, "%s", e.Text)
	}
	if isRefusal(err) {
		return rpc.Errorf(classDoNotRetry, "%s", err)
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, kv.ErrUnavailable), errors.Is(err, kv.ErrClosed):
		return rpc.Retryf(classIO, "%s", err)
	}
	return rpc.Errorf(classDoNotRetry, "internal error: %s", err)
}

// isRefusal tells whether an error's text is written for the user.
func isRefusal(err error) bool {
	var (
		schema     *catalog.SchemaError
		argument   *catalog.ArgumentError
		constraint *catalog.ConstraintError
		system     *catalog.SystemTableError
	)
	return errors.As(err, &schema) || errors.As(err, &argument) || errors.As(err, &constraint) || errors.As(err, &system)
}
