package hbase

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

func TestAggregate(t *testing.T) {
	f := newFixture(t, Limits{DefaultResultBytes: 200})
	for i, v := range []int64{3, -7, 20, 4} {
		row := fmt.Sprint("r", i)
		f.ok("Mutate", f.mutateParam(row, message{}.str(1, row).num(2, 2).bytes(3, message{}.str(1, "f").
			bytes(2, message{}.str(1, "long").bytes(2, binary.BigEndian.AppendUint64(nil, uint64(v)))).
			bytes(2, message{}.str(1, "double").bytes(2, binary.BigEndian.AppendUint64(nil, math.Float64bits(float64(v)/2)))).
			bytes(2, message{}.str(1, "text").str(2, "no number")))), nil)
	}
	call := func(method, interpreter, qualifier string) fields {
		t.Helper()
		scan := message{}.bytes(1, message{}.str(1, "f").str(2, qualifier))
		if qualifier == "" {
			scan = message{}.bytes(1, message{}.str(1, "f"))
		}
		resp, _ := f.ok("ExecService", serviceCall(f.region("t", ""), "AggregateService", method,
			message{}.str(1, classInterpreters+interpreter).bytes(2, scan)), nil)
		return parse(t, resp.msg(t, 2).bytes(2))
	}
	if got := binary.BigEndian.Uint64(call("GetRowNum", "LongColumnInterpreter", "").bytes(1)); got != 4 {
		t.Errorf("%d rows, want 4", got)
	}
	for method, want := range map[string][]int64{"GetMax": {20}, "GetMin": {-7}, "GetSum": {20}, "GetAvg": {20}, "GetStd": {20, 9 + 49 + 400 + 16}} {
		long, double := call(method, "LongColumnInterpreter", "long"), call(method, "DoubleColumnInterpreter", "double")
		for i, w := range want {
			scale := 2.0
			if i == 1 {
				scale = 4
			}
			if got := int64(parse(t, long[1][i].bytes).num(1)); got != w {
				t.Errorf("%s of longs, part %d: %d, want %d", method, i, got, w)
			}
			if got := math.Float64frombits(parse(t, double[1][i].bytes).num(1)); got != float64(w)/scale {
				t.Errorf("%s of doubles, part %d: %v, want %v", method, i, got, float64(w)/scale)
			}
		}
		if counted := method == "GetAvg" || method == "GetStd"; counted != long.has(2) || counted && binary.BigEndian.Uint64(long.bytes(2)) != 4 {
			t.Errorf("%s: rows %x", method, long.bytes(2))
		}
	}
	if got := call("GetMax", "LongColumnInterpreter", "text"); got.has(1) {
		t.Errorf("maximum of text: %v", got)
	}
	scan := message{}.bytes(1, message{}.str(1, "f"))
	for method, interpreter := range map[string]string{"GetMedian": "LongColumnInterpreter", "GetMax": "BigDecimalColumnInterpreter"} {
		f.fails("DoNotRetryIOException", "ExecService", serviceCall(f.region("t", ""), "AggregateService", method,
			message{}.str(1, classInterpreters+interpreter).bytes(2, scan)), nil)
	}
}
