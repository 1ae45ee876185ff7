package hbase

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// bindMutation translates a mutation whose data are inline or the next cells of
// the block. Whatever happens, the block stands behind its cells afterwards.
// Cells are appended to arena, which is returned; what is made aliases them, p
// and the block.
func (s *Service) bindMutation(to *wide.Mutation, p *pb.Mutation, nonceGroup uint64, block *wire.Cells, arena []cell.Cell) ([]cell.Cell, error) {
	*to = wide.Mutation{
		Kind:       wide.Kind(p.Type),
		Row:        p.Row,
		Timestamp:  cell.Latest,
		Durability: durability(p.Durability),
	}
	if isDelta(to) {
		to.NonceGroup, to.Nonce = nonceGroup, p.Nonce
	}
	if p.HasTimestamp {
		to.Timestamp = p.Timestamp
	}
	from := len(arena)
	var err error
	if p.CellCount > 0 {
		arena, err = blockCells(arena, to, p, block)
	} else {
		arena, err = inlineValues(arena, to, p)
	}
	if err != nil {
		return arena, err
	}
	to.Cells = arena[from:len(arena):len(arena)]
	switch {
	case p.Type > uint32(wide.KindDelete):
		return arena, refuse("Unsupported mutate type: %d", p.Type)
	case to.Timestamp < 0:
		return arena, refuse("Timestamp cannot be negative. ts=%d", to.Timestamp)
	}
	if to.TimeRange, err = timeRange(p.TimeRange); err != nil {
		return arena, err
	}
	if err = bindAttributes(to, p.Attributes); err != nil {
		return arena, err
	}
	return arena, nil
}

func bindAttributes(to *wide.Mutation, as pb.Attributes) error {
	if len(as) == 0 {
		return nil
	}
	if ttl, ok := as.Get(attributeTTL); ok {
		if len(ttl) != 8 {
			return refuse("attribute %s has %d bytes, not the 8 of a long", attributeTTL, len(ttl))
		}
		to.CellTTL = int64(binary.BigEndian.Uint64(ttl))
	}
	if rr, ok := as.Get(attributeReturnResults); ok {
		wanted, err := boolean(attributeReturnResults, rr)
		if err != nil {
			return err
		}
		to.NoResult = !wanted
	}
	return nil
}

// inlineValues reads the values that stand in the mutation itself. HBase takes
// the mutation's timestamp for puts only.
func inlineValues(arena []cell.Cell, m *wide.Mutation, p *pb.Mutation) ([]cell.Cell, error) {
	if !p.HasRow {
		return arena, refuse("row cannot be null")
	}
	if !p.HasValues {
		return arena, nil
	}
	ts := cell.Latest
	if m.Kind == wide.KindPut {
		ts = m.Timestamp
	}
	var v pb.Value
	values := p.Values()
	for values.Next(&v) {
		c := cell.Cell{Family: v.Family, Qualifier: v.Qualifier, Value: v.Value, Tags: v.Tags, Timestamp: ts, Type: cell.Put}
		if v.HasTimestamp {
			c.Timestamp = v.Timestamp
		}
		switch {
		case m.Kind == wide.KindDelete || m.Kind == wide.KindPut && v.HasDeleteType:
			c.Type, c.Value = deleteType(v.DeleteType), nil
		case !v.HasValue:
			return arena, refuse("Missing required field: qualifier value")
		}
		arena = append(arena, c)
	}
	if err := values.Err(); err != nil {
		return arena, malformed(err)
	}
	return arena, nil
}

func deleteType(t uint32) cell.Type {
	switch t {
	case pb.DeleteMultipleVersions:
		return cell.DeleteColumn
	case pb.DeleteFamily:
		return cell.DeleteFamily
	case pb.DeleteFamilyVersion:
		return cell.DeleteFamilyVersion
	}
	return cell.Delete
}

// blockCells takes the mutation's cells off the block. When it fails, it leaves
// the block behind them all the same: the next mutation's cells are its own.
func blockCells(arena []cell.Cell, m *wide.Mutation, p *pb.Mutation, block *wire.Cells) ([]cell.Cell, error) {
	start := *block
	fail := func(e *rpc.Error) ([]cell.Cell, error) {
		*block = start
		skipCells(p, block)
		return arena, e
	}
	var c cell.Cell
	for i := range p.CellCount {
		if !block.Next(&c) {
			if err := block.Err(); err != nil {
				return fail(malformed(err))
			}
			return fail(refuse("Cell count of %d but at index %d no cell returned", p.CellCount, i))
		}
		if i == 0 && !p.HasRow {
			m.Row = c.Row
		} else if !bytes.Equal(c.Row, m.Row) {
			return fail(refuse("The row in %s doesn't match the original one %s",
				describe(&c), catalog.DisplayBytes(m.Row)))
		}
		arena = append(arena, c)
	}
	return arena, nil
}

// skipCells passes over the cells of a mutation that is not carried out. That
// the block ends early shows at the next mutation that wants cells.
func skipCells(p *pb.Mutation, block *wire.Cells) {
	if p.CellCount > 0 {
		_ = block.Skip(int(p.CellCount))
	}
}

// describe names a cell in an error message as HBase does.
func describe(c *cell.Cell) string {
	return catalog.DisplayBytes(c.Row) + "/" + catalog.DisplayBytes(c.Family) + ":" + catalog.DisplayBytes(c.Qualifier) +
		"/" + strconv.FormatInt(c.Timestamp, 10) + "/" + c.Type.String() + "/vlen=" + strconv.Itoa(len(c.Value)) + "/seqid=0"
}

func durability(d uint32) catalog.Durability {
	if d > uint32(catalog.FsyncWAL) {
		return catalog.UseDefault
	}
	return catalog.Durability(d)
}
