//go:build !unix

package rpc

// canTryWrite: sockets cannot be written to without waiting, the writer
// goroutine writes all.
const canTryWrite = false

func writeFD(uintptr, []byte) (int, error) { return 0, nil }
