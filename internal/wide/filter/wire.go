package filter

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message walks the fields of one protobuf message:
//
//	message := { tag value }      tag = varint(number<<3 | wire type)
//	value   := varint | 8 bytes | varint(n) n bytes | 4 bytes
//
// The pattern is
//
//	m := message{rest: b}
//	for m.next() {
//		switch m.tag {
//		case 1<<3 | bytesType:
//			x = m.bytes()
//		default:
//			m.skip()
//		}
//	}
//
// after which bad tells whether the bytes were a message at all. Fields of
// another number or wire type are skipped, as every protobuf parser does.
type message struct {
	rest []byte
	tag  uint64
	bad  bool
}

const (
	varintType = uint64(protowire.VarintType)
	fixed32    = uint64(protowire.Fixed32Type)
	bytesType  = uint64(protowire.BytesType)
)

func (m *message) next() bool {
	if m.bad || len(m.rest) == 0 {
		return false
	}
	num, typ, n := protowire.ConsumeTag(m.rest)
	if n < 0 {
		m.bad = true
		return false
	}
	m.tag = uint64(num)<<3 | uint64(typ)
	m.rest = m.rest[n:]
	return true
}

// bytes returns a part of the message, not a copy.
func (m *message) bytes() []byte {
	v, n := protowire.ConsumeBytes(m.rest)
	if !m.advance(n) {
		return nil
	}
	return v[:len(v):len(v)]
}

func (m *message) varint() uint64 {
	v, n := protowire.ConsumeVarint(m.rest)
	if !m.advance(n) {
		return 0
	}
	return v
}

func (m *message) bool() bool   { return m.varint() != 0 }
func (m *message) int32() int32 { return int32(m.varint()) }

func (m *message) float32() float32 {
	v, n := protowire.ConsumeFixed32(m.rest)
	if !m.advance(n) {
		return 0
	}
	return math.Float32frombits(v)
}

func (m *message) skip() {
	num, typ := protowire.Number(m.tag>>3), protowire.Type(m.tag&7)
	m.advance(protowire.ConsumeFieldValue(num, typ, m.rest))
}

func (m *message) advance(n int) bool {
	if n < 0 {
		m.bad = true
		return false
	}
	m.rest = m.rest[n:]
	return true
}

// orEmpty makes a present but empty field differ from an absent (nil) one.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
