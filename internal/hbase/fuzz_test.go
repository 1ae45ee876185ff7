package hbase

import (
	"context"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// FuzzMethods sends anything to every method: the answer is a message or an
// exception.
func FuzzMethods(f *testing.F) {
	var block []byte
	// The clock of every fixture is the same, and so is the region's name.
	region := newFixture(f, Limits{}).region("t", "")
	put := blockPut(&block, "r", "f", "1", "2")
	f.Add(uint8(0), []byte(message{}.bytes(1, region).bytes(2, getProto("r"))), []byte(nil))
	f.Add(uint8(1), []byte(message{}.bytes(1, region).bytes(2, put).bytes(3, condition("r", "q", 2, "v"))), block)
	f.Add(uint8(2), []byte(message{}.bytes(1, message{}.bytes(1, region).flag(2, true).
		bytes(3, message{}.bytes(2, put)).bytes(3, message{}.bytes(2, increment("r", "n", 1))).bytes(4, condition("r", "q", 2, "v")))), block)
	f.Add(uint8(2), []byte(message{}.bytes(1, message{}.bytes(1, region).
		bytes(3, action(1, 2, put)).bytes(3, action(2, 3, getProto("r"))).bytes(3, action(3, 2, appendTo("r", "n", "x"))))), block)
	f.Add(uint8(3), []byte(message{}.bytes(1, region).bytes(2, message{}.str(3, "a").str(4, "z").flag(15, true)).num(4, 3).flag(7, true).flag(8, true)), []byte(nil))
	f.Add(uint8(4), []byte(message{}.bytes(1, region).bytes(2, message{}.str(1, "r").str(2, "MultiRowMutationService").str(3, "MutateRows").
		bytes(4, message{}.bytes(1, putProto("r", "f", "q", "v"))))), []byte(nil))
	f.Fuzz(func(t *testing.T, method uint8, param, cells []byte) {
		fx := newFixture(t, Limits{})
		name := []string{"Get", "Mutate", "Multi", "Scan", "ExecService", "ExecRegionServerService"}[method%6]
		m := fx.methods[name]
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		for _, client := range []*rpc.Client{java(), plainClient(), {Codec: rpc.CellCodec}} {
			c := &rpc.Call{Client: client, Method: name, Param: param, Cells: cells}
			if m.MayBlock != nil {
				m.MayBlock(c)
			}
			r := new(rpc.Reply)
			if err := m.Handle(ctx, c, r); err != nil {
				if e, ok := err.(*rpc.Error); !ok || e.Class == "" || e.Message == "" {
					t.Errorf("%s: %#v is no exception", name, err)
				}
				continue
			}
			parse(t, r.Message)
		}
	})
}
