// Package password has the two ways in which MySQL keeps a password and lets a
// client prove that it knows it: mysql_native_password and
// caching_sha2_password. It is pure: no accounts, no sockets.
//
// A stored form is what MySQL shows as authentication_string. The empty string
// is the stored form of no password, in both ways.
//
// Read first: CheckNative, Stage2 and CheckFast, CheckFull.
package password
