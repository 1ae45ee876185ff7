package meta

import (
	"bytes"
	"encoding/binary"
	"sort"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/wide/cell"
	"google.golang.org/protobuf/proto"
)

// magic stands before a serialised RegionInfo.
const magic = "PBUF"

// metaTable makes hbase:meta: for every table a row with its state and a row
// for every region. The region of hbase:meta itself has none, as in HBase.
//
// The rows of tables that are in the View before too are taken from there. They
// need no sorting: tables are sorted by name and regions by start key, which is
// what Compare compares.
func (m *Meta) metaTable(v *catalog.View, before map[*catalog.Table][]Row) (*Table, map[*catalog.Table][]Row) {
	tables := append(v.Sorted[:len(v.Sorted):len(v.Sorted)], m.namespace)
	sort.Slice(tables, func(i, j int) bool { return tables[i].Name.String() < tables[j].Name.String() })
	rows := make(map[*catalog.Table][]Row, len(tables))
	t := &Table{Compare: Compare, Rows: make([]Row, 0, len(tables)+len(v.ByEncoded)+1)}
	for _, described := range tables {
		own := before[described]
		if own == nil {
			own = m.tableRows(described)
		}
		rows[described] = own
		t.Rows = append(t.Rows, own...)
	}
	return t, rows
}

// tableRows makes the rows of one table.
func (m *Meta) tableRows(t *catalog.Table) []Row {
	rows := make([]Row, 0, 1+len(t.Regions))
	rows = append(rows, stateRow(t))
	for _, r := range t.Regions {
		rows = append(rows, m.regionRow(r))
	}
	return rows
}

// stateRow is a table's row: its state, as a message without the magic.
func stateRow(t *catalog.Table) Row {
	key := []byte(t.Name.String())
	state := encode(&adminpb.TableState{State: adminpb.TableState_State(t.State).Enum()})
	return Row{Key: key, Cells: []cell.Cell{{
		Row: key, Family: tableFamily, Qualifier: []byte("state"), Value: state,
		Timestamp: t.CreatedMs, Type: cell.Put,
	}}}
}

// regionRow is a region's row. Its columns are those that HBase writes, also
// for a region of a disabled table, which keeps the server it was on. What is
// said of a server is there once for each replica, with a suffix to the column.
func (m *Meta) regionRow(r *catalog.Region) Row {
	// What is said of the server is newer than the region, unless the region
	// came later.
	placed := max(r.RegionID, m.server.StartCode)
	row := Row{Key: r.Name, Cells: make([]cell.Cell, 0, 1+5*r.Table.Replicas)}
	add := func(qualifier string, ts int64, value []byte) {
		row.Cells = append(row.Cells, cell.Cell{
			Row: r.Name, Family: infoFamily, Qualifier: []byte(qualifier), Value: value, Timestamp: ts, Type: cell.Put,
		})
	}
	add("regioninfo", r.RegionID, append([]byte(magic), encode(RegionInfo(r, 0))...))
	for _, c := range []struct {
		qualifier string
		value     []byte
	}{
		{"seqnumDuringOpen", binary.BigEndian.AppendUint64(nil, uint64(r.OpenSeq))},
		{"server", []byte(m.server.Address())},
		{"serverstartcode", binary.BigEndian.AppendUint64(nil, uint64(m.server.StartCode))},
		{"sn", []byte(m.server.String())},
		{"state", []byte(regionState(r.Table.State))},
	} {
		for replica := range r.Table.Replicas {
			add(c.qualifier+catalog.ReplicaSuffix(replica), placed, c.value)
		}
	}
	// "server_0001" comes before "serverstartcode".
	sort.Slice(row.Cells, func(i, j int) bool { return cell.Compare(&row.Cells[i], &row.Cells[j]) < 0 })
	return row
}

func regionState(s catalog.TableState) string {
	switch s {
	case catalog.Disabled:
		return "CLOSED"
	case catalog.Disabling:
		return "CLOSING"
	case catalog.Enabling:
		return "OPENING"
	}
	return "OPEN"
}

// namespaceTable makes hbase:namespace: a row for every namespace.
func (m *Meta) namespaceTable(v *catalog.View) *Table {
	t := &Table{Table: m.namespace, Compare: bytes.Compare}
	for _, n := range v.SortedNamespaces() {
		key := []byte(n.Name)
		t.Rows = append(t.Rows, Row{Key: key, Cells: []cell.Cell{{
			Row: key, Family: infoFamily, Qualifier: []byte("d"), Value: encode(NamespaceDescriptor(n)),
			Timestamp: m.created, Type: cell.Put,
		}}})
	}
	return t
}

// RegionInfo is the protobuf form of a region's replica, with every field set,
// as HBase writes it.
func RegionInfo(r *catalog.Region, replica int) *adminpb.RegionInfo {
	return &adminpb.RegionInfo{
		RegionId:  proto.Uint64(uint64(r.RegionID)),
		TableName: TableName(r.Table.Name),
		StartKey:  r.Start,
		EndKey:    r.End,
		Offline:   proto.Bool(false),
		Split:     proto.Bool(false),
		ReplicaId: proto.Int32(int32(replica)),
	}
}

// TableName is the protobuf form of a name.
func TableName(n catalog.TableName) *adminpb.TableName {
	return &adminpb.TableName{Namespace: []byte(n.Namespace), Qualifier: []byte(n.Qualifier)}
}

// NamespaceDescriptor is the protobuf form of a namespace.
func NamespaceDescriptor(n *catalog.Namespace) *adminpb.NamespaceDescriptor {
	d := &adminpb.NamespaceDescriptor{Name: []byte(n.Name)}
	for _, c := range n.Configuration {
		d.Configuration = append(d.Configuration, &adminpb.NameStringPair{Name: proto.String(c.Name), Value: proto.String(c.Value)})
	}
	return d
}

func encode(m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic("meta: encoding " + string(m.ProtoReflect().Descriptor().Name()) + ": " + err.Error()) // proto2 messages without required fields always encode
	}
	return b
}
