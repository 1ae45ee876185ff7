// Package sysbench is the OLTP scenarios that sysbench made known: their tables,
// their events and statements, and their report. It is written from a description
// of what they do.
//
// A Test makes phases for the load engine: Fill loads the tables, Plan runs events.
package sysbench
