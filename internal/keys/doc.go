// Package keys is the one map of Basalt's key space: the prefix of every kind
// of key, and order-preserving primitives to build them from. It is pure
// (bytes in, bytes out) and imports nothing of Basalt.
//
// Every key starts with one space byte:
//
//	01 system    | name                                     store format, clocks, id counters
//	02 catalog   | kind, name                               namespaces, tables, states
//	03 nonce     | generation, group, nonce                 results of retried increments and appends
//	10 wide      | data id | row 00 01 | family id | 00                              packed (row, family)
//	             |         |           |           | 01 | qualifier 00 01 | ^ts | ^type   one cell
//	20 rel       | 00 | table id                            a SQL table's counters
//	             | 00 | table id | 01                       a SQL table's lock name; no key is stored there
//	             | data id | encoded columns                an index entry; rows are entries of the primary index
//
// Data ids and family ids are order-preserving uvarints (AppendUvarint). Rows
// and qualifiers are escaped (00 becomes 00 FF) and terminated by 00 01, so
// that byte order is row order ("a" before "a\x00") and no row's keys are a
// prefix of another row's. ts is 8 bytes big-endian, inverted, so that newer
// cells come first; the type byte is inverted for the same reason.
//
// Plain byte order is the order of every engine. Split returns the row prefix
// of a wide key, which engines may use for bloom filters and for leaving a row
// quickly.
package keys
