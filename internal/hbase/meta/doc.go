// Package meta makes the rows of the two tables that HBase clients read to find
// their way: hbase:meta (which region is where, which table is enabled) and
// hbase:namespace. Neither is stored: both are views of the catalog, made once
// per catalog.View when someone asks.
//
// Clients find regions by the order of hbase:meta's rows, which is not byte
// order; see Compare.
package meta
