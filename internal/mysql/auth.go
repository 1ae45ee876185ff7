package mysql

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"errors"

	"github.com/basaltdb/basalt/internal/mysql/password"
	"github.com/basaltdb/basalt/internal/mysql/wire"
)

// defaultPlugin is what the greeting names, as MySQL 8 does.
const defaultPlugin = password.SHA2

// maxAuthBytes bounds every packet before a client has logged in. The login is
// the largest: attributes have up to 64 KiB.
const maxAuthBytes = 80 << 10

// errDenied is a login whose proof is wrong.
var errDenied = errors.New("access denied")

// errOldClient is a client that cannot do what its account needs.
var errOldClient = errors.New("client does not know the account's way to log in")

// exchange is one login of one client, the first of a connection or that of
// COM_CHANGE_USER.
type exchange struct {
	c        *conn
	scramble [wire.ScrambleBytes]byte
	plugin   string // that the client answered with
	answer   []byte // to scramble by plugin
	// named tells that a password was given, for the error message.
	named bool
}

// newScramble makes random bytes, none of them zero: some clients take them for
// a string that ends there. Nor a dollar, as in MySQL.
func newScramble() (s [wire.ScrambleBytes]byte) {
	rand.Read(s[:])
	for i := range s {
		if s[i] &= 0x7f; s[i] == 0 || s[i] == '$' {
			s[i]++
		}
	}
	return s
}

// prove makes the client prove that it has the password that is stored, in the
// account's way. An empty stored form is an account without password. known is
// false for an account that does not exist: that looks like a wrong password.
func (x *exchange) prove(plugin, stored string, known bool) error {
	if x.plugin != plugin || len(x.answer) == 0 && stored != "" {
		if err := x.changePlugin(plugin); err != nil {
			return err
		}
	}
	x.named = x.named || len(x.answer) > 0
	var ok bool
	var err error
	switch plugin {
	case password.Native:
		ok = password.CheckNative(stored, x.scramble[:], x.answer)
	case password.SHA2:
		ok, err = x.proveSHA2(stored)
	default:
		return errOldClient
	}
	if err != nil {
		return err
	}
	if !ok || !known {
		return errDenied
	}
	return nil
}

// changePlugin asks the client to answer once more, in another way or because
// the first answer had nothing in it.
func (x *exchange) changePlugin(plugin string) error {
	c := x.c
	if c.caps&wire.PluginAuth == 0 {
		// The only way that is older than plugins.
		if plugin == password.Native {
			return nil
		}
		return errOldClient
	}
	x.scramble = newScramble()
	c.out.Begin()
	c.out.Buf = wire.AppendAuthSwitch(c.out.Buf, plugin, x.scramble[:])
	c.out.End()
	b, err := c.readPacket(maxAuthBytes)
	if err != nil {
		return err
	}
	x.plugin, x.answer = plugin, bytes.Clone(b)
	return nil
}

// What the server says in caching_sha2_password, and what a client asks.
const (
	sha2FastDone  = 3
	sha2SendFull  = 4
	sha2PublicKey = 2
)

func (x *exchange) proveSHA2(stored string) (bool, error) {
	c := x.c
	if len(x.answer) == 0 || len(x.answer) == 1 && x.answer[0] == 0 {
		x.named = false
		return stored == "", nil
	}
	if stored == "" {
		return false, nil
	}
	if stage2, ok := c.srv.proofs.get(stored); ok && password.CheckFast(stage2, x.scramble[:], x.answer) {
		x.sendMore(sha2FastDone)
		return true, nil
	}
	x.sendMore(sha2SendFull)
	b, err := c.readPacket(maxAuthBytes)
	if err != nil {
		return false, err
	}
	if !c.secure {
		if b, err = x.decrypted(b); err != nil {
			return false, err
		}
	}
	b, ended := bytes.CutSuffix(b, []byte{0})
	if p := string(b); ended && password.CheckFull(stored, p) {
		c.srv.proofs.put(stored, password.Stage2(p))
		return true, nil
	}
	return false, nil
}

func (x *exchange) sendMore(data ...byte) {
	out := &x.c.out
	out.Begin()
	out.Buf = wire.AppendAuthMore(out.Buf, data...)
	out.End()
}

// decrypted is the password of a client without TLS. It may ask for the public
// key first, or have it already.
func (x *exchange) decrypted(b []byte) ([]byte, error) {
	c := x.c
	if len(b) == 1 && b[0] == sha2PublicKey {
		key, err := c.srv.keys.public()
		if err != nil {
			return nil, err
		}
		x.sendMore(key...)
		if b, err = c.readPacket(maxAuthBytes); err != nil {
			return nil, err
		}
	}
	if len(b) != rsaBits/8 {
		return nil, nil // it sent what it should not have: no password is empty
	}
	p, err := c.srv.keys.decrypt(b)
	if err != nil {
		return nil, nil // a wrong password, for all that can be told
	}
	for i := 0; i < len(p); i += wire.ScrambleBytes {
		subtle.XORBytes(p[i:], p[i:], x.scramble[:])
	}
	return p, nil
}
