package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
)

// Flush writes what the table's regions have in memory to files.
func (a *Admin) Flush(ctx context.Context, table string) error {
	return a.eachRegion(ctx, "flush "+table, table, func(r Region) (string, proto.Message, proto.Message) {
		return "FlushRegion", &adminpb.FlushRegionRequest{Region: specifier(r)}, new(adminpb.FlushRegionResponse)
	})
}

// Compact asks for the table's files to be merged, all of them in a major
// compaction. It returns before that is done.
func (a *Admin) Compact(ctx context.Context, table string, major bool) error {
	return a.eachRegion(ctx, "compact "+table, table, func(r Region) (string, proto.Message, proto.Message) {
		return "CompactRegion", &adminpb.CompactRegionRequest{Region: specifier(r), Major: &major}, new(adminpb.CompactRegionResponse)
	})
}

// eachRegion sends a request to the server of each region of a table. A region
// that is not where it was is asked again where it is.
func (a *Admin) eachRegion(ctx context.Context, op, table string, ask func(Region) (method string, request, answer proto.Message)) error {
	t := a.c.Table(table)
	done := make(map[string]bool)
	return a.c.retry(ctx, op, func(ctx context.Context) error {
		regions, err := t.Regions(ctx)
		if err != nil {
			return err
		}
		for _, r := range regions {
			if done[string(r.Name)] {
				continue
			}
			if r.Server == "" {
				return fmt.Errorf("%w: region %s is on no server", ErrUnavailable, r.Name)
			}
			s, err := a.c.server(r.Server)
			if err != nil {
				return err
			}
			p, err := s.service("AdminService")
			if err != nil {
				return err
			}
			method, request, answer := ask(r)
			if err := a.c.invoke(ctx, p, method, request, answer); err != nil {
				return err
			}
			done[string(r.Name)] = true
		}
		return nil
	}, nil)
}

func specifier(r Region) *adminpb.RegionSpecifier {
	return &adminpb.RegionSpecifier{Type: adminpb.RegionSpecifier_REGION_NAME.Enum(), Value: r.Name}
}

func encodedSpecifier(r Region) *adminpb.RegionSpecifier {
	return &adminpb.RegionSpecifier{Type: adminpb.RegionSpecifier_ENCODED_REGION_NAME.Enum(), Value: []byte(r.Encoded())}
}

// Split splits the region that has a row, there. Without a row the server
// chooses where, in every region of the table that it finds large enough.
func (a *Admin) Split(ctx context.Context, table string, row []byte) error {
	op := "split " + table
	regions, err := a.c.Table(table).Regions(ctx)
	if err != nil {
		return err
	}
	for _, r := range regions {
		if row != nil && !(&region{Region: r}).has(row) {
			continue
		}
		request := &adminpb.SplitTableRegionRequest{RegionInfo: regionInfo(r), SplitRow: row}
		request.NonceGroup, request.Nonce = a.nonces()
		if err := a.procedure(ctx, op, "SplitRegion", request, new(adminpb.SplitTableRegionResponse)); err != nil {
			return err
		}
	}
	return nil
}

// Merge merges two regions of a table, which must be neighbours.
func (a *Admin) Merge(ctx context.Context, first, second Region) error {
	request := &adminpb.MergeTableRegionsRequest{
		Region: []*adminpb.RegionSpecifier{encodedSpecifier(first), encodedSpecifier(second)}, Forcible: proto.Bool(false),
	}
	request.NonceGroup, request.Nonce = a.nonces()
	return a.procedure(ctx, "merge "+first.Table, "MergeTableRegions", request, new(adminpb.MergeTableRegionsResponse))
}

// Move moves a region to a server, named HOST,PORT,STARTCODE; empty leaves the
// choice to the master.
func (a *Admin) Move(ctx context.Context, r Region, server string) error {
	request := &adminpb.MoveRegionRequest{Region: encodedSpecifier(r)}
	if server != "" {
		name, err := parseServerName(server)
		if err != nil {
			return &OpError{Op: "move " + r.Encoded(), Table: r.Table, Err: err}
		}
		request.DestServerName = name
	}
	return a.call(ctx, "move "+r.Encoded(), "MoveRegion", request, new(adminpb.MoveRegionResponse))
}

// Unassign takes a region off its server, Assign puts it on one.
func (a *Admin) Unassign(ctx context.Context, r Region) error {
	return a.call(ctx, "unassign "+r.Encoded(), "UnassignRegion",
		&adminpb.UnassignRegionRequest{Region: specifier(r)}, new(adminpb.UnassignRegionResponse))
}

// Assign puts a region on a server of the master's choice.
func (a *Admin) Assign(ctx context.Context, r Region) error {
	return a.call(ctx, "assign "+r.Encoded(), "AssignRegion",
		&adminpb.AssignRegionRequest{Region: specifier(r)}, new(adminpb.AssignRegionResponse))
}

// Servers returns the names of the live region servers, as HOST,PORT,STARTCODE.
func (a *Admin) Servers(ctx context.Context) ([]string, error) {
	var r adminpb.GetClusterStatusResponse
	request := &adminpb.GetClusterStatusRequest{Options: []adminpb.ClusterStatus_Option{
		adminpb.ClusterStatus_LIVE_SERVERS, adminpb.ClusterStatus_SERVERS_NAME,
	}}
	if err := a.call(ctx, "list servers", "GetClusterStatus", request, &r); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range r.GetClusterStatus().GetLiveServers() {
		names = append(names, serverName(s.Server))
	}
	return names, nil
}

// Version is the version that the cluster calls itself.
func (a *Admin) Version(ctx context.Context) (string, error) {
	var r adminpb.GetClusterStatusResponse
	request := &adminpb.GetClusterStatusRequest{Options: []adminpb.ClusterStatus_Option{adminpb.ClusterStatus_HBASE_VERSION}}
	err := a.call(ctx, "version", "GetClusterStatus", request, &r)
	return r.GetClusterStatus().GetHbaseVersion().GetVersion(), err
}

func serverName(s *adminpb.ServerName) string {
	return fmt.Sprintf("%s,%d,%d", s.GetHostName(), s.GetPort(), s.GetStartCode())
}

func parseServerName(s string) (*adminpb.ServerName, error) {
	parts := strings.Split(s, ",")
	if len(parts) == 3 {
		port, err1 := strconv.ParseUint(parts[1], 10, 16)
		code, err2 := strconv.ParseUint(parts[2], 10, 64)
		if parts[0] != "" && err1 == nil && err2 == nil {
			return &adminpb.ServerName{HostName: &parts[0], Port: proto.Uint32(uint32(port)), StartCode: &code}, nil
		}
	}
	return nil, invalid("server name %q, want HOST,PORT,STARTCODE", s)
}

func regionInfo(r Region) *adminpb.RegionInfo {
	return &adminpb.RegionInfo{
		RegionId: proto.Uint64(r.ID), TableName: tableName(r.Table), StartKey: r.Start, EndKey: r.End,
		Offline: proto.Bool(false), Split: proto.Bool(false), ReplicaId: proto.Int32(0),
	}
}
