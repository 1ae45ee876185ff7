// Package rpc is HBase's RPC transport, server side: preambles, the connection
// header, frames, pipelining, ordering of replies, exceptions, limits. It knows
// no service: those are registered as handlers by name.
package rpc
