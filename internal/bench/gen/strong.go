package gen

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	hashes "hash/fnv"
	"strconv"
)

// A strong value tells by itself where it belongs and which write it is of:
//
//	16 hex digits   checksum of record key, field, and all that follows
//	 4 hex digits   writer
//	 8 hex digits   sequence number of the writer
//	 ...            filler of lower case letters, made of the above
//
// Fields too short for all of it keep the first characters of the checksum: they
// show mixed columns, and the sequence is not known.

// StrongMin is the shortest value with a writer and a sequence number.
const StrongMin = 28

// StrongLeast is the shortest value that verify=strong takes.
const StrongLeast = 16

// AppendStrong appends a field's value of size bytes.
func AppendStrong(b, key []byte, field string, writer uint16, seq uint32, size int) []byte {
	if size < StrongMin {
		// Without room for the sequence the sum must not depend on it.
		writer, seq = 0, 0
	}
	rest := make([]byte, 0, max(size, StrongMin))
	rest = fmt.Appendf(rest, "%04x%08x", writer, seq)
	for h := uint64(seq)*2654435761 + uint64(writer); len(rest)+16 < size; h = h*6364136223846793005 + 1442695040888963407 {
		rest = append(rest, 'a'+byte(h>>59)%26)
	}
	at := len(b)
	b = append(b, strongSum(key, field, rest)...)
	b = append(b, rest...)
	return b[:at+size]
}

func strongSum(key []byte, field string, rest []byte) []byte {
	h := hashes.New64a()
	h.Write(key)
	h.Write([]byte{0})
	h.Write([]byte(field))
	h.Write([]byte{0})
	h.Write(rest)
	return hex.AppendEncode(nil, h.Sum(nil))
}

// CheckStrong checks a value that AppendStrong made for a record's field, and
// returns its writer and sequence number; known is false when it is too short to
// have one.
func CheckStrong(value, key []byte, field string) (writer uint16, seq uint32, known bool, err error) {
	if len(value) < StrongLeast {
		return 0, 0, false, fmt.Errorf("value of %d bytes, too short for a checksum", len(value))
	}
	errWrong := errors.New("the value is not one of this record's field, or was torn")
	if len(value) < StrongMin {
		if !bytes.Equal(AppendStrong(nil, key, field, 0, 0, len(value)), value) {
			return 0, 0, false, errWrong
		}
		return 0, 0, false, nil
	}
	rest := value[16:]
	if !bytes.Equal(strongSum(key, field, rest), value[:16]) {
		return 0, 0, true, errWrong
	}
	w, err := strconv.ParseUint(string(rest[:4]), 16, 16)
	if err != nil {
		return 0, 0, true, fmt.Errorf("bad writer %q", rest[:4])
	}
	s, err := strconv.ParseUint(string(rest[4:12]), 16, 32)
	if err != nil {
		return 0, 0, true, fmt.Errorf("bad sequence %q", rest[4:12])
	}
	return uint16(w), uint32(s), true, nil
}
