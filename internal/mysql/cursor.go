package mysql

import (
	"encoding/binary"

	"github.com/basaltdb/basalt/internal/sql"
)

// maxCursorBytes is what a cursor may keep. A client whose rows come to more
// gets them at once instead, as the protocol allows.
const maxCursorBytes = 16 << 20

// cursor keeps the rows of a statement whose client fetches them in pieces, as
// they go out: each after its length of four bytes. A nil one has none.
type cursor struct {
	budget *budget
	taken  int // of the budget
	buf    []byte
	at     int
	row    []byte // that next found; in buf
}

// add keeps a row. full tells that there should be no more.
func (k *cursor) add(columns []sql.Column, values []sql.Value) (full bool) {
	at := len(k.buf)
	k.buf = appendBinaryRow(append(k.buf, 0, 0, 0, 0), columns, values)
	binary.LittleEndian.PutUint32(k.buf[at:], uint32(len(k.buf)-at-4))
	if cap(k.buf) > k.taken {
		if !k.budget.take(cap(k.buf) - k.taken) {
			return true
		}
		k.taken = cap(k.buf)
	}
	return len(k.buf) > maxCursorBytes
}

// next moves on to the next row, if there is one.
func (k *cursor) next() bool {
	if k.done() {
		return false
	}
	n := int(binary.LittleEndian.Uint32(k.buf[k.at:]))
	k.row = k.buf[k.at+4 : k.at+4+n]
	k.at += 4 + n
	return true
}

func (k *cursor) done() bool { return k.at == len(k.buf) }

func (k *cursor) close() {
	if k == nil {
		return
	}
	k.budget.give(k.taken)
	*k = cursor{budget: k.budget}
}

// sendKept sends the row that next found.
func (c *conn) sendKept(k *cursor) error {
	c.out.Begin()
	c.out.Buf = append(c.out.Buf, k.row...)
	c.out.End()
	return c.flushSome()
}
