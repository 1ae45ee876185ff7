// Package rpc carries calls of HBase's RPC protocol over multiplexed
// connections, from the client's side.
//
// A Conn has many calls in flight. Callers append their requests to one buffer;
// a caller that finds itself alone writes it at once, otherwise the connection's
// writer goroutine takes all that has gathered in one write. The reader
// goroutine hands each response, in a buffer of its own, to the call that it
// answers. Two goroutines a connection, none a call.
//
// A Pool holds the connections to one service of one server and deals them out
// in turn. Connections are made when first asked for, and again after they were
// lost.
//
// Nothing here knows what requests mean or retries any: an error says what
// happened and whether the server may have seen the request.
package rpc
