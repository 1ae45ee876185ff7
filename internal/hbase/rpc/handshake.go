package rpc

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
)

// maxHeaderBytes bounds a connection header and a security token.
const maxHeaderBytes = 64 << 10

// handshake reads preambles and the connection header. It is false when the
// connection is over: refused, or answered in full.
func (c *conn) handshake(w *worker) bool {
	for {
		b, err := w.in.take(c.nc, wire.PreambleBytes)
		if err != nil {
			return false
		}
		head := [wire.PreambleBytes]byte(b)
		switch p := wire.ParsePreamble(head); p.Kind {
		case wire.PreambleConnection:
			return c.checkPreamble(p) && c.skipToken(w, p) && c.readHeader(w)
		case wire.PreambleRegistry:
			c.answer(wire.AppendMessageFrame(nil, pb.AppendConnectionRegistryResponse(nil, c.srv.cfg.ClusterID)))
			c.linger()
			return false
		case wire.PreambleSecurity:
			// The client goes on with another preamble.
			e := Errorf(classSecurityNotEnabled, "security is not enabled")
			if !c.answer(appendError(nil, wire.NoCall, e, "preamble")) {
				return false
			}
		default:
			// Newer clients recognise how this message begins, and go on as
			// older ones do.
			return c.refuse(classFatalConnection, "Expected HEADER=HBas but received HEADER=%s from %s",
				printable(head[:]), c.nc.RemoteAddr())
		}
	}
}

// answer writes a frame during the handshake.
func (c *conn) answer(frame []byte) bool {
	return c.send(frame, nil) == nil
}

// refuse ends the connection with an exception that belongs to no call.
func (c *conn) refuse(class, format string, args ...any) bool {
	e := Errorf(class, format, args...)
	c.srv.cfg.Logger.Info("connection refused", "client", c.nc.RemoteAddr(), "error", e)
	c.answer(appendError(nil, wire.NoCall, e, "connection"))
	c.linger()
	return false
}

func (c *conn) checkPreamble(p wire.Preamble) bool {
	if p.Version != wire.Version {
		return c.refuse(classWrongVersion, "this server speaks version %d, the client %d", wire.Version, p.Version)
	}
	switch p.Auth {
	case wire.AuthSimple, wire.AuthKerberos, wire.AuthDigest:
		return true
	}
	return c.refuse(classBadAuth, "unknown authentication method %d", p.Auth)
}

// skipToken tells a client that wants to authenticate to go on without, and
// drops the token that it has sent or will send first.
func (c *conn) skipToken(w *worker, p wire.Preamble) bool {
	if p.Auth == wire.AuthSimple {
		return true
	}
	if !c.answer([]byte(wire.SwitchToSimple)) {
		return false
	}
	_, ok := c.takeDelimited(w)
	return ok
}

// takeDelimited reads an int32 length and so many bytes, valid until the next
// read.
func (c *conn) takeDelimited(w *worker) (b []byte, ok bool) {
	head, err := w.in.take(c.nc, wire.FrameHeadBytes)
	if err != nil {
		return nil, false
	}
	n := binary.BigEndian.Uint32(head)
	if n > maxHeaderBytes {
		return nil, c.refuse(classFatalConnection, "a connection header of %d bytes", n)
	}
	b, err = w.in.take(c.nc, int(n))
	return b, err == nil
}

func (c *conn) readHeader(w *worker) bool {
	b, ok := c.takeDelimited(w)
	if !ok {
		return false
	}
	var h pb.ConnectionHeader
	if err := h.Decode(b); err != nil {
		return c.refuse(classFatalConnection, "connection header: %v", err)
	}
	if c.methods, ok = c.srv.services[h.Service]; !ok {
		return c.refuse(classUnknownService, "Unknown service: %s", h.Service)
	}
	codec, ok := wire.CodecByClass(h.Codec)
	if !ok {
		return c.refuse(classUnsupportedCodec, "Unsupported codec %s", h.Codec)
	}
	if c.compression, ok = wire.CompressionByClass(h.Compressor); !ok {
		return c.refuse(classUnsupportedCompression, "Unsupported codec %s", h.Compressor)
	}
	c.client = Client{
		Service:      h.Service,
		User:         h.EffectiveUser,
		Remote:       c.nc.RemoteAddr().String(),
		Codec:        codec,
		VersionMajor: int(h.VersionMajor),
		VersionMinor: int(h.VersionMinor),
		HasVersion:   h.HasVersion,
	}
	return true
}

// printable shows bytes as text where they are, as \xNN where not.
func printable(b []byte) string {
	var out []byte
	for _, c := range b {
		if c < 0x80 && strconv.IsPrint(rune(c)) && c != '\\' {
			out = append(out, c)
		} else {
			out = fmt.Appendf(out, "\\x%02X", c)
		}
	}
	return string(out)
}
