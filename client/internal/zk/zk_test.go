package zk_test

// Znodes are read from the server's own ZooKeeper endpoint; a server that is
// silent, gone or lies costs an error and no goroutine.

import (
	"bytes"
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/basaltdb/basalt/basalttest"
	"github.com/basaltdb/basalt/client/internal/zk"
)

var dial = new(net.Dialer).DialContext

func TestRead(t *testing.T) {
	s := basalttest.Start(t)
	dead := "127.0.0.1:1"
	for range 5 {
		b, err := zk.Read(context.Background(), dial, []string{dead, s.ZooKeeper}, "/hbase/meta-region-server")
		if err != nil {
			t.Fatal(err)
		}
		if m, err := zk.Unwrap(b); err != nil || !bytes.Contains(m, []byte("127.0.0.1")) {
			t.Fatalf("%q, %v", m, err)
		}
	}
	if _, err := zk.Read(context.Background(), dial, []string{s.ZooKeeper}, "/hbase/nothing"); !errors.Is(err, zk.ErrNoNode) {
		t.Fatal(err)
	}
	if _, err := zk.Read(context.Background(), dial, []string{dead}, "/hbase/master"); err == nil || errors.Is(err, zk.ErrNoNode) {
		t.Fatal(err)
	}
}

// serve answers every connection with those bytes.
func serve(t *testing.T, answer []byte) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = nc.Write(answer)
			t.Cleanup(func() { nc.Close() })
			if len(answer) > 0 {
				_ = nc.(*net.TCPConn).CloseWrite()
			}
		}
	}()
	return l.Addr().String()
}

func TestReadFromBadServers(t *testing.T) {
	session := "\x00\x00\x00\x25\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10................\x00"
	for _, answer := range []string{
		"x", "\x00\x00\x00\x00", "\xff\xff\xff\xff", session[:20], session,
		session + "\x00\x00\x00\x02ab",
		session + "\x00\x00\x00\x14\x00\x00\x00\x01........\x00\x00\x00\x00\x7f\xff\xff\xff",
		session + "\x00\x00\x00\x10\x00\x00\x00\x09........\x00\x00\x00\x00",
	} {
		if _, err := zk.Read(context.Background(), dial, []string{serve(t, []byte(answer))}, "/a"); err == nil {
			t.Errorf("%q is taken for an answer", answer)
		}
	}
}

func TestReadGivesUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := zk.Read(ctx, dial, []string{serve(t, nil)}, "/a")
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Fatal(err, time.Since(start))
	}
}

func FuzzUnwrap(f *testing.F) {
	f.Add([]byte("\xff\x00\x00\x00\x01xPBUFabc"))
	f.Add([]byte("PBUF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := zk.Unwrap(b); err == nil && len(m) > len(b)-4 {
			t.Errorf("%q out of %q", m, b)
		}
	})
}
