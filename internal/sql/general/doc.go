// Package general runs any statement, through go-mysql-server's parser, analyser
// and executor over the tables of package rel. It is the only package that knows
// that engine. What the engine lacks is done here: locks of rows and tables,
// changes of schemas (in one step each), foreign keys and unique indexes (rel's),
// accounts.
//
// Read engine.go for what is kept of the engine, session.go for how a statement
// runs, table.go for a table as the engine sees it, ddl.go for schemas.
package general
