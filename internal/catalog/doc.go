// Package catalog knows which namespaces, tables, families and regions exist
// and which ids their data has. It is stored in the engine (space 02), one
// atomic batch per change, and held in memory as one immutable View that
// readers take with a single atomic load.
//
// Changes are made by methods of Catalog, one at a time; each is durable, and
// then visible in the View, before it returns. The table versions that a change
// replaced are retired after that, so that operations which started on one can
// notice and start again.
//
// # Records
//
// Keys start with the space byte 02 and a letter. Names are UTF-8; "esc" is
// keys.AppendEscaped, "uvarint" keys.AppendUvarint.
//
//	02 's'                                            cluster id, id counters
//	02 'n' name                                       namespace
//	02 't' esc(namespace) qualifier                   table: state, schema, data ids
//	02 'r' esc(namespace) esc(qualifier) start        region: its end and id
//	02 'w' name                                       administrator's switch
//	02 'x' uvarint(data id)                           dropped data that is to be deleted
//	02 'q' esc(namespace) name                        SQL table: columns, indexes, constraints
//	02 'o' esc(namespace) kind name                   SQL view, trigger, procedure, event, as text
//	02 'b' name                                       any bytes (accounts of the MySQL door)
//
// A value is one byte, the version of the format (1), and a JSON object; byte
// strings in it are base64. Unknown members are ignored, so that members can be
// added; anything else needs a new version. A table's schema is kept as the
// client sent it (attributes and their order) and read into typed fields when
// it is loaded.
//
// # Ids
//
// A data id names the keys of a table's data and is never used twice: Truncate
// takes a new one, and the old one's keys are deleted after the change. The
// change itself writes the 'x' record, so that a crash between the two is made
// good by the next Open. A family id is never used twice in its table; the
// cells of a dropped family are unreachable at once and their space comes back
// when their rows are rewritten.
package catalog
