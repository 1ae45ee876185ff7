package hbase

import (
	"context"
	"fmt"
	"testing"

	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// benchmark calls one method over and over, with the buffers of a connection.
func (f *fixture) benchmark(b *testing.B, method string, param message, cells []byte) {
	b.Helper()
	c := &rpc.Call{Client: f.client, Method: method, Param: param, Cells: cells}
	var r rpc.Reply
	h := f.methods[method].Handle
	b.ReportAllocs()
	for b.Loop() {
		r.Message, r.Cells = r.Message[:0], r.Cells[:0]
		if err := h(context.Background(), c, &r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	f := newFixture(b, Limits{})
	for i := range 10 {
		f.put("r", fmt.Sprint("q", i), "0123456789")
	}
	f.benchmark(b, "Get", message{}.bytes(1, f.region("t", "r")).bytes(2, getProto("r")), nil)
}

func BenchmarkPut(b *testing.B) {
	f := newFixture(b, Limits{})
	f.benchmark(b, "Mutate", f.mutateParam("r", putProto("r", "f", "q", "v")), nil)
}

func BenchmarkMulti(b *testing.B) {
	for _, n := range []int{1, 100} {
		f := newFixture(b, Limits{})
		ra := message{}.bytes(1, f.region("t", ""))
		var block []byte
		for i := range n {
			ra = ra.bytes(3, action(uint64(i), 2, blockPut(&block, fmt.Sprint("r", i), "f", "v")))
		}
		b.Run(fmt.Sprint("puts=", n), func(b *testing.B) { f.benchmark(b, "Multi", message{}.bytes(1, ra), block) })
		gets := message{}.bytes(1, f.region("t", ""))
		for i := range n {
			gets = gets.bytes(3, action(uint64(i), 3, getProto(fmt.Sprint("r", i))))
		}
		b.Run(fmt.Sprint("gets=", n), func(b *testing.B) { f.benchmark(b, "Multi", message{}.bytes(1, gets), nil) })
	}
}

func BenchmarkScan(b *testing.B) {
	f := newFixture(b, Limits{})
	for i := range 100 {
		f.put(fmt.Sprintf("r%02d", i), "q", "0123456789")
	}
	f.benchmark(b, "Scan", f.open(message{}).num(4, 100).flag(5, true), nil)
}
