// Package row turns SQL values into the bytes of keys and rows and back. It is
// pure: bytes in, bytes out.
//
// Read value.go for what a value is, key.go for the order-preserving form in
// keys, row.go for the compact form in rows.
package row
