package admin

import (
	"context"
	"regexp"
	"sort"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/dlclark/regexp2"
	"google.golang.org/protobuf/proto"
)

// addListings adds the methods that read tables.
func (a *Admin) addListings(s rpc.Service) {
	s["GetTableNames"] = slow(a.getTableNames)
	s["GetTableDescriptors"] = slow(a.getTableDescriptors)
	s["ListTableNamesByState"] = slow(a.listTableNamesByState)
	s["ListTableDescriptorsByState"] = slow(a.listTableDescriptorsByState)
	s["GetTableState"] = quick(a.getTableState)
	s["GetSchemaAlterStatus"] = quick(a.getSchemaAlterStatus)
}

// list is the tables of a namespace (all if it is empty) whose name matches,
// ordered by the name as it is displayed.
func (a *Admin) list(namespace string, pattern *string, system bool) ([]*catalog.Table, error) {
	v := a.Catalog.View()
	if namespace != "" && v.Namespaces[namespace] == nil {
		return nil, &catalog.NamespaceNotFoundError{Name: namespace}
	}
	matches := func(string) (bool, error) { return true, nil }
	if pattern != nil {
		var err error
		if matches, err = compile(*pattern); err != nil {
			return nil, err
		}
	}
	var out []*catalog.Table
	for _, t := range append(a.Meta.Tables(), v.Sorted...) {
		if namespace != "" && t.Name.Namespace != namespace || !system && t.Name.Namespace == catalog.SystemNamespace {
			continue
		}
		ok, err := matches(t.Name.String())
		if err == nil && !ok && t.Name.Namespace == catalog.DefaultNamespace {
			ok, err = matches(catalog.DefaultNamespace + ":" + t.Name.Qualifier)
		}
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name.String() < out[j].Name.String() })
	return out, nil
}

// Bounds of a pattern: its length, and the time for one name. Only patterns that
// Go's regular expressions cannot do (look-around, back-references) can be slow.
const (
	maxPatternBytes = 64 << 10
	patternTime     = 200 * time.Millisecond
)

// compile makes a function that tells whether a Java pattern matches the whole
// of a name.
func compile(pattern string) (func(name string) (bool, error), error) {
	if len(pattern) > maxPatternBytes {
		return nil, rpc.Errorf(classDoNotRetry, "The pattern has %d bytes, more than %d", len(pattern), maxPatternBytes)
	}
	whole := `\A(?:` + pattern + `)\z`
	if re, err := regexp.Compile(whole); err == nil {
		return func(name string) (bool, error) { return re.MatchString(name), nil }, nil
	}
	re, err := regexp2.Compile(whole, regexp2.None)
	if err != nil {
		return nil, rpc.Errorf(classDoNotRetry, "Pattern %q: %v", pattern, err)
	}
	re.MatchTimeout = patternTime
	return func(name string) (bool, error) {
		ok, err := re.MatchString(name)
		if err != nil {
			return false, rpc.Errorf(classDoNotRetry, "Pattern %q: %v", pattern, err)
		}
		return ok, nil
	}, nil
}

func (a *Admin) getTableNames(_ context.Context, q *adminpb.GetTableNamesRequest) (*adminpb.GetTableNamesResponse, error) {
	tables, err := a.list(q.GetNamespace(), q.Regex, q.GetIncludeSysTables())
	if err != nil {
		return nil, err
	}
	return &adminpb.GetTableNamesResponse{TableNames: names(tables)}, nil
}

func (a *Admin) getTableDescriptors(_ context.Context, q *adminpb.GetTableDescriptorsRequest) (*adminpb.GetTableDescriptorsResponse, error) {
	if len(q.GetTableNames()) == 0 {
		tables, err := a.list(q.GetNamespace(), q.Regex, q.GetIncludeSysTables())
		if err != nil {
			return nil, err
		}
		return &adminpb.GetTableDescriptorsResponse{TableSchema: schemas(tables)}, nil
	}
	// Those that do not exist are left out: to the client an empty list means
	// that its table was not found.
	var tables []*catalog.Table
	for _, n := range q.GetTableNames() {
		if t, err := a.table(tableName(n)); err == nil {
			tables = append(tables, t)
		}
	}
	return &adminpb.GetTableDescriptorsResponse{TableSchema: schemas(tables)}, nil
}

func (a *Admin) listTableNamesByState(_ context.Context, q *adminpb.ListTableNamesByStateRequest) (*adminpb.ListTableNamesByStateResponse, error) {
	tables, err := a.inState(q.GetIsEnabled())
	return &adminpb.ListTableNamesByStateResponse{TableNames: names(tables)}, err
}

func (a *Admin) listTableDescriptorsByState(_ context.Context, q *adminpb.ListTableDescriptorsByStateRequest) (*adminpb.ListTableDescriptorsByStateResponse, error) {
	tables, err := a.inState(q.GetIsEnabled())
	return &adminpb.ListTableDescriptorsByStateResponse{TableSchema: schemas(tables)}, err
}

// inState lists the users' tables, as HBase does.
func (a *Admin) inState(enabled bool) ([]*catalog.Table, error) {
	want := catalog.Disabled
	if enabled {
		want = catalog.Enabled
	}
	tables, err := a.list("", nil, false)
	var out []*catalog.Table
	for _, t := range tables {
		if t.State == want {
			out = append(out, t)
		}
	}
	return out, err
}

func (a *Admin) getTableState(_ context.Context, q *adminpb.GetTableStateRequest) (*adminpb.GetTableStateResponse, error) {
	t, err := a.table(tableName(q.GetTableName()))
	if err != nil {
		return nil, err
	}
	state := adminpb.TableState_State(t.State)
	return &adminpb.GetTableStateResponse{TableState: &adminpb.TableState{State: &state}}, nil
}

// getSchemaAlterStatus: every region has a change when the change returns.
func (a *Admin) getSchemaAlterStatus(_ context.Context, q *adminpb.GetSchemaAlterStatusRequest) (*adminpb.GetSchemaAlterStatusResponse, error) {
	t, err := a.table(tableName(q.GetTableName()))
	if err != nil {
		return nil, err
	}
	return &adminpb.GetSchemaAlterStatusResponse{
		YetToUpdateRegions: proto.Uint32(0),
		TotalRegions:       proto.Uint32(uint32(len(t.Regions))),
	}, nil
}

func names(tables []*catalog.Table) []*adminpb.TableName {
	out := make([]*adminpb.TableName, len(tables))
	for i, t := range tables {
		out[i] = nameMessage(t.Name)
	}
	return out
}

func schemas(tables []*catalog.Table) []*adminpb.TableSchema {
	out := make([]*adminpb.TableSchema, len(tables))
	for i, t := range tables {
		out[i] = schemaMessage(t)
	}
	return out
}
