package admin

import (
	"context"

	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// addSnapshots adds what is true of a database without snapshots: the list of
// them is empty, and none can be deleted or restored. Taking one is refused.
func (a *Admin) addSnapshots(s rpc.Service) {
	s["GetCompletedSnapshots"] = quick(a.getCompletedSnapshots)
	s["DeleteSnapshot"] = quick(a.deleteSnapshot)
	s["RestoreSnapshot"] = quick(a.restoreSnapshot)
	s["ListReplicationPeers"] = quick(none)
}

func (a *Admin) getCompletedSnapshots(context.Context, *adminpb.GetCompletedSnapshotsRequest) (*adminpb.GetCompletedSnapshotsResponse, error) {
	return &adminpb.GetCompletedSnapshotsResponse{}, nil
}

func (a *Admin) deleteSnapshot(_ context.Context, q *adminpb.DeleteSnapshotRequest) (*adminpb.DeleteSnapshotResponse, error) {
	return nil, noSnapshot(q.GetSnapshot())
}

func (a *Admin) restoreSnapshot(_ context.Context, q *adminpb.RestoreSnapshotRequest) (*adminpb.RestoreSnapshotResponse, error) {
	return nil, noSnapshot(q.GetSnapshot())
}

func noSnapshot(d *adminpb.SnapshotDescription) error {
	return rpc.Errorf(classNoSnapshot, "Snapshot '%s' doesn't exist", d.GetName())
}
