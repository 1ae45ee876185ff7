package admin

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// addRegions adds the master's methods about regions and servers.
func (a *Admin) addRegions(s rpc.Service) {
	s["SplitRegion"] = slow(a.splitRegion)
	s["MergeTableRegions"] = slow(a.mergeTableRegions)
	s["MoveRegion"] = quick(a.moveRegion)
	s["AssignRegion"] = quick(a.assignRegion)
	s["getLastMajorCompactionTimestamp"] = quick(a.lastMajorCompaction)
	s["getLastMajorCompactionTimestampForRegion"] = quick(a.lastMajorCompactionOfRegion)
	s["ListDecommissionedRegionServers"] = quick(a.listDecommissionedRegionServers)
	s["ClearDeadServers"] = quick(a.clearDeadServers)
}

// region finds a region by any of its names: the full one, the encoded one, or
// a full one whose encoded part at the end is known. Clients mix up the types,
// so that only the value counts.
func (a *Admin) region(name []byte) *catalog.Region {
	if r := a.Meta.Region(name); r != nil {
		return r
	}
	v := a.Catalog.View()
	if r := v.ByName[string(name)]; r != nil {
		return r
	}
	if r := v.ByEncoded[string(name)]; r != nil {
		return r
	}
	if n := len(name) - 1; n >= 33 && name[n] == '.' && name[n-33] == '.' {
		return v.ByEncoded[string(name[n-32:n])]
	}
	return nil
}

func unknownRegion(name []byte) error {
	return rpc.Errorf(classUnknownRegion, "%s", catalog.DisplayBytes(name))
}

func (a *Admin) splitRegion(ctx context.Context, q *adminpb.SplitTableRegionRequest) (*adminpb.SplitTableRegionResponse, error) {
	info := q.GetRegionInfo()
	if info == nil {
		return nil, missing("region_info")
	}
	if info.GetReplicaId() != 0 {
		return nil, rpc.Errorf(classDoNotRetry, "Can't invoke split on non-default regions directly")
	}
	name, encoded := catalog.RegionName(tableName(info.GetTableName()), info.GetStartKey(), int64(info.GetRegionId()))
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		if !a.Catalog.View().Switch(switchSplit, true) {
			return rpc.Errorf(classDoNotRetry, "Split region %s failed due to split switch off", catalog.DisplayBytes(name))
		}
		if n := tableName(info.GetTableName()); n.IsSystem() {
			return &catalog.SystemTableError{Table: n}
		}
		r := a.Catalog.View().ByEncoded[encoded]
		if r == nil {
			return unknownRegion(name)
		}
		row := q.GetSplitRow()
		if len(row) == 0 {
			var err error
			if row, err = a.middle(ctx, r); err != nil {
				return err
			}
			if row == nil {
				return rpc.Errorf(classDoNotRetry, "Region not splittable because bestSplitPoint = null, maybe table is too "+
					"small for auto split. For force split, try specifying split row")
			}
		}
		return a.Catalog.SplitRegion(encoded, row)
	})
	return &adminpb.SplitTableRegionResponse{ProcId: id}, err
}

// middle is a row to split a region at, or nil.
func (a *Admin) middle(ctx context.Context, r *catalog.Region) ([]byte, error) {
	if r.Table.Name.IsSystem() || r.Table.State != catalog.Enabled {
		return nil, nil
	}
	row, err := a.Store.MidRow(ctx, r)
	if err != nil || bytes.Equal(row, r.Start) || !r.Contains(row) {
		return nil, err
	}
	return row, nil
}

func (a *Admin) mergeTableRegions(ctx context.Context, q *adminpb.MergeTableRegionsRequest) (*adminpb.MergeTableRegionsResponse, error) {
	var encoded []string
	for _, s := range q.GetRegion() {
		r := a.region(s.GetValue())
		if r == nil {
			return nil, unknownRegion(s.GetValue())
		}
		if r.Table.Name.IsSystem() {
			return nil, &catalog.SystemTableError{Table: r.Table.Name}
		}
		encoded = append(encoded, r.Encoded)
	}
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		if !a.Catalog.View().Switch(switchMerge, true) {
			return rpc.Errorf(classDoNotRetry, "Merge of [%s] failed because merge switch is off", strings.Join(encoded, ", "))
		}
		err := a.Catalog.MergeRegions(encoded)
		if e, ok := errors.AsType[*catalog.MergeError](err); ok && e.Apart && q.GetForcible() {
			return rpc.Errorf(classMergeRegion, "Only adjacent regions can be merged, also with force=true: regions never overlap")
		}
		return err
	})
	return &adminpb.MergeTableRegionsResponse{ProcId: id}, err
}

// moveRegion succeeds when the region is where it is asked to go: on the one
// server, or anywhere.
func (a *Admin) moveRegion(_ context.Context, q *adminpb.MoveRegionRequest) (*adminpb.MoveRegionResponse, error) {
	if a.region(q.GetRegion().GetValue()) == nil {
		return nil, unknownRegion(q.GetRegion().GetValue())
	}
	if d := q.GetDestServerName(); d != nil {
		if d.GetHostName() != a.Server.Host || d.GetPort() != uint32(a.Server.Port) || int64(d.GetStartCode()) != a.Server.StartCode {
			return nil, rpc.Errorf(classDoNotRetry, "Server %s,%d,%d is not online", d.GetHostName(), d.GetPort(), d.GetStartCode())
		}
	}
	return &adminpb.MoveRegionResponse{}, nil
}

// assignRegion: the regions of an enabled table are assigned.
func (a *Admin) assignRegion(_ context.Context, q *adminpb.AssignRegionRequest) (*adminpb.AssignRegionResponse, error) {
	r := a.region(q.GetRegion().GetValue())
	if r == nil {
		return nil, unknownRegion(q.GetRegion().GetValue())
	}
	if r.Table.State != catalog.Enabled {
		return nil, rpc.Errorf(classDoNotRetry, "%s is disabled for region=%s", r.Table.Name, r.Encoded)
	}
	return &adminpb.AssignRegionResponse{}, nil
}

func (a *Admin) listDecommissionedRegionServers(context.Context, *adminpb.ListDecommissionedRegionServersRequest) (*adminpb.ListDecommissionedRegionServersResponse, error) {
	return &adminpb.ListDecommissionedRegionServersResponse{}, nil
}

// clearDeadServers answers with the servers that are dead and stay listed: none.
func (a *Admin) clearDeadServers(context.Context, *adminpb.ClearDeadServersRequest) (*adminpb.ClearDeadServersResponse, error) {
	return &adminpb.ClearDeadServersResponse{}, nil
}
