// Package zk is the ZooKeeper-protocol endpoint through which HBase clients
// discover the cluster: enough of a ZooKeeper server, read-only, for every
// client that only connects, reads znodes, lists children, sets watches and
// closes. It stores nothing; what it shows comes from a Tree, which Znodes
// builds from the cluster's identity and the catalog.
//
// It is no ZooKeeper: writes and everything else that changes state are
// answered with NOAUTH or UNIMPLEMENTED, sessions hold nothing and are accepted
// whatever id they bring, and one process is the whole ensemble.
//
// Read first: Server, Tree, Znodes.
//
// What always holds:
//   - replies of a connection are in the order of its requests;
//   - zxid is one constant per process run, larger than that of every earlier
//     run, so that a watch carried over a restart fires and no client sees time
//     run backwards;
//   - nothing a client sends is allocated for before its length was checked.
package zk
