package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
)

func TestPreambles(t *testing.T) {
	f := func(s string, want Preamble) {
		t.Helper()
		if got := ParsePreamble([6]byte([]byte(s))); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
	f("HBas\x00\x50", Preamble{PreambleConnection, 0, AuthSimple})
	f("HBas\x01\x51", Preamble{PreambleConnection, 1, AuthKerberos})
	f("Regist", Preamble{Kind: PreambleRegistry})
	f("Securi", Preamble{Kind: PreambleSecurity})
	f("GET / ", Preamble{})
}

// request builds a frame without its length.
func request(h *pbtest.RequestHeader, param, cells []byte) []byte {
	b, err := proto.Marshal(h)
	if err != nil {
		panic(err)
	}
	b = protowire.AppendBytes(nil, b)
	if h.GetRequestParam() {
		b = protowire.AppendBytes(b, param)
	}
	return append(b, cells...)
}

func TestParseRequest(t *testing.T) {
	frame := request(&pbtest.RequestHeader{
		CallId: proto.Uint32(7), MethodName: proto.String("Get"), RequestParam: proto.Bool(true),
		CellBlockMeta: &pbtest.CellBlockMeta{Length: proto.Uint32(3)},
	}, []byte("param"), []byte("abc"))
	var h pb.RequestHeader
	param, cells, err := ParseRequest(frame, &h)
	if err != nil || string(param) != "param" || string(cells) != "abc" || string(h.Method) != "Get" || h.CallID != 7 {
		t.Fatalf("%q, %q, %+v, %v", param, cells, h, err)
	}
	for i := range frame {
		if _, _, err := ParseRequest(frame[:i], &h); err == nil || !errors.Is(err, ErrMalformed) && !errors.Is(err, pb.ErrMalformed) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if !ParseRequestHeader(frame[:25], &h) || h.CallID != 7 || ParseRequestHeader(frame[:5], &h) {
		t.Error("the header of a frame's front")
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add(request(&pbtest.RequestHeader{CallId: proto.Uint32(1), MethodName: proto.String("Scan"), RequestParam: proto.Bool(true)}, []byte("p"), []byte("c")))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, frame []byte) {
		var h pb.RequestHeader
		param, cells, err := ParseRequest(frame, &h)
		if err == nil && len(param)+len(cells) > len(frame) {
			t.Error("parts longer than the frame")
		}
	})
}

func TestAppendResponse(t *testing.T) {
	f := func(got []byte, want string) {
		t.Helper()
		if h := hex.EncodeToString(got); h != want {
			t.Errorf("%s, want %s", h, want)
		}
	}
	f(AppendResponse(nil, 5, nil, nil), "00000004"+"020805"+"00")
	f(AppendResponse(nil, 5, []byte("m"), []byte("cc")), "0000000b"+"0608051a020802"+"016d"+"6363")
	f(AppendMessageFrame(nil, []byte("m")), "00000009"+"0608ffffffff0f"+"016d")
	big := AppendResponse(nil, NoCall, make([]byte, 1<<21), make([]byte, 1<<21))
	if n := len(big) - 2<<21; n > 42 || int(binary.BigEndian.Uint32(big)) != len(big)-4 {
		t.Errorf("%d bytes of overhead", n)
	}
	e := AppendException([]byte("x"), 9, &pb.Exception{Class: "a.B", StackTrace: "a.B: no"})
	var h pbtest.ResponseHeader
	if err := proto.Unmarshal(e[6:], &h); err != nil || h.GetCallId() != 9 || h.GetException().GetStackTrace() != "a.B: no" {
		t.Errorf("%v, %v", &h, err)
	}
	if !bytes.HasPrefix(e, []byte("x\x00\x00\x00")) || int(e[4]) != len(e)-5 || int(e[5]) != len(e)-6 {
		t.Errorf("% x", e)
	}
}
