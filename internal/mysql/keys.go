package mysql

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"sync"
	"time"
)

// rsaBits is the size of MySQL's own key.
const rsaBits = 2048

// keys is the RSA key with which clients without TLS encrypt a password that
// they send. It is made when the first one asks: that takes a tenth of a second.
type keys struct {
	once sync.Once
	key  *rsa.PrivateKey
	pem  []byte
	err  error
}

// public is the public key as clients get it.
func (k *keys) public() ([]byte, error) {
	k.once.Do(func() {
		if k.key, k.err = rsa.GenerateKey(rand.Reader, rsaBits); k.err != nil {
			return
		}
		der, err := x509.MarshalPKIXPublicKey(&k.key.PublicKey)
		k.pem, k.err = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), err
	})
	return k.pem, k.err
}

// decrypt is the plain text of what a client encrypted with the public key.
func (k *keys) decrypt(b []byte) ([]byte, error) {
	if _, err := k.public(); err != nil {
		return nil, err
	}
	// SHA-1 is what MySQL's clients take for OAEP.
	return k.key.Decrypt(nil, b, &rsa.OAEPOptions{Hash: crypto.SHA1, MGFHash: crypto.SHA1})
}

var _ = sha1.New // registers crypto.SHA1

// SelfSigned is a certificate of the server's own making, as MySQL makes one at
// its first start: it encrypts, and proves nothing. It is for clients that ask
// for TLS and do not look whom they talk to, which is how they are by default.
func SelfSigned(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a serial number: %w", err)
	}
	t := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "Basalt_Auto_Generated_Server_Certificate"},
		NotBefore:    now.Add(-24 * time.Hour),
		NotAfter:     now.AddDate(10, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
