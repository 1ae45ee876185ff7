package main

import (
	"context"
	"io"
	"net"
	"time"
)

type dial = func(ctx context.Context, network, addr string) (net.Conn, error)

// delayed dials through a proxy in this process that keeps every byte for a
// while, each way.
func delayed(to dial, by time.Duration) dial {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		far, err := to(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			far.Close()
			return nil, err
		}
		defer l.Close()
		near, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			far.Close()
			return nil, err
		}
		middle, err := l.Accept()
		if err != nil {
			far.Close()
			near.Close()
			return nil, err
		}
		go carry(middle, far, by)
		go carry(far, middle, by)
		return near, nil
	}
}

// carry copies with a delay; the end of one direction ends both.
func carry(to, from net.Conn, by time.Duration) {
	type piece struct {
		due time.Time
		b   []byte
	}
	pieces := make(chan piece, 4096)
	go func() {
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.b); err != nil {
				from.Close()
				_, _ = io.Copy(io.Discard, from)
				return
			}
		}
	}()
	defer close(pieces)
	for {
		b := make([]byte, 64<<10)
		n, err := from.Read(b)
		if n > 0 {
			pieces <- piece{time.Now().Add(by), b[:n]}
		}
		if err != nil {
			return
		}
	}
}
