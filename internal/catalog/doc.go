// Package catalog knows which namespaces, tables, families and regions exist
// and which ids their data has. It is stored in the engine (space 02), one
// atomic batch per change, and held in memory as one immutable View that
// readers take with a single atomic load.
//
// Changes are made by methods of Catalog, one at a time; each is durable and
// visible in the View before it returns.
package catalog
