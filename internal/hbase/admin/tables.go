package admin

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// addTables adds the methods that change tables.
func (a *Admin) addTables(s rpc.Service) {
	s["CreateTable"] = slow(a.createTable)
	s["DeleteTable"] = slow(a.deleteTable)
	s["EnableTable"] = slow(a.enableTable)
	s["DisableTable"] = slow(a.disableTable)
	s["truncateTable"] = slow(a.truncateTable)
	s["ModifyTable"] = slow(a.modifyTable)
	s["AddColumn"] = slow(a.addColumn)
	s["ModifyColumn"] = slow(a.modifyColumn)
	s["DeleteColumn"] = slow(a.deleteColumn)
	s["FlushTable"] = slow(a.flushTable)
}

func (a *Admin) createTable(ctx context.Context, q *adminpb.CreateTableRequest) (*adminpb.CreateTableResponse, error) {
	if q.GetTableSchema() == nil {
		return nil, missing("table_schema")
	}
	s := schema(q.GetTableSchema())
	addTracker(s)
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.Catalog.CreateTable(s, q.GetSplitKeys())
	})
	return &adminpb.CreateTableResponse{ProcId: id}, err
}

// addTracker adds the one attribute that HBase, since 2.5, gives every new table
// that comes without it. Clients show it, and compare descriptors with it.
func addTracker(s *catalog.Schema) {
	const name = "hbase.store.file-tracker.impl"
	for _, p := range s.Attributes {
		if string(p.Name) == name {
			return
		}
	}
	for _, p := range s.Configuration {
		if p.Name == name {
			return
		}
	}
	s.Attributes = append(s.Attributes, catalog.BytesPair{Name: []byte(name), Value: []byte("DEFAULT")})
}

func (a *Admin) deleteTable(ctx context.Context, q *adminpb.DeleteTableRequest) (*adminpb.DeleteTableResponse, error) {
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		err := a.Catalog.DropTable(tableName(q.GetTableName()))
		if e, ok := errors.AsType[*catalog.NotDisabledError](err); ok {
			return rpc.Errorf(classTableNotDisabled, "Not DISABLED; tableName=%s, state=%s", e.Table, e.State)
		}
		if _, ok := errors.AsType[*catalog.SystemTableError](err); ok {
			return &failed{rpc.Errorf(classIO, "Can't modify catalog tables")}
		}
		return err
	})
	return &adminpb.DeleteTableResponse{ProcId: id}, err
}

// enableTable is the one change whose failures HBase reports as the result of
// the procedure.
func (a *Admin) enableTable(ctx context.Context, q *adminpb.EnableTableRequest) (*adminpb.EnableTableResponse, error) {
	name := tableName(q.GetTableName())
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		err := a.Catalog.Enable(name)
		if _, ok := errors.AsType[*catalog.SystemTableError](err); ok {
			err = &catalog.NotDisabledError{Table: name, State: catalog.Enabled}
		}
		if e, ok := errors.AsType[*catalog.NotDisabledError](err); ok {
			return &failed{rpc.Errorf(classTableNotDisabled, "tableName=%s, state=%s", e.Table, e.State)}
		}
		if _, ok := errors.AsType[*catalog.NotFoundError](err); ok {
			return &failed{err}
		}
		return err
	})
	return &adminpb.EnableTableResponse{ProcId: id}, err
}

func (a *Admin) disableTable(ctx context.Context, q *adminpb.DisableTableRequest) (*adminpb.DisableTableResponse, error) {
	name := tableName(q.GetTableName())
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		err := a.Catalog.Disable(name)
		if _, ok := errors.AsType[*catalog.SystemTableError](err); ok {
			return rpc.Errorf(classDoNotRetry, "Cannot disable %s", name)
		}
		return err
	})
	return &adminpb.DisableTableResponse{ProcId: id}, err
}

func (a *Admin) truncateTable(ctx context.Context, q *adminpb.TruncateTableRequest) (*adminpb.TruncateTableResponse, error) {
	name := tableName(q.GetTableName())
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		err := a.Catalog.Truncate(name, q.GetPreserveSplits())
		if _, ok := errors.AsType[*catalog.SystemTableError](err); ok {
			return &catalog.NotDisabledError{Table: name, State: catalog.Enabled}
		}
		return err
	})
	return &adminpb.TruncateTableResponse{ProcId: id}, err
}

