// Package store is what a key-value workload needs of a database: rows with named
// fields, read, written and scanned by key. Package hbasedb and mysqldb do it over
// the wire; Noop does nothing, to show what the workload itself costs.
//
// Read Store and Session first. A Session belongs to one worker.
package store
