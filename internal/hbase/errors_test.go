package hbase

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// knownErrors has every error of the layers below that has a meaning, and what
// a client is told.
var knownErrors = map[string]struct {
	err   error
	class string
	retry bool
}{
	"wide.ErrRetired":       {wide.ErrRetired, "NotServingRegionException", true},
	"wide.ErrNotServing":    {wide.ErrNotServing, "NotServingRegionException", true},
	"wide.ErrReadOnly":      {wide.ErrReadOnly, "DoNotRetryIOException", false},
	"wide.ErrScannerClosed": {wide.ErrScannerClosed, "UnknownScannerException", false},
	"wide.ErrRowLock":       {wide.ErrRowLock, "IOException", true},

	"wide.NoFamilyError":           {&wide.NoFamilyError{Family: []byte("x"), Table: "t"}, "NoSuchColumnFamilyException", false},
	"wide.WrongRegionError":        {&wide.WrongRegionError{Row: []byte("r")}, "WrongRegionException", true},
	"wide.ArgumentError":           {&wide.ArgumentError{Text: "no"}, "DoNotRetryIOException", false},
	"wide.RowTooBigError":          {&wide.RowTooBigError{Row: []byte("r"), Limit: 1}, "RowTooBigException", false},
	"wide.CellTooBigError":         {&wide.CellTooBigError{Bytes: 2, Limit: 1}, "DoNotRetryIOException", false},
	"wide.IncompatibleFilterError": {&wide.IncompatibleFilterError{}, "DoNotRetryIOException", false},
	"wide.NotALongError":           {&wide.NotALongError{Width: 3}, "DoNotRetryIOException", false},

	"filter.UnknownError":   {&filter.UnknownError{Class: "x"}, "DoNotRetryIOException", false},
	"filter.MalformedError": {&filter.MalformedError{Class: "x"}, "DoNotRetryIOException", false},
	"filter.EvalError":      {&filter.EvalError{Class: "x"}, "DoNotRetryIOException", false},

	"kv.ErrConflict":     {kv.ErrConflict, "RegionTooBusyException", true},
	"kv.ErrLocked":       {kv.ErrLocked, "RegionTooBusyException", true},
	"kv.ErrLockTimeout":  {kv.ErrLockTimeout, "IOException", true},
	"kv.ErrDeadlock":     {kv.ErrDeadlock, "RegionTooBusyException", true},
	"kv.ErrTxnTooLarge":  {kv.ErrTxnTooLarge, "DoNotRetryIOException", false},
	"kv.ErrTxnTooOld":    {kv.ErrTxnTooOld, "RegionTooBusyException", true},
	"kv.ErrTooLarge":     {kv.ErrTooLarge, "DoNotRetryIOException", false},
	"kv.ErrUnavailable":  {kv.ErrUnavailable, "RegionTooBusyException", true},
	"kv.ErrUndetermined": {kv.ErrUndetermined, "DoNotRetryIOException", false},
	"kv.ErrCorrupt":      {kv.ErrCorrupt, "DoNotRetryIOException", false},
	"kv.ErrClosed":       {kv.ErrClosed, "RegionServerStoppedException", true},
	// What follows never comes out of a read or a write of rows.
	"kv.ErrNotFound":    {kv.ErrNotFound, "IOException", true},
	"kv.ErrTxnOver":     {kv.ErrTxnOver, "IOException", true},
	"kv.ErrUnsupported": {kv.ErrUnsupported, "IOException", true},
	"kv.ErrNewerFormat": {kv.ErrNewerFormat, "IOException", true},
	"kv.ErrInUse":       {kv.ErrInUse, "IOException", true},

	"context.DeadlineExceeded": {context.DeadlineExceeded, "TimeoutIOException", true},
	"context.Canceled":         {context.Canceled, "RegionServerStoppedException", true},
}

func TestErrorTable(t *testing.T) {
	f := newFixture(t, Limits{})
	region := f.catalog.View().Tables[catalog.ParseTableName("t")].Regions[0]
	for name, known := range knownErrors {
		for _, r := range []*catalog.Region{region, nil} {
			for _, err := range []error{known.err, fmt.Errorf("doing this: %w", known.err)} {
				e := f.exception(err, r, opGet)
				if simple(e.Class) != known.class || e.DoNotRetry == known.retry || e.Message == "" || !errors.Is(e, known.err) {
					t.Errorf("%s is %+v, want a %s, to be retried: %v", name, e, known.class, known.retry)
				}
			}
		}
	}
	own := rpc.Errorf(classDoNotRetry, "x")
	if e := f.exception(fmt.Errorf("doing this: %w", own), region, opGet); e != own {
		t.Errorf("an exception becomes another: %v", e)
	}
	e := f.exception(&wide.NoFamilyError{Family: []byte("x"), Table: "t"}, region, opGet)
	if want := "Column family x does not exist in region " + catalog.DisplayBytes(region.Name) + " in table t"; e.Message != want {
		t.Errorf("unknown family: %q, want %q", e.Message, want)
	}
	e = f.exception(wide.ErrNotServing, region, opGet)
	if want := catalog.DisplayBytes(region.Name) + " is not online on localhost,16020,"; !strings.HasPrefix(e.Message, want) {
		t.Errorf("region not served: %q, want %q...", e.Message, want)
	}
}

// Whoever adds an error to a layer below decides here what a client is told.
func TestErrorTableIsComplete(t *testing.T) {
	for name, file := range map[string]string{"kv": "../kv/errors.go", "wide": "../wide/errors.go", "filter": "../wide/filter/errors.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				var names []*ast.Ident
				switch s := spec.(type) {
				case *ast.ValueSpec:
					names = s.Names
				case *ast.TypeSpec:
					names = []*ast.Ident{s.Name}
				}
				for _, n := range names {
					if _, ok := knownErrors[name+"."+n.Name]; n.IsExported() && !ok {
						t.Errorf("%s.%s is not in the table", name, n.Name)
					}
				}
			}
		}
	}
}
