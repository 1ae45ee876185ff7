package admin

import (
	"context"

	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// masterRefused and serverRefused are the methods of HBase that are answered
// with a refusal, by what they would need.
var masterRefused = map[string][]string{
	"snapshots are not supported yet": {
		"Snapshot", "IsSnapshotDone", "IsRestoreSnapshotDone",
	},
	"replication is not supported": {
		"AddReplicationPeer", "RemoveReplicationPeer", "EnableReplicationPeer", "DisableReplicationPeer",
		"GetReplicationPeerConfig", "UpdateReplicationPeerConfig", "TransitReplicationPeerSyncReplicationState",
		"ReplicationPeerModificationSwitch", "GetReplicationPeerModificationProcedures",
		"IsReplicationPeerModificationEnabled",
	},
	"quotas and throttling are not supported": {
		"SetQuota", "GetQuotaStates", "GetSpaceQuotaRegionSizes", "SwitchRpcThrottle", "SwitchExceedThrottleQuota",
	},
	"access control is not supported": {
		"Grant", "Revoke", "GetUserPermissions", "HasUserPermissions",
	},
	"region server groups are not supported": {
		"GetRSGroupInfo", "GetRSGroupInfoOfTable", "GetRSGroupInfoOfServer", "AddRSGroup", "RemoveRSGroup",
		"BalanceRSGroup", "ListRSGroupInfos", "MoveServers", "RemoveServers", "ListTablesInRSGroup",
		"GetConfiguredNamespacesAndTablesInRSGroup", "RenameRSGroup", "UpdateRSGroupConfig",
	},
	"a single region cannot be closed; disable its table": {
		"UnassignRegion", "OfflineRegion",
	},
	"a single region cannot be emptied; truncate its table or delete its rows": {
		"TruncateRegion",
	},
	"the server is stopped by a signal to its process": {
		"Shutdown", "StopMaster",
	},
	"there is one server and it cannot be decommissioned": {
		"DecommissionRegionServers", "RecommissionRegionServer",
	},
	"coprocessor endpoints of the master are not supported": {
		"ExecMasterService",
	},
	"there are no store files to track": {
		"ModifyTableStoreFileTracker", "ModifyColumnStoreFileTracker",
	},
	"there is no separate store of the master": {
		"FlushMasterStore",
	},
	"logs of slow requests are not kept": {
		"GetLogEntries",
	},
}

var serverRefused = map[string][]string{
	"only the master of an HBase cluster calls it": {
		"OpenRegion", "WarmupRegion", "CloseRegion", "ExecuteProcedures", "UpdateFavoredNodes",
	},
	"replication is not supported": {
		"ReplicateWALEntry", "Replay", "GetCachedFilesList",
	},
	"quotas and throttling are not supported": {
		"GetSpaceQuotaSnapshots",
	},
	"the configuration is read when the server starts": {
		"UpdateConfiguration",
	},
	"the server is stopped by a signal to its process": {
		"StopServer",
	},
	"logs of slow requests are not kept": {
		"GetSlowLogResponses", "GetLargeLogResponses", "ClearSlowLogsResponses", "GetLogEntries",
	},
}

// refuse adds the refusals. Clients know the beginning of the text: HBase says
// it of a method that it does not have, and some clients then try another way.
func refuse(s rpc.Service, refused map[string][]string) {
	for reason, methods := range refused {
		for _, m := range methods {
			err := rpc.Errorf(classDoNotRetry, "java.lang.UnsupportedOperationException: %s: %s", m, reason)
			s[m] = rpc.Method{Handle: func(context.Context, *rpc.Call, *rpc.Reply) error { return err }}
		}
	}
}