// modifyTable does not look at reopen_regions: a change shows at once, and
// regions have nothing that would need to be opened anew.
func (a *Admin) modifyTable(ctx context.Context, q *adminpb.ModifyTableRequest) (*adminpb.ModifyTableResponse, error) {
	if q.GetTableSchema() == nil {
		return nil, missing("table_schema")
	}
	s, name := schema(q.GetTableSchema()), tableName(q.GetTableName())
	if s.Name != name {
		return nil, rpc.Errorf(classDoNotRetry, "The descriptor of %s is for table %s", name, s.Name)
	}
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		if name == catalog.MetaTable {
			return a.modifyMeta(s)
		}
		return a.Catalog.ModifyTable(s)
	})
	return &adminpb.ModifyTableResponse{ProcId: id}, err
}

// modifyMeta does the one change of hbase:meta that there is: the number of its
// replicas.
func (a *Admin) modifyMeta(s *catalog.Schema) error {
	old := a.Meta.Describe(catalog.MetaTable).Schema()
	if !maps.Equal(settings(s), settings(&old)) {
		return &catalog.SystemTableError{Table: s.Name}
	}
	replicas := 1
	for _, p := range s.Attributes {
		if string(p.Name) == replication {
			var err error
			if replicas, err = strconv.Atoi(string(p.Value)); err != nil {
				return rpc.Errorf(classDoNotRetry, "%s: For input string: %q", replication, p.Value)
			}
		}
	}
	return a.Catalog.SetMetaReplicas(replicas)
}

const replication = "REGION_REPLICATION"

// settings is all that a schema says, but for the number of replicas.
func settings(s *catalog.Schema) map[string]string {
	out := map[string]string{}
	add := func(family string, attributes []catalog.BytesPair, configuration []catalog.StringPair) {
		out[family] = ""
		for _, p := range attributes {
			if family != "" || string(p.Name) != replication {
				out[family+"\x00a"+string(p.Name)] = string(p.Value)
			}
		}
		for _, p := range configuration {
			out[family+"\x00c"+p.Name] = p.Value
		}
	}
	add("", s.Attributes, s.Configuration)
	for i := range s.Families {
		add(string(s.Families[i].Name), s.Families[i].Attributes, s.Families[i].Configuration)
	}
	return out
}

func (a *Admin) addColumn(ctx context.Context, q *adminpb.AddColumnRequest) (*adminpb.AddColumnResponse, error) {
	if q.GetColumnFamilies() == nil {
		return nil, missing("column_families")
	}
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.Catalog.AddFamily(tableName(q.GetTableName()), familySchema(q.GetColumnFamilies()))
	})
	return &adminpb.AddColumnResponse{ProcId: id}, err
}

func (a *Admin) modifyColumn(ctx context.Context, q *adminpb.ModifyColumnRequest) (*adminpb.ModifyColumnResponse, error) {
	if q.GetColumnFamilies() == nil {
		return nil, missing("column_families")
	}
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.Catalog.ModifyFamily(tableName(q.GetTableName()), familySchema(q.GetColumnFamilies()))
	})
	return &adminpb.ModifyColumnResponse{ProcId: id}, err
}

func (a *Admin) deleteColumn(ctx context.Context, q *adminpb.DeleteColumnRequest) (*adminpb.DeleteColumnResponse, error) {
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.Catalog.DropFamily(tableName(q.GetTableName()), q.GetColumnName())
	})
	return &adminpb.DeleteColumnResponse{ProcId: id}, err
}

func (a *Admin) flushTable(ctx context.Context, q *adminpb.FlushTableRequest) (*adminpb.FlushTableResponse, error) {
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.flush(ctx, tableName(q.GetTableName()), q.GetColumnFamily())
	})
	return &adminpb.FlushTableResponse{ProcId: id}, err
}

// flush writes what is in memory to disk: the engine's, since all tables share
// one log and one memory.
func (a *Admin) flush(ctx context.Context, name catalog.TableName, families [][]byte) error {
	t, err := a.table(name)
	if err != nil {
		return err
	}
	if t.State != catalog.Enabled {
		return &catalog.NotEnabledError{Table: name, State: t.State}
	}
	var unknown []string
	for _, f := range families {
		if t.Family(f) == nil {
			unknown = append(unknown, string(f))
		}
	}
	if len(unknown) > 0 {
		return rpc.Errorf(classNoFamily, "Column families [%s] don't exist in table %s", strings.Join(unknown, ", "), name)
	}
	return a.Engine.Flush(ctx)
}

// table finds a table, the virtual ones among them.
func (a *Admin) table(name catalog.TableName) (*catalog.Table, error) {
	if t := a.Meta.Describe(name); t != nil {
		return t, nil
	}
	if t := a.Catalog.View().Tables[name]; t != nil {
		return t, nil
	}
	return nil, &catalog.NotFoundError{Table: name}
}
