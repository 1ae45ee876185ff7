//go:build unix

package rpc

import "syscall"

// canTryWrite: sockets can be written to without waiting.
const canTryWrite = true

// writeFD writes what the socket takes at once, perhaps nothing.
func writeFD(fd uintptr, b []byte) (n int, err error) {
	n, err = syscall.Write(int(fd), b)
	if err == syscall.EAGAIN || err == syscall.EINTR {
		return 0, nil
	}
	return max(n, 0), err
}
