// Package driver is as little HBase client as a benchmark needs: requests are
// encoded by hand, of replies only what is asked for is looked at. So it shows
// what a server can do, where the stock Java client costs more than the server.
package driver

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Family and Qualifier are where all values are.
const (
	Family    = "f"
	Qualifier = "q"
)

// maxReply bounds what a server may make the driver allocate.
const maxReply = 1 << 30

// Bytes appends a field of bytes to a message.
func Bytes(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

// Int appends an integer field to a message.
func Int(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

// Field returns a field of bytes of a message, or nil.
func Field(b []byte, want protowire.Number) []byte {
	v, _ := find(b, want, protowire.BytesType)
	return v
}

// Number returns an integer field of a message, or 0.
func Number(b []byte, want protowire.Number) uint64 {
	_, v := find(b, want, protowire.VarintType)
	return v
}

func find(b []byte, want protowire.Number, kind protowire.Type) ([]byte, uint64) {
	for len(b) > 0 {
		n, t, k := protowire.ConsumeTag(b)
		if k < 0 {
			return nil, 0
		}
		b = b[k:]
		if n == want && t == kind {
			if kind == protowire.VarintType {
				v, _ := protowire.ConsumeVarint(b)
				return nil, v
			}
			v, _ := protowire.ConsumeBytes(b)
			return v, 0
		}
		if k = protowire.ConsumeFieldValue(n, t, b); k < 0 {
			return nil, 0
		}
		b = b[k:]
	}
	return nil, 0
}

// Conn is a connection to the ClientService of a region server.
type Conn struct {
	net.Conn
	r  *bufio.Reader
	id uint32
}

// Dial connects and says hello.
func Dial(server string) (*Conn, error) {
	c, err := net.Dial("tcp", server)
	if err != nil {
		return nil, err
	}
	h := Bytes(nil, 1, Bytes(nil, 1, []byte("lean")))
	h = Bytes(h, 2, []byte("ClientService"))
	h = Bytes(h, 3, []byte("org.apache.hadoop.hbase.codec.KeyValueCodec"))
	b := append([]byte("HBas\x00\x50"), binary.BigEndian.AppendUint32(nil, uint32(len(h)))...)
	if _, err := c.Write(append(b, h...)); err != nil {
		c.Close()
		return nil, err
	}
	return &Conn{Conn: c, r: bufio.NewReaderSize(c, 1<<18)}, nil
}

// Frame appends one call with the next call id, which it returns too.
func (c *Conn) Frame(dst []byte, method string, param, cells []byte) ([]byte, uint32) {
	c.id++
	h := Int(nil, 1, uint64(c.id))
	h = Bytes(h, 3, []byte(method))
	h = Int(h, 4, 1)
	if len(cells) > 0 {
		h = Bytes(h, 5, Int(nil, 1, uint64(len(cells))))
	}
	size := protowire.SizeBytes(len(h)) + protowire.SizeBytes(len(param)) + len(cells)
	dst = binary.BigEndian.AppendUint32(dst, uint32(size))
	dst = protowire.AppendBytes(dst, h)
	dst = protowire.AppendBytes(dst, param)
	return append(dst, cells...), c.id
}

// Reply is one answer. Its bytes live until the buffer that it was read into is
// used again.
type Reply struct {
	Call    uint32
	Message []byte // the response message
	Cells   []byte // the cell block behind it
	Size    int    // bytes on the wire
}

// Read reads one answer into buf, which it returns, grown where needed.
func (c *Conn) Read(buf []byte) (Reply, []byte, error) {
	var n [4]byte
	if _, err := io.ReadFull(c.r, n[:]); err != nil {
		return Reply{}, buf, err
	}
	size := int(binary.BigEndian.Uint32(n[:]))
	if size > maxReply {
		return Reply{}, buf, fmt.Errorf("a reply of %d bytes", size)
	}
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err := io.ReadFull(c.r, buf); err != nil {
		return Reply{}, buf, err
	}
	header, k := protowire.ConsumeBytes(buf)
	if k < 0 {
		return Reply{}, buf, protowire.ParseError(k)
	}
	reply := Reply{Call: uint32(Number(header, 1)), Size: size + 4}
	if e := Field(header, 2); e != nil {
		return reply, buf, fmt.Errorf("exception %s: %.300s", Field(e, 1), Field(e, 2))
	}
	if k < size {
		message, m := protowire.ConsumeBytes(buf[k:])
		if m < 0 {
			return reply, buf, protowire.ParseError(m)
		}
		reply.Message, reply.Cells = message, buf[k+m:]
	}
	return reply, buf, nil
}

// Call sends one call and waits for its answer, which lives until buf is used again.
func (c *Conn) Call(buf []byte, method string, param, cells []byte) (Reply, []byte, error) {
	frame, _ := c.Frame(nil, method, param, cells)
	if _, err := c.Write(frame); err != nil {
		return Reply{}, buf, err
	}
	return c.Read(buf)
}

// FindRegion asks hbase:meta for the name of a table's first region.
func FindRegion(server, table string) ([]byte, error) {
	c, err := Dial(server)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	scan := Bytes(nil, 3, []byte(table+",,"))
	scan = Bytes(scan, 4, []byte(table+" ,,"))
	param := Bytes(Region([]byte("hbase:meta,,1")), 2, scan)
	reply, _, err := c.Call(nil, "Scan", Int(Int(param, 4, 1), 5, 1), nil)
	if err != nil {
		return nil, err
	}
	// A KeyValue: three lengths of four bytes, the row's of two, the row.
	cell := reply.Cells
	if len(cell) < 14 || len(cell) < 14+int(binary.BigEndian.Uint16(cell[12:])) {
		return nil, fmt.Errorf("table %s has no region", table)
	}
	return cell[14 : 14+binary.BigEndian.Uint16(cell[12:])], nil
}

// CPUSeconds is what a process has used so far, 0 when it cannot be told.
func CPUSeconds(pid int) float64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+2:]))
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / 100
}
