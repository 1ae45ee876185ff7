package rpc

// The cost of the transport: a stub Get that decodes its request and answers
// with one cell of 100 bytes. The client, in the same process, is a loop that
// writes prepared frames and counts bytes, so that most of what the processor
// does is the server's and the kernel's.

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

func stubGet() Method {
	requests := sync.Pool{New: func() any { return new(pb.GetRequest) }}
	value := make([]byte, 100)
	return Method{Handle: func(_ context.Context, c *Call, r *Reply) error {
		req := requests.Get().(*pb.GetRequest)
		defer requests.Put(req)
		if err := req.Decode(c.Param); err != nil {
			return err
		}
		out := cell.Cell{Row: req.Get.Row, Family: req.Get.Columns[0].Family, Qualifier: req.Get.Columns[0].Qualifiers[0], Value: value, Timestamp: 1, Type: cell.Put}
		r.Cells = wire.AppendCell(r.Cells, c.Client.Codec, &out)
		r.Message = pb.AppendGetResponse(r.Message, &pb.Result{CellCount: 1, HasCellCount: true})
		return nil
	}}
}

func BenchmarkGet(b *testing.B) {
	get := string(mustMarshal(&pbtest.GetRequest{
		Region: &pbtest.RegionSpecifier{Type: pbtest.RegionSpecifier_REGION_NAME.Enum(), Value: []byte("t1,,1700000000000.43ae7364b4a555b93267937f9bc49ec1.")},
		Get: &pbtest.Get{
			Row: []byte("user6284781860667377211"), MaxVersions: proto.Uint32(1), CacheBlocks: proto.Bool(true),
			Column: []*pbtest.Column{{Family: []byte("f"), Qualifier: [][]byte{[]byte("field0")}}},
		},
	}))
	for _, outstanding := range []int{1, 16} {
		b.Run(fmt.Sprint("outstanding=", outstanding), func(b *testing.B) {
			s := start(b, Config{InlineBudget: defaultInlineBudget}, Service{"Get": stubGet()})
			c := s.connect()
			batch := strings.Repeat(request(1, "Get", get, ""), outstanding)
			c.write(batch)
			if r := c.read(); r.cells == "" {
				b.Fatalf("%v", r)
			}
			for range outstanding - 1 {
				c.read()
			}
			c.write(request(1, "Get", get, ""))
			var head [4]byte
			if _, err := io.ReadFull(c, head[:]); err != nil {
				b.Fatal(err)
			}
			size := 4 + int(binary.BigEndian.Uint32(head[:]))
			in := make([]byte, size*outstanding)
			if _, err := io.ReadFull(c, in[:size-4]); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			before := processorTime(b)
			for i := 0; i < b.N; i += outstanding {
				c.write(batch)
				if _, err := io.ReadFull(c, in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what the process has used, in ns.
func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
