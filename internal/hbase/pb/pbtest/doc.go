// Package pbtest is a generated schema of HBase's data path, for tests: the
// hand-written code of package pb is compared with it. As in adminpb every field
// is optional. Nothing but tests imports it.
package pbtest

//go:generate sh -c "protoc -Ibasalt/hbasetest=. --plugin=protoc-gen-go=$(go tool -n protoc-gen-go) --go_out=. --go_opt=module=github.com/basaltdb/basalt/internal/hbase/pb/pbtest basalt/hbasetest/rpc.proto basalt/hbasetest/client.proto"
