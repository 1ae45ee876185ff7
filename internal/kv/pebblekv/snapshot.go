package pebblekv

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/kv"
)

// snapshot implements kv.Snapshot.
type snapshot struct {
	p    *pebble.Snapshot // nil: closed
	mark kv.Mark
}

func (s *snapshot) Get(dst, key []byte) ([]byte, error) {
	if s.p == nil {
		return dst, kv.ErrClosed
	}
	v, c, err := s.p.Get(key)
	return appendValue(dst, v, c, err)
}

func (s *snapshot) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	if s.p == nil {
		return nil, kv.ErrClosed
	}
	return newIter(s.p, o)
}

func (s *snapshot) Mark() kv.Mark { return s.mark }

func (s *snapshot) Close() error {
	if s.p == nil {
		return nil
	}
	err := s.p.Close()
	s.p = nil
	return mapErr(err)
}
