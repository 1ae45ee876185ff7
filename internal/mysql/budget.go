package mysql

import "sync/atomic"

// budget bounds the bytes that all connections together hold of requests, beyond
// the small buffer that each has anyway.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take takes n bytes, or none.
func (b *budget) take(n int) bool {
	if b.used.Add(int64(n)) <= b.limit || n <= 0 {
		return true
	}
	b.used.Add(int64(-n))
	return false
}

func (b *budget) give(n int) { b.used.Add(int64(-n)) }
