// Package pb decodes and encodes the protobuf messages of HBase's data path by
// hand: connection and request headers, Get, Mutate, Multi, Scan, coprocessor
// calls and their answers. Generated code costs microseconds and garbage per
// call; this costs neither. The admin plane's messages are generated, in adminpb.
//
// Decoding happens in place: every byte slice of a decoded struct aliases the
// input and lives as long as it. Structs are reused: Decode starts by clearing
// the struct and keeps the capacity of its slices, so that a connection that
// decodes into the same struct again and again does not allocate. Repeated
// messages that can be many (the actions of a Multi, the values of a mutation)
// are not collected but walked by an iterator, so that a small request cannot
// ask for much memory.
//
// Encoding appends to a buffer. A nested message is opened with Begin and closed
// with End, which fills in the length.
//
// Field numbers and types are HBase's; a test compares both directions with
// google's implementation over the schema in pbtest.
package pb
