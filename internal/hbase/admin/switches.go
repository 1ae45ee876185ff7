package admin

import (
	"context"

	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"google.golang.org/protobuf/proto"
)

// Switches, by their names in the catalog. All are on until set. Splits, merges
// and compactions obey theirs; the others belong to chores that one server with
// logical regions does not have, and are kept so that an administrator reads
// back what was set.
const (
	switchBalancer        = "balancer"
	switchSplit           = "split"
	switchMerge           = "merge"
	switchNormalizer      = "normalizer"
	switchCatalogJanitor  = "catalog_janitor"
	switchCleaner         = "cleaner_chore"
	switchSnapshotCleanup = "snapshot_cleanup"
	switchCompaction      = "compaction"
)

func (a *Admin) addSwitches(s rpc.Service) {
	s["SetBalancerRunning"] = slow(a.setBalancerRunning)
	s["IsBalancerEnabled"] = quick(a.isBalancerEnabled)
	s["Balance"] = quick(a.balance)
	s["SetSplitOrMergeEnabled"] = slow(a.setSplitOrMergeEnabled)
	s["IsSplitOrMergeEnabled"] = quick(a.isSplitOrMergeEnabled)
	s["SetNormalizerRunning"] = slow(a.setNormalizerRunning)
	s["IsNormalizerEnabled"] = quick(a.isNormalizerEnabled)
	s["Normalize"] = quick(a.normalize)
	s["EnableCatalogJanitor"] = slow(a.enableCatalogJanitor)
	s["IsCatalogJanitorEnabled"] = quick(a.isCatalogJanitorEnabled)
	s["RunCatalogScan"] = quick(a.runCatalogScan)
	s["SetCleanerChoreRunning"] = slow(a.setCleanerChoreRunning)
	s["IsCleanerChoreEnabled"] = quick(a.isCleanerChoreEnabled)
	s["RunCleanerChore"] = quick(a.runCleanerChore)
	s["SwitchSnapshotCleanup"] = slow(a.switchSnapshotCleanup)
	s["IsSnapshotCleanupEnabled"] = quick(a.isSnapshotCleanupEnabled)
	s["IsMasterRunning"] = quick(a.isMasterRunning)
	s["IsMasterInMaintenanceMode"] = quick(a.isMasterInMaintenanceMode)
	s["IsRpcThrottleEnabled"] = quick(a.isRPCThrottleEnabled)
	s["getSecurityCapabilities"] = quick(a.getSecurityCapabilities)
}

// set sets a switch and returns what it was.
func (a *Admin) set(name string, on bool) (*bool, error) {
	was, err := a.Catalog.SetSwitch(name, on, true)
	return proto.Bool(was), err
}

func (a *Admin) isOn(name string) *bool { return proto.Bool(a.Catalog.View().Switch(name, true)) }

func (a *Admin) setBalancerRunning(_ context.Context, q *adminpb.SetBalancerRunningRequest) (*adminpb.SetBalancerRunningResponse, error) {
	was, err := a.set(switchBalancer, q.GetOn())
	return &adminpb.SetBalancerRunningResponse{PrevBalanceValue: was}, err
}

func (a *Admin) isBalancerEnabled(context.Context, *adminpb.IsBalancerEnabledRequest) (*adminpb.IsBalancerEnabledResponse, error) {
	return &adminpb.IsBalancerEnabledResponse{Enabled: a.isOn(switchBalancer)}, nil
}

// balance finds nothing to move between one server and itself.
func (a *Admin) balance(context.Context, *adminpb.BalanceRequest) (*adminpb.BalanceResponse, error) {
	return &adminpb.BalanceResponse{
		BalancerRan:     a.isOn(switchBalancer),
		MovesCalculated: proto.Uint32(0),
		MovesExecuted:   proto.Uint32(0),
	}, nil
}

func switchOf(t adminpb.MasterSwitchType) string {
	if t == adminpb.MasterSwitchType_MERGE {
		return switchMerge
	}
	return switchSplit
}

func (a *Admin) setSplitOrMergeEnabled(_ context.Context, q *adminpb.SetSplitOrMergeEnabledRequest) (*adminpb.SetSplitOrMergeEnabledResponse, error) {
	r := &adminpb.SetSplitOrMergeEnabledResponse{}
	for _, t := range q.GetSwitchTypes() {
		was, err := a.set(switchOf(t), q.GetEnabled())
		if err != nil {
			return nil, err
		}
		r.PrevValue = append(r.PrevValue, *was)
	}
	return r, nil
}

func (a *Admin) isSplitOrMergeEnabled(_ context.Context, q *adminpb.IsSplitOrMergeEnabledRequest) (*adminpb.IsSplitOrMergeEnabledResponse, error) {
	return &adminpb.IsSplitOrMergeEnabledResponse{Enabled: a.isOn(switchOf(q.GetSwitchType()))}, nil
}

