// Package admin answers HBase's administrative services: MasterService (tables,
// namespaces, regions, switches, cluster status), AdminService (what one region
// server is asked: flush, compact, region loads) and ClientMetaService (the
// registry that tells a client where the cluster is).
//
// Each service is an rpc.Service of handlers over decoded protobuf messages.
// The work is the catalog's and the engine's; what is decided here is which
// exception, with which text, a client of a real HBase would see.
//
// HBase runs changes as procedures whose result clients poll for. Here they run
// within the call: the id that a client gets is that of a finished procedure,
// and like in HBase most failures come back from the call itself. The rest of
// HBase's methods is refused by name (see unsupported.go), never ignored.
//
// Read Admin first, then handler.go and procedure.go.
package admin
