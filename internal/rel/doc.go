// Package rel has SQL tables over the store: rows, indexes, constraints and
// changes of schemas. It knows no SQL: values come typed (rel/row), conditions
// as ranges of keys.
//
// A row is an entry of the table's primary index: the encoded key columns under
// the index's data id, with all columns as the value. A secondary index has an
// entry for each row: its columns and then the primary key; a unique index whose
// columns are not NULL has its columns only, and the primary key as the value.
//
// Read table.go for what a Table is, txn.go for transactions and locks, write.go
// and scan.go for what they do to rows.
//
// What always holds:
//
//   - Who changes a row holds its lock, Exclusively, and has read its newest
//     version since; the lock's name is the row's key.
//   - A row and its index entries change in one transaction.
//   - A transaction holds a shared lock on every table it uses; who changes a
//     table's schema holds it exclusively. So a transaction sees one version.
package rel
