package hbase

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide"
)

// get answers Get. Only clients that say that they are of version 1.3 or newer
// look for its cells in the cell block.
func (s *Service) get(ctx context.Context, c *rpc.Call, r *rpc.Reply) error {
	w := takeWork()
	defer giveWork(w)
	if err := w.getRequest.Decode(c.Param); err != nil {
		return malformed(err)
	}
	g := &w.getRequest.Get
	if g.ClosestRowBefore {
		return s.closestRowBefore(ctx, c, r, w)
	}
	if err := s.bindGet(&w.get, g); err != nil {
		return s.exception(err, nil, opGet)
	}
	form := inline
	switch {
	case g.ExistenceOnly:
		form = counted
	case c.Client.AtLeast(1, 3):
		form = resultForm(c.Client)
	}
	message := len(r.Message)
	for try := 0; ; try++ {
		region, err := s.region(w.getRequest.Region.Value)
		if err != nil {
			return err
		}
		buf := r.Cells
		var open pb.Mark
		if form == inline {
			buf, open = pb.BeginGetResult(r.Message[:message])
		}
		w.sink.forResult(form, codecOf(c.Client), buf)
		mark, err := s.read(ctx, region, &w.get, &w.sink)
		r.Mark = max(r.Mark, mark)
		switch {
		case err == nil:
		case again(err, try):
			continue
		default:
			return s.exception(err, region, opGet)
		}
		switch form {
		case counted:
			r.Message = pb.AppendGetResponse(r.Message, &pb.Result{Exists: w.sink.total > 0, HasExists: true})
		case inline:
			r.Message = pb.End(w.sink.buf, open)
		default:
			r.Cells = w.sink.buf
			r.Message = pb.AppendGetResponse(r.Message, &pb.Result{CellCount: int32(w.sink.total), HasCellCount: true})
		}
		return nil
	}
}

// read reads one row of a stored or a virtual table.
func (s *Service) read(ctx context.Context, r *catalog.Region, g *wide.Get, out wide.Emitter) (kv.Mark, error) {
	if isVirtual(r) {
		return 0, wide.GetVirtual(s.virtual(r), g, out)
	}
	return s.store.Get(ctx, r, g, out)
}

// errClosestRow is what HBase 2 says to closest_row_before. asynchbase asks it
// to find out how old the server is, and goes on with reversed scans.
var errClosestRow = rpc.Errorf(classUnknownProtocol, "Is this a pre-hbase-1.0.0 or asynchbase client? "+
	"getClosestRowBefore is not there since HBase 2.0.0; a reverse scan does its work.")

// closestRowBefore serves the one client that still needs it: hbase-rpc-client
// for Node looks regions up so, in hbase:meta, and is told from asynchbase,
// which wants to be refused, by having no cell block codec. A row of another
// table is no answer.
func (s *Service) closestRowBefore(ctx context.Context, c *rpc.Call, r *rpc.Reply, w *work) error {
	region, err := s.region(w.getRequest.Region.Value)
	if err != nil {
		return err
	}
	if region.Table.Name != catalog.MetaTable || c.Client.Codec != rpc.NoCodec {
		return errClosestRow
	}
	if err := s.bindGet(&w.get, &w.getRequest.Get); err != nil {
		return s.exception(err, region, opGet)
	}
	sc, err := s.store.OpenVirtualScanner(s.virtual(region), &wide.Scan{
		Query: w.get.Query, Start: w.get.Row, IncludeStart: true, Reversed: true,
	})
	if err != nil {
		return s.exception(err, region, opGet)
	}
	defer sc.Close()
	message, open := pb.BeginGetResult(r.Message)
	w.sink.forResult(inline, 0, message)
	p, err := sc.Next(ctx, &wide.Limits{Rows: 1}, &w.sink)
	if err != nil {
		return s.exception(err, region, opGet)
	}
	if w.sink.total == 0 || !sameTable(p.Cursor, w.get.Row) {
		return nil
	}
	r.Message = pb.End(w.sink.buf, open)
	return nil
}
