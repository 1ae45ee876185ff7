// Package adminpb holds the messages of HBase's admin plane: MasterService,
// AdminService, the registries, ZooKeeper values, table and namespace schemas,
// snapshots, cluster status. They travel rarely, so generated code serves them;
// the messages of the data path are hand-written, in package pb.
//
// The schema is our own: only field numbers and types are HBase's, names never
// travel. Every field is optional, also those that HBase requires, so that an
// incomplete message reaches the handler that knows what is missing. Comments
// mark with "required" what a writer must set, since readers refuse the message
// without it.
package adminpb

//go:generate sh -c "protoc -Ibasalt/hbase=. --plugin=protoc-gen-go=$(go tool -n protoc-gen-go) --go_out=. --go_opt=module=github.com/basaltdb/basalt/internal/hbase/pb/adminpb basalt/hbase/basics.proto basalt/hbase/table.proto basalt/hbase/registry.proto basalt/hbase/status.proto basalt/hbase/snapshot.proto basalt/hbase/master_table.proto basalt/hbase/master_namespace.proto basalt/hbase/master_region.proto basalt/hbase/master_switch.proto basalt/hbase/master_procedure.proto basalt/hbase/admin.proto"
