package hbase

import (
	"encoding/binary"
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// The tests speak protobuf through protowire, not through the encoders that
// the service uses: a field number that is wrong there must not be wrong here.

// message builds a protobuf message field by field.
type message []byte

func (m message) num(field int, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, protowire.Number(field), protowire.VarintType), v)
}

func (m message) flag(field int, v bool) message {
	return m.num(field, protowire.EncodeBool(v))
}

func (m message) bytes(field int, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, protowire.Number(field), protowire.BytesType), v)
}

func (m message) str(field int, v string) message { return m.bytes(field, []byte(v)) }

// fields is a parsed message: by field number, in the order they came.
type fields map[int][]field

type field struct {
	num   uint64
	bytes []byte
}

func parse(t testing.TB, b []byte) fields {
	t.Helper()
	f := fields{}
	for len(b) > 0 {
		n, typ, l := protowire.ConsumeTag(b)
		if l < 0 {
			t.Fatalf("bad tag in a response: %x", b)
		}
		b = b[l:]
		var v field
		switch typ {
		case protowire.VarintType:
			v.num, l = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			v.bytes, l = protowire.ConsumeBytes(b)
		case protowire.Fixed64Type:
			v.num, l = protowire.ConsumeFixed64(b)
		default:
			t.Fatalf("field %d has wire type %d", n, typ)
		}
		if l < 0 {
			t.Fatalf("bad value of field %d in a response", n)
		}
		b = b[l:]
		f[int(n)] = append(f[int(n)], v)
	}
	return f
}

func (f fields) has(n int) bool { return len(f[n]) > 0 }

func (f fields) num(n int) uint64 {
	if !f.has(n) {
		return 0
	}
	return f[n][0].num
}

func (f fields) flag(n int) bool { return f.num(n) != 0 }

func (f fields) bytes(n int) []byte {
	if !f.has(n) {
		return nil
	}
	return f[n][0].bytes
}

func (f fields) msg(t testing.TB, n int) fields { return parse(t, f.bytes(n)) }

// appendKV is KeyValueCodec, written out once more.
func appendKV(b []byte, c cell.Cell) []byte {
	keyLen := 2 + len(c.Row) + 1 + len(c.Family) + len(c.Qualifier) + 8 + 1
	b = binary.BigEndian.AppendUint32(b, uint32(8+keyLen+len(c.Value)))
	b = binary.BigEndian.AppendUint32(b, uint32(keyLen))
	b = binary.BigEndian.AppendUint32(b, uint32(len(c.Value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.Row)))
	b = append(b, c.Row...)
	b = append(b, byte(len(c.Family)))
	b = append(b, c.Family...)
	b = append(b, c.Qualifier...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Timestamp))
	b = append(b, byte(c.Type))
	return append(b, c.Value...)
}

// takeKVs reads n cells off a cell block.
func takeKVs(t testing.TB, b []byte, n int) ([]cell.Cell, []byte) {
	t.Helper()
	var out []cell.Cell
	for range n {
		if len(b) < 12 {
			t.Fatalf("cell block ends: %d cells wanted, %d there", n, len(out))
		}
		kv := b[4 : 4+binary.BigEndian.Uint32(b)]
		b = b[4+len(kv):]
		key, value := kv[8:8+binary.BigEndian.Uint32(kv)], kv[8+binary.BigEndian.Uint32(kv):]
		var c cell.Cell
		rl := int(binary.BigEndian.Uint16(key))
		c.Row, key = key[2:2+rl], key[2+rl:]
		fl := int(key[0])
		c.Family, key = key[1:1+fl], key[1+fl:]
		c.Qualifier, key = key[:len(key)-9], key[len(key)-9:]
		c.Timestamp, c.Type = int64(binary.BigEndian.Uint64(key)), cell.Type(key[8])
		c.Value = value
		out = append(out, c)
	}
	return out, b
}

// inlineCells reads the cells of a Result message.
func inlineCells(t testing.TB, result fields) []cell.Cell {
	t.Helper()
	var out []cell.Cell
	for _, f := range result[1] {
		p := parse(t, f.bytes)
		out = append(out, cell.Cell{
			Row: p.bytes(1), Family: p.bytes(2), Qualifier: p.bytes(3), Value: p.bytes(6),
			Timestamp: int64(p.num(4)), Type: cell.Type(p.num(5)),
		})
	}
	return out
}

// show writes cells as row/family:qualifier=value.
func show(cs []cell.Cell) []string {
	out := []string{}
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%s/%s:%s=%s", c.Row, c.Family, c.Qualifier, c.Value))
	}
	return out
}
