package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/client/internal/zk"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
)

// registry knows where a cluster's first addresses are.
type registry interface {
	// meta is the server that has hbase:meta, as HOST:PORT.
	meta(ctx context.Context) (string, error)
	// master is the active master.
	master(ctx context.Context) (string, error)
	clusterID(ctx context.Context) (string, error)
	close()
}

func address(s *adminpb.ServerName) (string, error) {
	if s.GetHostName() == "" || s.GetPort() == 0 || s.GetPort() > 65535 {
		return "", fmt.Errorf("%w: the registry knows no address", ErrUnavailable)
	}
	return joinHostPort(s.GetHostName(), s.GetPort()), nil
}

// zkRegistry reads HBase's znodes.
type zkRegistry struct {
	c      *Client
	hosts  []string
	parent string
}

func (r *zkRegistry) read(ctx context.Context, node string, m proto.Message) error {
	ctx, cancel := context.WithTimeout(ctx, r.c.config.DialTimeout)
	defer cancel()
	path := r.parent + "/" + node
	b, err := zk.Read(ctx, r.c.config.Dial, r.hosts, path)
	if err != nil {
		return fmt.Errorf("%w: znode %s: %w", ErrUnavailable, path, err)
	}
	if b, err = zk.Unwrap(b); err == nil {
		err = proto.Unmarshal(b, m)
	}
	if err != nil {
		return fmt.Errorf("%w: znode %s: %w", errMalformed, path, err)
	}
	return nil
}

func (r *zkRegistry) meta(ctx context.Context) (string, error) {
	var m adminpb.MetaRegionServer
	if err := r.read(ctx, "meta-region-server", &m); err != nil {
		return "", err
	}
	return address(m.Server)
}

func (r *zkRegistry) master(ctx context.Context) (string, error) {
	var m adminpb.Master
	if err := r.read(ctx, "master", &m); err != nil {
		return "", err
	}
	return address(m.Master)
}

func (r *zkRegistry) clusterID(ctx context.Context) (string, error) {
	var m adminpb.ClusterId
	err := r.read(ctx, "hbaseid", &m)
	return m.GetClusterId(), err
}

func (r *zkRegistry) close() {}

// rpcRegistry asks ClientMetaService of masters and region servers.
type rpcRegistry struct {
	c     *Client
	pools []*rpc.Pool
}

func newRPCRegistry(c *Client, hosts []string) *rpcRegistry {
	r := &rpcRegistry{c: c}
	for _, h := range hosts {
		r.pools = append(r.pools, c.pool(h, "ClientMetaService", 1))
	}
	return r
}

// ask asks one after the other until one answers.
func (r *rpcRegistry) ask(ctx context.Context, method string, answer proto.Message) error {
	var errs []error
	for _, i := range rand.Perm(len(r.pools)) {
		err := r.c.invoke(ctx, r.pools[i], method, nil, answer)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return fmt.Errorf("%w: %s: %w", ErrUnavailable, method, errors.Join(errs...))
}

func (r *rpcRegistry) meta(ctx context.Context) (string, error) {
	var m adminpb.GetMetaRegionLocationsResponse
	if err := r.ask(ctx, "GetMetaRegionLocations", &m); err != nil {
		return "", err
	}
	for _, l := range m.MetaLocations {
		if l.GetRegionInfo().GetReplicaId() == 0 && l.ServerName != nil {
			return address(l.ServerName)
		}
	}
	return "", fmt.Errorf("%w: hbase:meta is nowhere", ErrUnavailable)
}

func (r *rpcRegistry) master(ctx context.Context) (string, error) {
	var m adminpb.GetActiveMasterResponse
	if err := r.ask(ctx, "GetActiveMaster", &m); err != nil {
		return "", err
	}
	return address(m.ServerName)
}

func (r *rpcRegistry) clusterID(ctx context.Context) (string, error) {
	var m adminpb.GetClusterIdResponse
	err := r.ask(ctx, "GetClusterId", &m)
	return m.GetClusterId(), err
}

func (r *rpcRegistry) close() {
	for _, p := range r.pools {
		p.Close()
	}
}

// ClusterID is the cluster's own id.
func (c *Client) ClusterID(ctx context.Context) (string, error) {
	var id string
	err := c.retry(ctx, "cluster id", func(ctx context.Context) (err error) {
		id, err = c.registry.clusterID(ctx)
		return err
	}, nil)
	return id, err
}
