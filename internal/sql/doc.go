// Package sql is the language half of the MySQL door: sessions, their variables
// and transactions, accounts, and the choice of a plan for each statement. The
// door (package mysql) hands it texts and typed arguments and gets typed rows;
// below, package rel has the tables.
//
// Read api.go for the contract with the door, session.go for the life of a
// statement.
package sql
