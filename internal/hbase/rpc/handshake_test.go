package rpc

// The first bytes of a connection, well and badly said.

import (
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
	"github.com/basaltdb/basalt/internal/hbase/wire"
)

const simple = "HBas\x00\x50"

func TestOnePacket(t *testing.T) {
	c := start(t, Config{}, nil).dial()
	c.write(simple + header(javaHeader()) + request(1, "Echo", "a", "") + request(2, "Echo", "", "cells"))
	c.want(1, "a", "")
	if r := c.want(2, "", ""); r.cells != "cells" {
		t.Errorf("cells %q", r.cells)
	}
}

func TestByteByByte(t *testing.T) {
	c := start(t, Config{}, nil).dial()
	for _, b := range []byte(simple + header(javaHeader()) + request(7, "Echo", "slow", "")) {
		c.write(string([]byte{b}))
	}
	c.want(7, "slow", "")
}

func TestRegistryPreamble(t *testing.T) {
	c := start(t, Config{}, nil).dial()
	c.write("Regist")
	r := c.read()
	var m pbtest.GetConnectionRegistryResponse
	if err := proto.Unmarshal([]byte(r.message), &m); err != nil || m.GetClusterId() != "the-cluster" || r.GetCallId() != wire.NoCall {
		t.Errorf("%v, %v, %v", r, &m, err)
	}
	c.wantEnd()
}

func TestSecurityPreamble(t *testing.T) {
	c := start(t, Config{}, nil).dial()
	c.write("Securi")
	c.want(wire.NoCall, "", classSecurityNotEnabled)
	c.write(simple + header(javaHeader()) + request(1, "Echo", "a", ""))
	c.want(1, "a", "")
}

func TestKerberosFallsBack(t *testing.T) {
	for _, auth := range []string{"\x51", "\x52"} {
		c := start(t, Config{}, nil).dial()
		c.write("HBas\x00" + auth)
		b := make([]byte, 8)
		if _, err := io.ReadFull(c, b); err != nil || string(b) != "\x00\x00\x00\x00\xff\xff\xff\xa8" {
			t.Fatalf("% x, %v", b, err)
		}
		c.write(framed([]byte("token")) + header(javaHeader()) + request(1, "Echo", "a", ""))
		c.want(1, "a", "")
	}
}

func TestRefusedConnections(t *testing.T) {
	s := start(t, Config{}, nil)
	f := func(bytes, class, message string) {
		t.Helper()
		c := s.dial()
		c.write(bytes)
		r := c.want(wire.NoCall, "", class)
		if !strings.HasPrefix(r.GetException().GetStackTrace(), class+": "+message) {
			t.Errorf("%q", r.GetException().GetStackTrace())
		}
		c.wantEnd()
	}
	f("GET / HTTP/1.1\r\n\r\n", classFatalConnection, "Expected HEADER=HBas but received HEADER=GET /  from ")
	f("\x00\x01\xff\x80ab", classFatalConnection, `Expected HEADER=HBas but received HEADER=\x00\x01\xFF\x80ab`)
	f("HBas\x01\x50", classWrongVersion, "")
	f("HBas\x00\x07", classBadAuth, "")
	f(simple+"\xff\xff\xff\xff", classFatalConnection, "")
	f(simple+framed([]byte("\x0a\xff")), classFatalConnection, "")
	h := javaHeader()
	h.ServiceName = proto.String("NoService")
	f(simple+header(h), classUnknownService, "Unknown service: NoService")
	h.ServiceName = nil
	f(simple+header(h), classUnknownService, "")
	h = javaHeader()
	h.CellBlockCodecClass = proto.String("a.Codec")
	f(simple+header(h), classUnsupportedCodec, "Unsupported codec a.Codec")
	h = javaHeader()
	h.CellBlockCompressorClass = proto.String("a.Compressor")
	f(simple+header(h), classUnsupportedCompression, "")
}

// TestMuteClients is case E12: whoever does not finish its header is cut off in
// time, however slowly it goes on; a client that did stays.
func TestMuteClients(t *testing.T) {
	s := start(t, Config{HandshakeTimeout: 300 * time.Millisecond}, nil)
	control := s.connect()
	began := time.Now()
	mute, half, drip := s.dial(), s.dial(), s.dial()
	half.write("HB")
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for _, b := range []byte(simple + header(javaHeader())) {
			if _, err := drip.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	mute.wantEnd()
	half.wantEnd()
	drip.wantEnd()
	if d := time.Since(began); d < 250*time.Millisecond || d > 3*time.Second {
		t.Errorf("cut off after %v", d)
	}
	<-stop
	control.write(request(1, "Echo", "a", ""))
	control.want(1, "a", "")
}

func TestClientIsToldToHandlers(t *testing.T) {
	got := make(chan Client, 1)
	s := start(t, Config{}, Service{"Who": {Handle: noting(got)}})
	c := s.connect()
	c.write(request(1, "Who", "", ""))
	c.want(1, "", "")
	w := <-got
	if w.Service != "ClientService" || w.User != "ann" || w.Codec != KeyValueCodec || !w.AtLeast(2, 6) || w.AtLeast(2, 7) || w.Remote != c.LocalAddr().String() {
		t.Errorf("%+v", w)
	}
	bare := s.dial()
	bare.write(simple + header(&pbtest.ConnectionHeader{ServiceName: proto.String("ClientService")}) + request(1, "Who", "", ""))
	bare.want(1, "", "")
	if w := <-got; w.Codec != NoCodec || w.HasVersion || w.AtLeast(0, 1) || w.User != "" {
		t.Errorf("%+v", w)
	}
}

func TestMaxConnections(t *testing.T) {
	s := start(t, Config{MaxConnections: 2}, nil)
	a, b := s.connect(), s.connect()
	for i, c := range []*client{a, b} {
		c.write(request(uint32(i), "Echo", "", ""))
		c.want(uint32(i), "", "")
	}
	s.dial().wantEnd()
	if n := s.Stats().Refused; n != 1 {
		t.Errorf("%d refused", n)
	}
	a.Close()
	eventually(t, "a place is free", func() bool { return s.Stats().Connections == 1 })
	d := s.connect()
	d.write(request(1, "Echo", "d", ""))
	d.want(1, "d", "")
}
