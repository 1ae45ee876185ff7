// Package hbase is the ClientService of the HBase door: Get, Mutate, Multi,
// Scan and ExecService as handlers of package rpc. It translates: request
// messages and cell blocks into operations of package wide, their results into
// response messages and cell blocks, errors into the exceptions that HBase
// would send. What an operation means is decided in wide.
//
// hbase:meta and hbase:namespace are virtual tables: rows made from the catalog
// (package meta) that are read like any other and never written.
//
// Read first: Service, Service.get, openScanner, Service.multi.
package hbase
