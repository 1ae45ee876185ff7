package admin

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"google.golang.org/protobuf/proto"
)

// addServer adds what a region server is asked.
func (a *Admin) addServer(s rpc.Service) {
	s["GetRegionInfo"] = slow(a.getRegionInfo)
	s["GetOnlineRegion"] = slow(a.getOnlineRegion)
	s["GetServerInfo"] = quick(a.getServerInfo)
	s["GetRegionLoad"] = slow(a.getRegionLoad)
	s["GetStoreFile"] = quick(a.getStoreFile)
	s["FlushRegion"] = slow(a.flushRegion)
	s["CompactRegion"] = quick(a.compactRegion)
	s["CompactionSwitch"] = slow(a.compactionSwitch)
	s["ClearCompactionQueues"] = quick(a.clearCompactionQueues)
	s["ClearRegionBlockCache"] = quick(a.clearRegionBlockCache)
	s["RollWALWriter"] = slow(a.rollWALWriter)
}

// open finds a region that is served.
func (a *Admin) open(s *adminpb.RegionSpecifier) (*catalog.Region, error) {
	r := a.region(s.GetValue())
	if r == nil || r.Table.State != catalog.Enabled {
		return nil, rpc.Retryf(classNotServing, "%s is not online on %s", catalog.DisplayBytes(s.GetValue()), a.Server)
	}
	return r, nil
}

func (a *Admin) getRegionInfo(ctx context.Context, q *adminpb.GetRegionInfoRequest) (*adminpb.GetRegionInfoResponse, error) {
	r, err := a.open(q.GetRegion())
	if err != nil {
		return nil, err
	}
	user := !r.Table.Name.IsSystem()
	out := &adminpb.GetRegionInfoResponse{
		RegionInfo: meta.RegionInfo(r, 0),
		Splittable: proto.Bool(user),
		Mergeable:  proto.Bool(user),
	}
	if q.GetCompactionState() {
		out.CompactionState = a.compactions.state(r).Enum()
	}
	if q.GetBestSplitRow() {
		if out.BestSplitRow, err = a.middle(ctx, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (a *Admin) getOnlineRegion(context.Context, *adminpb.GetOnlineRegionRequest) (*adminpb.GetOnlineRegionResponse, error) {
	out := &adminpb.GetOnlineRegionResponse{}
	for _, r := range a.online() {
		for replica := range r.Table.Replicas {
			out.RegionInfo = append(out.RegionInfo, meta.RegionInfo(r, replica))
		}
	}
	return out, nil
}

// online is all regions that are served.
func (a *Admin) online() []*catalog.Region {
	var out []*catalog.Region
	for _, t := range append(a.Meta.Tables(), a.Catalog.View().Sorted...) {
		if t.State == catalog.Enabled {
			out = append(out, t.Regions...)
		}
	}
	return out
}

func (a *Admin) getServerInfo(context.Context, *adminpb.GetServerInfoRequest) (*adminpb.GetServerInfoResponse, error) {
	info := &adminpb.ServerInfo{ServerName: a.Server.Message()}
	if a.InfoPort != 0 {
		info.WebuiPort = proto.Uint32(uint32(a.InfoPort))
	}
	return &adminpb.GetServerInfoResponse{ServerInfo: info}, nil
}

func (a *Admin) getRegionLoad(_ context.Context, q *adminpb.GetRegionLoadRequest) (*adminpb.GetRegionLoadResponse, error) {
	regions := a.online()
	out := &adminpb.GetRegionLoadResponse{}
	for _, r := range regions {
		if q.GetTableName() == nil || r.Table.Name == tableName(q.GetTableName()) {
			out.RegionLoads = append(out.RegionLoads, a.regionLoad(r))
		}
	}
	return out, nil
}

// getStoreFile: regions share the engine's files and have none of their own.
func (a *Admin) getStoreFile(_ context.Context, q *adminpb.GetStoreFileRequest) (*adminpb.GetStoreFileResponse, error) {
	_, err := a.open(q.GetRegion())
	return &adminpb.GetStoreFileResponse{}, err
}

func (a *Admin) flushRegion(ctx context.Context, q *adminpb.FlushRegionRequest) (*adminpb.FlushRegionResponse, error) {
	r, err := a.open(q.GetRegion())
	if err != nil {
		return nil, err
	}
	if len(q.GetFamily()) > 0 && r.Table.Family(q.GetFamily()) == nil {
		return nil, rpc.Errorf(classNoFamily, "column family %s does not exist in region %s",
			q.GetFamily(), catalog.DisplayBytes(r.Name))
	}
	if err := a.Engine.Flush(ctx); err != nil {
		return nil, err
	}
	return &adminpb.FlushRegionResponse{
		LastFlushTime: proto.Uint64(uint64(a.Clock())),
		Flushed:       proto.Bool(true),
	}, nil
}

func (a *Admin) clearCompactionQueues(context.Context, *adminpb.ClearCompactionQueuesRequest) (*adminpb.ClearCompactionQueuesResponse, error) {
	a.compactions.clear()
	return &adminpb.ClearCompactionQueuesResponse{}, nil
}

// clearRegionBlockCache tells the truth: nothing was evicted. The engine's cache
// is one for all and cannot be cleared by region.
func (a *Admin) clearRegionBlockCache(_ context.Context, q *adminpb.ClearRegionBlockCacheRequest) (*adminpb.ClearRegionBlockCacheResponse, error) {
	for _, s := range q.GetRegion() {
		if _, err := a.open(s); err != nil {
			return nil, err
		}
	}
	return &adminpb.ClearRegionBlockCacheResponse{Stats: &adminpb.CacheEvictionStats{
		EvictedBlocks: proto.Int64(0),
		BytesEvicted:  proto.Int64(0),
		MaxCacheSize:  proto.Int64(a.Engine.Stats().CacheBytes),
	}}, nil
}

// rollWALWriter flushes, which begins a new log file.
func (a *Admin) rollWALWriter(ctx context.Context, _ *adminpb.RollWALWriterRequest) (*adminpb.RollWALWriterResponse, error) {
	return &adminpb.RollWALWriterResponse{}, a.Engine.Flush(ctx)
}
