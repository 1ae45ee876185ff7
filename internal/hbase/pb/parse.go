package pb

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed marks bytes that are no protobuf message of the expected kind.
var ErrMalformed = errors.New("pb: malformed message")

// Bounds on what a message may collect in slices. Values of mutations and
// actions of a Multi are not collected and have no bound but the frame's.
const (
	maxColumns    = 1 << 14
	maxQualifiers = 1 << 20
	maxAttributes = 1 << 12
	maxTimeRanges = 1 << 14
	// keepItems is how much capacity a reused struct keeps.
	keepItems = 1 << 10
)

// Wire types in the low three bits of a tag.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
	fixed32 = 5
)

// parser walks the fields of one message.
//
//	message = { tag, payload }
//	tag     = varint (field number << 3 | wire type)
//	payload = varint | 8 bytes | varint n, n bytes | 4 bytes
//
// A field that arrives with another wire type than expected has a tag that no
// case names: it is skipped like an unknown one, as google's decoder does.
type parser struct {
	in  []byte
	tag uint64 // of the current field
	u   uint64 // its value: varint and fixed
	b   []byte // its value: length-delimited, aliases the input
	err error
}

// next moves to the next field; false at the end or on an error (p.err).
func (p *parser) next() bool {
	if len(p.in) == 0 || p.err != nil {
		return false
	}
	if c := p.in[0]; c < 0x80 {
		p.tag, p.in = uint64(c), p.in[1:]
	} else {
		tag, n := protowire.ConsumeVarint(p.in)
		if n < 0 || tag>>3 > uint64(protowire.MaxValidNumber) {
			return p.fail("bad tag")
		}
		p.tag, p.in = tag, p.in[n:]
	}
	if p.tag>>3 == 0 {
		return p.fail("field number 0")
	}
	switch p.tag & 7 {
	case varint:
		if len(p.in) > 0 && p.in[0] < 0x80 {
			p.u, p.in = uint64(p.in[0]), p.in[1:]
			return true
		}
		u, n := protowire.ConsumeVarint(p.in)
		if n < 0 {
			return p.fail("bad varint")
		}
		p.u, p.in = u, p.in[n:]
	case length:
		size, n := uint64(0), 1
		if len(p.in) > 0 && p.in[0] < 0x80 {
			size = uint64(p.in[0])
		} else if size, n = protowire.ConsumeVarint(p.in); n < 0 {
			return p.fail("bad length")
		}
		if size > uint64(len(p.in)-n) {
			return p.fail("length beyond the message")
		}
		end := n + int(size)
		p.b, p.in = p.in[n:end:end], p.in[end:]
	default:
		n := protowire.ConsumeFieldValue(protowire.Number(p.tag>>3), protowire.Type(p.tag&7), p.in)
		if n < 0 {
			return p.fail("bad value")
		}
		switch p.tag & 7 {
		case fixed64:
			p.u, _ = protowire.ConsumeFixed64(p.in)
		case fixed32:
			u, _ := protowire.ConsumeFixed32(p.in)
			p.u = uint64(u)
		}
		p.in = p.in[n:]
	}
	return true
}

func (p *parser) fail(what string) bool {
	p.err = fmt.Errorf("%w: %s", ErrMalformed, what)
	return false
}

// done is the error of a finished walk, with the message's name.
func (p *parser) done(message string) error {
	if p.err != nil {
		return fmt.Errorf("%s: %w", message, p.err)
	}
	return nil
}

func missing(message, field string) error {
	return fmt.Errorf("%w: %s without %s", ErrMalformed, message, field)
}

func tooMany(what string, limit int) error {
	return fmt.Errorf("%w: more than %d %s", ErrMalformed, limit, what)
}

// grow makes s longer by one element, which may hold what an earlier use left.
func grow[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}

// reuse empties s and keeps its capacity, unless it is out of proportion.
func reuse[T any](s []T) []T {
	if cap(s) > keepItems {
		return nil
	}
	return s[:0]
}
