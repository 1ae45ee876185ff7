package hbase

import (
	"reflect"
	"strings"
	"testing"
)

func serviceCall(region message, service, method string, request message) message {
	return message{}.bytes(1, region).bytes(2, message{}.str(1, "r").str(2, service).str(3, method).bytes(4, request))
}

func TestMutateRows(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("old", "q", "1")
	mutateRows := func(request message) fields {
		t.Helper()
		resp, _ := f.ok("ExecService", serviceCall(f.region("t", ""), "MultiRowMutationService", "MutateRows", request), nil)
		if !resp.has(1) {
			t.Error("an answer without the region")
		}
		return parse(t, resp.msg(t, 2).bytes(2))
	}
	del := message{}.str(1, "old").num(2, 3)
	if resp := mutateRows(message{}.bytes(1, putProto("a", "f", "q", "1")).bytes(1, putProto("b", "g", "q", "2")).bytes(1, del)); !resp.flag(1) {
		t.Errorf("answer: %v", resp)
	}
	for row, want := range map[string][]string{"a": {"a/f:q=1"}, "b": {"b/g:q=2"}, "old": {}} {
		if got := f.row(row); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", row, got, want)
		}
	}
	both := message{}.bytes(1, putProto("c", "f", "q", "1")).bytes(5, condition("a", "q", 2, "1"))
	if resp := mutateRows(both.bytes(5, condition("b", "q", 2, "2"))); resp.flag(1) || !resp.has(1) {
		t.Error("one of two conditions does not hold, and yet it is processed")
	}
	if got := f.row("c"); len(got) != 0 {
		t.Errorf("c: %v", got)
	}
	// One bad mutation and nothing happens.
	f.fails("NoSuchColumnFamilyException", "ExecService", serviceCall(f.region("t", ""), "MultiRowMutationService", "MutateRows",
		message{}.bytes(1, putProto("d", "f", "q", "1")).bytes(1, putProto("e", "x", "q", "1"))), nil)
	if got := f.row("d"); len(got) != 0 {
		t.Errorf("d: %v", got)
	}
}

func TestUnsupported(t *testing.T) {
	f := newFixture(t, Limits{})
	e := f.fails("UnknownProtocolException", "ExecService", serviceCall(f.region("t", ""), "MyService", "Do", nil), nil)
	if !strings.HasPrefix(e.Message, "No registered coprocessor service found for MyService in region t,,") {
		t.Errorf("unknown coprocessor: %q", e.Message)
	}
	f.fails("UnknownProtocolException", "ExecRegionServerService", serviceCall(f.region("t", ""), "MyService", "Do", nil), nil)
	for _, method := range []string{"BulkLoadHFile", "PrepareBulkLoad", "CleanupBulkLoad"} {
		if e := f.fails("DoNotRetryIOException", method, message{}, nil); !strings.Contains(e.Message, method) {
			t.Errorf("%s: %q does not name it", method, e.Message)
		}
	}
	// In a batch a coprocessor call fails alone.
	results, _, _ := f.multi(message{}.bytes(1, message{}.bytes(1, f.region("t", "")).
		bytes(3, action(0, 4, message{}.str(1, "r").str(2, "MyService").str(3, "Do"))).
		bytes(3, action(1, 2, putProto("r", "f", "q", "v")))), nil)
	if got := results[0].roes; got[0].class != "UnknownProtocolException" || got[1].result == nil {
		t.Errorf("batch: %+v", got)
	}
}
