package zk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
)

// ErrNoNode: there is no such znode.
var ErrNoNode = errors.New("zk: no such node")

// ErrMalformed: a server answered what is no ZooKeeper reply.
var ErrMalformed = errors.New("zk: malformed reply")

// Dial opens a network connection.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// maxReply bounds a reply; a znode holds 1 MiB at most.
const maxReply = 4 << 20

const (
	opGetData    = 4
	opClose      = -11
	codeNoNode   = -101
	sessionMs    = 30000
	xidOfGetData = 1
)

// Read returns the data of a znode, from the first server of the ensemble that
// answers. It tries them in random order.
func Read(ctx context.Context, dial Dial, servers []string, path string) ([]byte, error) {
	if len(servers) == 0 {
		return nil, errors.New("zk: no servers")
	}
	var errs []error
	for _, i := range rand.Perm(len(servers)) {
		data, err := readFrom(ctx, dial, servers[i], path)
		if err == nil || errors.Is(err, ErrNoNode) {
			return data, err
		}
		errs = append(errs, fmt.Errorf("zookeeper %s: %w", servers[i], err))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

func readFrom(ctx context.Context, dial Dial, server, path string) ([]byte, error) {
	nc, err := dial(ctx, "tcp", server)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
	defer stop()
	data, err := exchange(nc, path)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return data, err
}

func exchange(nc net.Conn, path string) ([]byte, error) {
	// The session is asked for and the question put in one packet.
	if _, err := nc.Write(appendGetData(appendConnect(nil), path)); err != nil {
		return nil, err
	}
	reply, err := readFrame(nc)
	if err != nil {
		return nil, err
	}
	if err := checkSession(reply); err != nil {
		return nil, err
	}
	if reply, err = readFrame(nc); err != nil {
		return nil, err
	}
	data, err := parseGetData(reply)
	if err == nil || errors.Is(err, ErrNoNode) {
		_, _ = nc.Write(appendClose(nil))
	}
	return data, err
}

// appendConnect appends a ConnectRequest for a new session.
//
//	u32 length | int protocol=0 | long lastZxid=0 | int timeout ms |
//	long session=0 | buffer password (16 zero bytes) | bool readOnly=0
func appendConnect(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, 4+8+4+8+4+16+1)
	dst = append(dst, make([]byte, 4+8)...)
	dst = binary.BigEndian.AppendUint32(dst, sessionMs)
	dst = append(dst, make([]byte, 8)...)
	dst = binary.BigEndian.AppendUint32(dst, 16)
	return append(dst, make([]byte, 16+1)...)
}

// appendGetData appends a getData request without a watch.
//
//	u32 length | int xid | int type=4 | string path | bool watch=0
func appendGetData(dst []byte, path string) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(4+4+4+len(path)+1))
	dst = binary.BigEndian.AppendUint32(dst, xidOfGetData)
	dst = binary.BigEndian.AppendUint32(dst, opGetData)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(path)))
	return append(append(dst, path...), 0)
}

// appendClose appends a closeSession request: u32 length | int xid | int type=-11.
func appendClose(dst []byte) []byte {
	op := int32(opClose)
	dst = binary.BigEndian.AppendUint32(dst, 8)
	dst = binary.BigEndian.AppendUint32(dst, xidOfGetData+1)
	return binary.BigEndian.AppendUint32(dst, uint32(op))
}

// readFrame reads u32 length | that many bytes.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxReply {
		return nil, fmt.Errorf("%w: %d bytes", ErrMalformed, n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// checkSession reads a ConnectResponse, which may lack its last field.
//
//	int protocol | int timeout ms | long session | buffer password | bool readOnly
func checkSession(b []byte) error {
	if len(b) < 4+4+8 {
		return fmt.Errorf("%w: session of %d bytes", ErrMalformed, len(b))
	}
	if int32(binary.BigEndian.Uint32(b[4:])) <= 0 || binary.BigEndian.Uint64(b[8:]) == 0 {
		return errors.New("zk: the server gave no session")
	}
	return nil
}

// parseGetData reads the reply to getData; the data alias it.
//
//	int xid | long zxid | int error | buffer data, Stat    both when error = 0
func parseGetData(b []byte) ([]byte, error) {
	if len(b) < 4+8+4 {
		return nil, fmt.Errorf("%w: %d bytes", ErrMalformed, len(b))
	}
	if xid := binary.BigEndian.Uint32(b); xid != xidOfGetData {
		return nil, fmt.Errorf("%w: xid %d", ErrMalformed, int32(xid))
	}
	switch code := int32(binary.BigEndian.Uint32(b[12:])); code {
	case 0:
	case codeNoNode:
		return nil, ErrNoNode
	default:
		return nil, fmt.Errorf("zk: error %d", code)
	}
	if b = b[16:]; len(b) < 4 {
		return nil, fmt.Errorf("%w: no data", ErrMalformed)
	}
	n := int32(binary.BigEndian.Uint32(b))
	if n == -1 {
		return nil, nil
	}
	if n < 0 || int(n) > len(b)-4 {
		return nil, fmt.Errorf("%w: data of %d bytes in %d", ErrMalformed, n, len(b)-4)
	}
	return b[4 : 4+n : 4+n], nil
}

// Unwrap returns the protobuf message inside a znode's value as HBase writes it.
//
//	0xff | int32 n | n bytes of the writer's name | "PBUF" | message
//
// The part before PBUF may be missing.
func Unwrap(b []byte) ([]byte, error) {
	if len(b) >= 5 && b[0] == 0xff {
		n := binary.BigEndian.Uint32(b[1:])
		if uint64(n) > uint64(len(b)-5) {
			return nil, fmt.Errorf("%w: writer's name of %d bytes in a value of %d", ErrMalformed, n, len(b))
		}
		b = b[5+n:]
	}
	if len(b) < 4 || string(b[:4]) != "PBUF" {
		return nil, fmt.Errorf("%w: a value without PBUF", ErrMalformed)
	}
	return b[4:], nil
}
