package admin

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"google.golang.org/protobuf/proto"
)

// noSeq is the sequence number of a location that was not read from a meta row.
const noSeq = -1

// RegistryService is ClientMetaService: how a client without ZooKeeper finds
// the cluster. Master and region server answer the same.
func (a *Admin) RegistryService() rpc.Service {
	return rpc.Service{
		"GetClusterId":           quick(a.getClusterID),
		"GetActiveMaster":        quick(a.getActiveMaster),
		"GetMasters":             quick(a.getMasters),
		"GetMetaRegionLocations": quick(a.getMetaRegionLocations),
		"GetBootstrapNodes":      quick(a.getBootstrapNodes),
	}
}

func (a *Admin) getClusterID(context.Context, *adminpb.GetClusterIdRequest) (*adminpb.GetClusterIdResponse, error) {
	return &adminpb.GetClusterIdResponse{ClusterId: proto.String(a.Catalog.ClusterID())}, nil
}

func (a *Admin) getActiveMaster(context.Context, *adminpb.GetActiveMasterRequest) (*adminpb.GetActiveMasterResponse, error) {
	return &adminpb.GetActiveMasterResponse{ServerName: a.Master.Message()}, nil
}

func (a *Admin) getMasters(context.Context, *adminpb.GetMastersRequest) (*adminpb.GetMastersResponse, error) {
	return &adminpb.GetMastersResponse{MasterServers: []*adminpb.GetMastersResponse_Entry{
		{ServerName: a.Master.Message(), IsActive: proto.Bool(true)},
	}}, nil
}

func (a *Admin) getMetaRegionLocations(context.Context, *adminpb.GetMetaRegionLocationsRequest) (*adminpb.GetMetaRegionLocationsResponse, error) {
	t := a.Meta.Describe(catalog.MetaTable)
	out := &adminpb.GetMetaRegionLocationsResponse{}
	for replica := range t.Replicas {
		out.MetaLocations = append(out.MetaLocations, &adminpb.RegionLocation{
			RegionInfo: meta.RegionInfo(t.Regions[0], replica),
			ServerName: a.Server.Message(),
			SeqNum:     proto.Int64(noSeq),
		})
	}
	return out, nil
}

// getBootstrapNodes names the region server: from then on a client asks it and
// no longer those it was started with.
func (a *Admin) getBootstrapNodes(context.Context, *adminpb.GetBootstrapNodesRequest) (*adminpb.GetBootstrapNodesResponse, error) {
	return &adminpb.GetBootstrapNodesResponse{ServerName: []*adminpb.ServerName{a.Server.Message()}}, nil
}
