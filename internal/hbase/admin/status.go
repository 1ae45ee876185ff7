package admin

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"google.golang.org/protobuf/proto"
)

func (a *Admin) addStatus(s rpc.Service) {
	s["GetClusterStatus"] = slow(a.getClusterStatus)
}

// getClusterStatus answers with the parts that are asked for, or with all.
func (a *Admin) getClusterStatus(_ context.Context, q *adminpb.GetClusterStatusRequest) (*adminpb.GetClusterStatusResponse, error) {
	all := len(q.GetOptions()) == 0
	wants := map[adminpb.ClusterStatus_Option]bool{}
	for _, o := range q.GetOptions() {
		wants[o] = true
	}
	want := func(o adminpb.ClusterStatus_Option) bool { return all || wants[o] }

	s := &adminpb.ClusterStatus{}
	if want(adminpb.ClusterStatus_HBASE_VERSION) {
		s.HbaseVersion = &adminpb.HBaseVersion{Version: proto.String(a.Version)}
	}
	if want(adminpb.ClusterStatus_CLUSTER_ID) {
		s.ClusterId = &adminpb.ClusterId{ClusterId: proto.String(a.Catalog.ClusterID())}
	}
	if want(adminpb.ClusterStatus_MASTER) {
		s.Master = a.Master.Message()
	}
	if want(adminpb.ClusterStatus_LIVE_SERVERS) {
		s.LiveServers = []*adminpb.LiveServerInfo{{Server: a.Server.Message(), ServerLoad: a.serverLoad()}}
	}
	if want(adminpb.ClusterStatus_SERVERS_NAME) {
		s.ServersName = []*adminpb.ServerName{a.Server.Message()}
	}
	if want(adminpb.ClusterStatus_BALANCER_ON) {
		s.BalancerOn = a.isOn(switchBalancer)
	}
	if want(adminpb.ClusterStatus_MASTER_INFO_PORT) && a.InfoPort != 0 {
		s.MasterInfoPort = proto.Int32(int32(a.InfoPort))
	}
	if want(adminpb.ClusterStatus_TABLE_TO_REGIONS_COUNT) {
		for _, t := range append(a.Meta.Tables(), a.Catalog.View().Sorted...) {
			s.TableRegionStatesCount = append(s.TableRegionStatesCount, &adminpb.TableRegionStatesCount{
				TableName: nameMessage(t.Name), RegionStatesCount: counts(t),
			})
		}
	}
	return &adminpb.GetClusterStatusResponse{ClusterStatus: s}, nil
}

// counts: the regions of a table are all in the state that the table has.
func counts(t *catalog.Table) *adminpb.RegionStatesCount {
	n := uint32(len(t.Regions) * t.Replicas)
	c := &adminpb.RegionStatesCount{
		OpenRegions: proto.Uint32(0), SplitRegions: proto.Uint32(0), ClosedRegions: proto.Uint32(0),
		RegionsInTransition: proto.Uint32(0), TotalRegions: proto.Uint32(n),
	}
	switch t.State {
	case catalog.Enabled:
		*c.OpenRegions = n
	case catalog.Disabled:
		*c.ClosedRegions = n
	default:
		*c.RegionsInTransition = n
	}
	return c
}

func (a *Admin) serverLoad() *adminpb.ServerLoad {
	load, now := a.Load(), uint64(a.Clock())
	used, limit := memory()
	s := &adminpb.ServerLoad{
		NumberOfRequests:      proto.Uint64(load.RequestsPerSecond),
		TotalNumberOfRequests: proto.Uint64(load.Requests),
		UsedHeapMb:            proto.Uint32(megabytes(used)),
		MaxHeapMb:             proto.Uint32(megabytes(limit)),
		ReportStartTime:       proto.Uint64(now),
		ReportEndTime:         proto.Uint64(now),
	}
	if a.InfoPort != 0 {
		s.InfoServerPort = proto.Uint32(uint32(a.InfoPort))
	}
	for _, r := range a.online() {
		s.RegionLoads = append(s.RegionLoads, a.regionLoad(r))
	}
	return s
}

// regionLoad has what is known of one region, which is a part of one store: it
// has no files or memstore of its own.
func (a *Admin) regionLoad(r *catalog.Region) *adminpb.RegionLoad {
	size := uint64(0)
	if !r.Table.Name.IsSystem() {
		size = a.Engine.SizeBytes(keyRange(r))
	}
	mb := megabytes(size)
	var reads, writes uint64
	if r.Load != nil {
		reads, writes = r.Load.Reads.Load(), r.Load.Writes.Load()
	}
	return &adminpb.RegionLoad{
		RegionSpecifier: &adminpb.RegionSpecifier{
			Type: adminpb.RegionSpecifier_REGION_NAME.Enum(), Value: r.Name,
		},
		Stores:                  proto.Uint32(uint32(len(r.Table.Families))),
		Storefiles:              proto.Uint32(0),
		StoreUncompressedSizeMb: proto.Uint32(mb),
		StorefileSizeMb:         proto.Uint32(mb),
		MemStoreSizeMb:          proto.Uint32(0),
		ReadRequestsCount:       proto.Uint64(reads),
		WriteRequestsCount:      proto.Uint64(writes),
		CompleteSequenceId:      proto.Uint64(uint64(r.OpenSeq)),
		DataLocality:            proto.Float32(1),
		LastMajorCompactionTs:   proto.Uint64(uint64(a.compactions.last(r))),
		CompactionState:         a.compactions.state(r).Enum(),
	}
}

// keyRange is where the rows of a region are stored.
func keyRange(r *catalog.Region) kv.KeyRange {
	id := r.Table.DataID()
	out := kv.KeyRange{Start: keys.AppendData(nil, id), End: keys.AppendDataEnd(nil, id)}
	if len(r.Start) > 0 {
		out.Start = keys.AppendRow(nil, id, r.Start)
	}
	if len(r.End) > 0 {
		out.End = keys.AppendRow(nil, id, r.End)
	}
	return out
}

// megabytes rounds up, so that what exists does not show as nothing.
func megabytes(n uint64) uint32 {
	return uint32(min((n+1<<20-1)>>20, math.MaxUint32))
}

// memory is what the Go runtime holds now, and its limit if it has one.
func memory() (used, limit uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	used = sample[0].Value.Uint64()
	limit = used
	if l := debug.SetMemoryLimit(-1); l < math.MaxInt64 {
		limit = uint64(l)
	}
	return used, limit
}
