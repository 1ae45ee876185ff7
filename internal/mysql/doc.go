// Package mysql is the door for MySQL's clients: it takes the place of a MySQL 8
// server on the wire. It turns packets into calls of an sql.Session and what
// that answers into packets, and does nothing else.
//
// # How a connection works
//
// One goroutine per connection reads as much as there is, takes the packets
// apart in place, runs each command, and appends the answers to one buffer,
// which goes out in one write when the input is drained or the buffer is full.
// So a client that sends one statement at a time costs one read and one write
// for each, and one that sends many ahead costs less. Config.Run is what starts
// the goroutine: a pool or a loop can take its place.
//
// Commands of one connection run one after the other, as in MySQL: what a
// session does is never concurrent, but for Kill.
//
// Read conn.go for the life of a connection, auth.go for how it begins,
// command.go for what a client can ask, result.go for rows.
//
// What always holds:
//   - no length that a client sends is believed before there is a bound for it;
//   - a client that does not send, or does not take its answer, ends by a
//     timeout; a packet that is wrong ends its connection and nothing else;
//   - an answer is whole, or the connection ends.
package mysql
