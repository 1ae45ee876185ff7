// Package wire is the bytes of HBase's RPC without sockets: preambles, frames,
// cell blocks and their compression, as pure functions.
//
// Appenders append to a buffer they are given. Decoders work in place: what they
// return aliases their input. Every length that a peer sends is compared with
// what is there before anything is allocated or indexed.
package wire