func (a *Admin) setNormalizerRunning(_ context.Context, q *adminpb.SetNormalizerRunningRequest) (*adminpb.SetNormalizerRunningResponse, error) {
	was, err := a.set(switchNormalizer, q.GetOn())
	return &adminpb.SetNormalizerRunningResponse{PrevNormalizerValue: was}, err
}

func (a *Admin) isNormalizerEnabled(context.Context, *adminpb.IsNormalizerEnabledRequest) (*adminpb.IsNormalizerEnabledResponse, error) {
	return &adminpb.IsNormalizerEnabledResponse{Enabled: a.isOn(switchNormalizer)}, nil
}

// normalize says that it did not run.
func (a *Admin) normalize(context.Context, *adminpb.NormalizeRequest) (*adminpb.NormalizeResponse, error) {
	return &adminpb.NormalizeResponse{NormalizerRan: proto.Bool(false)}, nil
}

func (a *Admin) enableCatalogJanitor(_ context.Context, q *adminpb.EnableCatalogJanitorRequest) (*adminpb.EnableCatalogJanitorResponse, error) {
	was, err := a.set(switchCatalogJanitor, q.GetEnable())
	return &adminpb.EnableCatalogJanitorResponse{PrevValue: was}, err
}

func (a *Admin) isCatalogJanitorEnabled(context.Context, *adminpb.IsCatalogJanitorEnabledRequest) (*adminpb.IsCatalogJanitorEnabledResponse, error) {
	return &adminpb.IsCatalogJanitorEnabledResponse{Value: a.isOn(switchCatalogJanitor)}, nil
}

// runCatalogScan cleans nothing: a split or merge leaves no parents behind.
func (a *Admin) runCatalogScan(context.Context, *adminpb.RunCatalogScanRequest) (*adminpb.RunCatalogScanResponse, error) {
	return &adminpb.RunCatalogScanResponse{ScanResult: proto.Int32(0)}, nil
}

func (a *Admin) setCleanerChoreRunning(_ context.Context, q *adminpb.SetCleanerChoreRunningRequest) (*adminpb.SetCleanerChoreRunningResponse, error) {
	was, err := a.set(switchCleaner, q.GetOn())
	return &adminpb.SetCleanerChoreRunningResponse{PrevValue: was}, err
}

func (a *Admin) isCleanerChoreEnabled(context.Context, *adminpb.IsCleanerChoreEnabledRequest) (*adminpb.IsCleanerChoreEnabledResponse, error) {
	return &adminpb.IsCleanerChoreEnabledResponse{Value: a.isOn(switchCleaner)}, nil
}

// runCleanerChore says that it did not run: there are no old files to clean.
func (a *Admin) runCleanerChore(context.Context, *adminpb.RunCleanerChoreRequest) (*adminpb.RunCleanerChoreResponse, error) {
	return &adminpb.RunCleanerChoreResponse{CleanerChoreRan: proto.Bool(false)}, nil
}

func (a *Admin) switchSnapshotCleanup(_ context.Context, q *adminpb.SetSnapshotCleanupRequest) (*adminpb.SetSnapshotCleanupResponse, error) {
	was, err := a.set(switchSnapshotCleanup, q.GetEnabled())
	return &adminpb.SetSnapshotCleanupResponse{PrevSnapshotCleanup: was}, err
}

func (a *Admin) isSnapshotCleanupEnabled(context.Context, *adminpb.IsSnapshotCleanupEnabledRequest) (*adminpb.IsSnapshotCleanupEnabledResponse, error) {
	return &adminpb.IsSnapshotCleanupEnabledResponse{Enabled: a.isOn(switchSnapshotCleanup)}, nil
}

func (a *Admin) isMasterRunning(context.Context, *adminpb.IsMasterRunningRequest) (*adminpb.IsMasterRunningResponse, error) {
	return &adminpb.IsMasterRunningResponse{IsMasterRunning: proto.Bool(true)}, nil
}

func (a *Admin) isMasterInMaintenanceMode(context.Context, *adminpb.IsInMaintenanceModeRequest) (*adminpb.IsInMaintenanceModeResponse, error) {
	return &adminpb.IsInMaintenanceModeResponse{InMaintenanceMode: proto.Bool(false)}, nil
}

func (a *Admin) isRPCThrottleEnabled(context.Context, *adminpb.IsRpcThrottleEnabledRequest) (*adminpb.IsRpcThrottleEnabledResponse, error) {
	return &adminpb.IsRpcThrottleEnabledResponse{RpcThrottleEnabled: proto.Bool(false)}, nil
}

func (a *Admin) getSecurityCapabilities(context.Context, *adminpb.SecurityCapabilitiesRequest) (*adminpb.SecurityCapabilitiesResponse, error) {
	return &adminpb.SecurityCapabilitiesResponse{Capabilities: []adminpb.SecurityCapabilitiesResponse_Capability{
		adminpb.SecurityCapabilitiesResponse_SIMPLE_AUTHENTICATION,
	}}, nil
}
