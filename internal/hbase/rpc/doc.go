// Package rpc is HBase's RPC transport, server side: preambles, the connection
// header, frames, pipelining, ordering of replies, exceptions, limits. It knows
// no service: those are registered as handlers by name.
//
// # How a connection works
//
// One goroutine of a connection, the leader, reads. It reads as much as there is,
// takes the frames apart in place, runs each call itself, and appends the
// replies to one buffer, which goes out in one write when the input is drained.
// Three things take a call out of this lockstep:
//
//   - A method that says it may take long gets a goroutine and copies of its
//     bytes at once.
//   - A call that turns out to take longer than the budget loses the lead: the
//     server's watchdog gives what is read but unserved to a new leader, and the
//     goroutine of the slow call only finishes its call. So no call delays the
//     others of its connection for much longer than the budget.
//   - A reply that shows state which the engine's log has not synced yet is
//     parked. A goroutine waits for the log and releases what it covers; the
//     leader meanwhile reads on.
//
// Replies therefore overtake each other, as HBase's protocol allows.
//
// Read server.go for the life of the whole, worker.go for that of a call,
// output.go for that of a reply.
package rpc
