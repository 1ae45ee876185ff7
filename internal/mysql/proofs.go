package mysql

import (
	"crypto/sha256"
	"sync"
)

// maxProofs bounds the passwords that are remembered. Past it any one is
// forgotten: its next login takes the long way.
const maxProofs = 64 << 10

// proofs remembers, by the stored form of a password, what the fast way of
// caching_sha2_password needs. A new password has a new stored form.
type proofs struct {
	mu sync.Mutex // guards m
	m  map[string][sha256.Size]byte
}

func (p *proofs) get(stored string) (stage2 [sha256.Size]byte, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stage2, ok = p.m[stored]
	return stage2, ok
}

func (p *proofs) put(stored string, stage2 [sha256.Size]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m == nil {
		p.m = make(map[string][sha256.Size]byte)
	}
	for old := range p.m {
		if len(p.m) < maxProofs {
			break
		}
		delete(p.m, old)
	}
	p.m[stored] = stage2
}
