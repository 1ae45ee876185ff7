// Package wire is MySQL's client/server protocol as bytes: packets, the
// handshake, replies, column definitions, text and binary rows, parameters of
// prepared statements, compressed frames. It knows no sockets and no sessions.
//
// Encoders append to a buffer that they are given. Decoders return views into
// what they decode, valid as long as that is, and check every length before they
// believe it; whatever is wrong is ErrMalformed.
//
// Read first: Writer and Next for packets, Cursor for everything inside them.
package wire
