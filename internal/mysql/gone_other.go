//go:build !unix

package mysql

import "net"

// gone cannot be told here: the next write to the client will.
func gone(net.Conn) bool { return false }
