package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
)

// Admin makes, changes and looks at tables. Its methods return when the cluster
// has done what they ask. It is safe for concurrent use.
type Admin struct {
	c *Client
}

// Admin returns the client's access to the cluster's schema.
func (c *Client) Admin() *Admin { return &Admin{c} }

// call asks the active master.
func (a *Admin) call(ctx context.Context, op, method string, request, answer proto.Message) error {
	var master *rpc.Pool
	return a.c.retry(ctx, op, func(ctx context.Context) error {
		if master == nil {
			addr, err := a.c.registry.master(ctx)
			if err != nil {
				return err
			}
			s, err := a.c.server(addr)
			if err != nil {
				return err
			}
			if master, err = s.service("MasterService"); err != nil {
				return err
			}
		}
		return a.c.invoke(ctx, master, method, request, answer)
	}, func() { master = nil })
}

// procedure asks the master for something that takes time, and waits for it.
func (a *Admin) procedure(ctx context.Context, op, method string, request proto.Message, answer interface {
	proto.Message
	GetProcId() uint64
}) error {
	if err := a.call(ctx, op, method, request, answer); err != nil {
		return err
	}
	return a.wait(ctx, op, answer.GetProcId())
}

// Procedures are asked after often at first, less often later.
const (
	firstPoll = 5 * time.Millisecond
	lastPoll  = 200 * time.Millisecond
)

// wait waits for the end of a procedure, as long as the context allows.
func (a *Admin) wait(ctx context.Context, op string, id uint64) error {
	if id == 0 {
		return nil
	}
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		var r adminpb.GetProcedureResultResponse
		request := &adminpb.GetProcedureResultRequest{ProcId: &id}
		if err := a.call(ctx, op, "getProcedureResult", request, &r); err != nil {
			return err
		}
		switch r.GetState() {
		case adminpb.GetProcedureResultResponse_FINISHED:
			if x := r.Exception; x != nil {
				return &OpError{Op: op, Attempts: 1, Err: procedureError(x)}
			}
			return nil
		case adminpb.GetProcedureResultResponse_NOT_FOUND:
			// It ended so long ago that the master has forgotten how.
			return nil
		}
		if err := a.c.sleep(ctx, pause); err != nil {
			return &OpError{Op: op, Attempts: 1, Err: err}
		}
	}
}

func procedureError(x *adminpb.ForeignExceptionMessage) error {
	g := x.GetGenericException()
	return &RemoteError{
		Class: g.GetClassName(), Message: firstLine(g.GetClassName(), g.GetMessage()), Trace: g.GetMessage(),
		Server: x.GetSource(), DoNotRetry: true,
	}
}

// nonces make a request that is sent twice one request.
func (a *Admin) nonces() (group, nonce *uint64) {
	return proto.Uint64(a.c.nonceGroup), proto.Uint64(rand.Uint64() | 1)
}

// CreateTable makes a table, parted at the split keys, and returns when its
// regions can be used.
func (a *Admin) CreateTable(ctx context.Context, d TableDescriptor, splits ...[]byte) error {
	request := &adminpb.CreateTableRequest{TableSchema: d.schema(), SplitKeys: splits}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "create table "+d.Name, "CreateTable", request, new(adminpb.CreateTableResponse))
}

// DeleteTable deletes a table, which must be disabled.
func (a *Admin) DeleteTable(ctx context.Context, table string) error {
	request := &adminpb.DeleteTableRequest{TableName: tableName(table)}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "delete table "+table, "DeleteTable", request, new(adminpb.DeleteTableResponse))
}

// TruncateTable deletes all rows of a table, which must be disabled; it is
// enabled afterwards.
func (a *Admin) TruncateTable(ctx context.Context, table string, preserveSplits bool) error {
	request := &adminpb.TruncateTableRequest{TableName: tableName(table), PreserveSplits: &preserveSplits}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "truncate table "+table, "truncateTable", request, new(adminpb.TruncateTableResponse))
}

// EnableTable enables a table.
func (a *Admin) EnableTable(ctx context.Context, table string) error {
	request := &adminpb.EnableTableRequest{TableName: tableName(table)}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "enable table "+table, "EnableTable", request, new(adminpb.EnableTableResponse))
}

// DisableTable disables a table: it can be changed and deleted, not read or
// written.
func (a *Admin) DisableTable(ctx context.Context, table string) error {
	request := &adminpb.DisableTableRequest{TableName: tableName(table)}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "disable table "+table, "DisableTable", request, new(adminpb.DisableTableResponse))
}

// ModifyTable gives a table another schema.
func (a *Admin) ModifyTable(ctx context.Context, d TableDescriptor) error {
	request := &adminpb.ModifyTableRequest{TableName: tableName(d.Name), TableSchema: d.schema()}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "modify table "+d.Name, "ModifyTable", request, new(adminpb.ModifyTableResponse))
}

// TableState is whether a table can be used.
type TableState uint8

// The states of tables, in HBase's numbers.
const (
	Enabled TableState = iota
	Disabled
	Disabling
	Enabling
)

func (s TableState) String() string {
	names := [...]string{"ENABLED", "DISABLED", "DISABLING", "ENABLING"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("TableState(%d)", uint8(s))
}

// TableState returns a table's state, or ErrTableNotFound.
func (a *Admin) TableState(ctx context.Context, table string) (TableState, error) {
	table = strings.TrimPrefix(table, defaultNamespace+":")
	g := NewGet([]byte(table)).AddColumn("table", []byte("state"))
	r, err := a.c.Table(metaTable).Get(ctx, g)
	if err != nil {
		return 0, err
	}
	value := r.Value("table", []byte("state"))
	if value == nil {
		return 0, &OpError{Op: "table state", Table: table, Attempts: 1, Err: ErrTableNotFound}
	}
	var state adminpb.TableState
	if err := proto.Unmarshal(value, &state); err != nil {
		return 0, &OpError{Op: "table state", Table: table, Attempts: 1, Err: errors.Join(errMalformed, err)}
	}
	return TableState(state.GetState()), nil
}

// TableExists tells whether there is such a table, enabled or not.
func (a *Admin) TableExists(ctx context.Context, table string) (bool, error) {
	_, err := a.TableState(ctx, table)
	if errors.Is(err, ErrTableNotFound) {
		return false, nil
	}
	return err == nil, err
}

// ListTables returns the names of all tables but HBase's own, in order.
func (a *Admin) ListTables(ctx context.Context) ([]string, error) {
	return a.listTables(ctx, &adminpb.GetTableNamesRequest{})
}

// ListTablesMatching returns those whose name matches a Java regular expression,
// as a whole.
func (a *Admin) ListTablesMatching(ctx context.Context, pattern string) ([]string, error) {
	return a.listTables(ctx, &adminpb.GetTableNamesRequest{Regex: &pattern})
}

func (a *Admin) listTables(ctx context.Context, request *adminpb.GetTableNamesRequest) ([]string, error) {
	var r adminpb.GetTableNamesResponse
	if err := a.call(ctx, "list tables", "GetTableNames", request, &r); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(r.TableNames))
	for _, t := range r.TableNames {
		names = append(names, nameOf(t))
	}
	return names, nil
}

// DescribeTable returns a table's schema, or ErrTableNotFound.
func (a *Admin) DescribeTable(ctx context.Context, table string) (TableDescriptor, error) {
	var r adminpb.GetTableDescriptorsResponse
	request := &adminpb.GetTableDescriptorsRequest{TableNames: []*adminpb.TableName{tableName(table)}}
	op := "describe table"
	if err := a.call(ctx, op+" "+table, "GetTableDescriptors", request, &r); err != nil {
		return TableDescriptor{}, err
	}
	if len(r.TableSchema) == 0 {
		return TableDescriptor{}, &OpError{Op: op, Table: table, Attempts: 1, Err: ErrTableNotFound}
	}
	return descriptorOf(r.TableSchema[0]), nil
}

// CreateNamespace makes a namespace.
func (a *Admin) CreateNamespace(ctx context.Context, name string) error {
	request := &adminpb.CreateNamespaceRequest{NamespaceDescriptor: &adminpb.NamespaceDescriptor{Name: []byte(name)}}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "create namespace "+name, "CreateNamespace", request, new(adminpb.CreateNamespaceResponse))
}

// DeleteNamespace deletes a namespace, which must be empty.
func (a *Admin) DeleteNamespace(ctx context.Context, name string) error {
	request := &adminpb.DeleteNamespaceRequest{NamespaceName: &name}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "delete namespace "+name, "DeleteNamespace", request, new(adminpb.DeleteNamespaceResponse))
}

// ListNamespaces returns the names of all namespaces.
func (a *Admin) ListNamespaces(ctx context.Context) ([]string, error) {
	var r adminpb.ListNamespaceDescriptorsResponse
	if err := a.call(ctx, "list namespaces", "ListNamespaceDescriptors", &adminpb.ListNamespaceDescriptorsRequest{}, &r); err != nil {
		return nil, err
	}
	var names []string
	for _, d := range r.NamespaceDescriptor {
		names = append(names, string(d.Name))
	}
	return names, nil
}
