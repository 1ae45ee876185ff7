package zk

import (
	"encoding/binary"
	"sort"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
)

// ZnodesConfig says which cluster Znodes describes.
type ZnodesConfig struct {
	// Parent is the root of HBase's znodes, usually /hbase.
	Parent       string
	ClusterID    string
	Master       meta.ServerName
	RegionServer meta.ServerName
	// InfoPort is the HTTP port; 0 when there is none.
	InfoPort int
	// View is the catalog of now; its tables and namespaces are mirrored for
	// clients of the HBase 1 line.
	View func() *catalog.View
}

// Znodes is the Tree of an HBase cluster that is one process.
type Znodes struct {
	fixed  map[string]Node
	tables string // parent of the table states
	spaces string // parent of the namespaces
	view   func() *catalog.View
}

// NewZnodes builds the tree.
func NewZnodes(c ZnodesConfig) *Znodes {
	z := &Znodes{
		fixed:  make(map[string]Node),
		tables: c.Parent + "/table",
		spaces: c.Parent + "/namespace",
		view:   c.View,
	}
	children := make(map[string]map[string]bool)
	add := func(path string, data []byte) {
		z.fixed[path] = Node{Data: data}
		for path != "/" {
			dir, name := split(path)
			if children[dir] == nil {
				children[dir] = make(map[string]bool)
			}
			children[dir][name] = true
			path = dir
		}
	}
	add("/zookeeper", nil)
	add(c.Parent+"/hbaseid", magic(protowire.AppendString(
		protowire.AppendTag(nil, 1, protowire.BytesType), c.ClusterID)))
	add(c.Parent+"/meta-region-server", magic(metaRegionServer(c.RegionServer)))
	add(c.Parent+"/master", magic(master(c.Master, c.InfoPort)))
	add(c.Parent+"/rs/"+c.RegionServer.String(), magic(infoPort(nil, 1, c.InfoPort)))
	for _, name := range []string{"backup-masters", "draining", "running", "table", "namespace"} {
		add(c.Parent+"/"+name, nil)
	}
	for path, names := range children {
		n := z.fixed[path]
		n.Children = sortedNames(names)
		z.fixed[path] = n
	}
	return z
}

// Node implements Tree.
func (z *Znodes) Node(path string) (Node, bool) {
	dir, name := split(path)
	switch {
	case path == z.tables:
		return Node{Children: z.tableNames()}, true
	case path == z.spaces:
		return Node{Children: z.namespaceNames()}, true
	case dir == z.tables:
		return z.table(name)
	case dir == z.spaces:
		return z.namespace(name)
	}
	n, ok := z.fixed[path]
	return n, ok
}

// tableNames has the two tables that are made from the catalog and not in it.
func (z *Znodes) tableNames() []string {
	names := []string{catalog.MetaTable.String(), catalog.NamespaceTable.String()}
	for _, t := range z.view().Sorted {
		names = append(names, t.Name.String())
	}
	sort.Strings(names)
	return names
}

// table is a DeprecatedTableState: 1 state, in the numbers of TableState.
func (z *Znodes) table(name string) (Node, bool) {
	state := catalog.Enabled
	if n := catalog.ParseTableName(name); !n.IsSystem() {
		t := z.view().Tables[n]
		if t == nil {
			return Node{}, false
		}
		state = t.State
	}
	b := protowire.AppendTag(nil, 1, protowire.VarintType)
	return Node{Data: magic(protowire.AppendVarint(b, uint64(state)))}, true
}

func (z *Znodes) namespaceNames() []string {
	var names []string
	for n := range z.view().Namespaces {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// namespace is a NamespaceDescriptor, which HBase writes without the PBUF that
// its other values have: 1 name, 2* configuration {1 name, 2 value}.
func (z *Znodes) namespace(name string) (Node, bool) {
	ns := z.view().Namespaces[name]
	if ns == nil {
		return Node{}, false
	}
	b := protowire.AppendTag(nil, 1, protowire.BytesType)
	b = protowire.AppendString(b, name)
	for _, p := range ns.Configuration {
		pair := protowire.AppendTag(nil, 1, protowire.BytesType)
		pair = protowire.AppendString(pair, p.Name)
		pair = protowire.AppendTag(pair, 2, protowire.BytesType)
		pair = protowire.AppendString(pair, p.Value)
		b = protowire.AppendTag(b, 2, protowire.BytesType)
		b = protowire.AppendBytes(b, pair)
	}
	return Node{Data: headed(b)}, true
}

// writerID stands where HBase puts the name of the writing process; clients
// skip it by its length, which some want to be at least 1.
const writerID = "basalt"

// headed puts the header of HBase's znode values in front of b:
//
//	0xFF | int32 length | writer id | b
func headed(b []byte) []byte {
	v := append(make([]byte, 0, 5+len(writerID)+len(b)), 0xFF)
	v = binary.BigEndian.AppendUint32(v, uint32(len(writerID)))
	v = append(v, writerID...)
	return append(v, b...)
}

// magic is headed with the PBUF mark before the message.
func magic(message []byte) []byte {
	return headed(append([]byte("PBUF"), message...))
}

// serverName: 1 host_name, 2 port, 3 start_code.
func serverName(s meta.ServerName) []byte {
	b := protowire.AppendTag(nil, 1, protowire.BytesType)
	b = protowire.AppendString(b, s.Host)
	b = protowire.AppendTag(b, 2, protowire.VarintType)
	b = protowire.AppendVarint(b, uint64(s.Port))
	b = protowire.AppendTag(b, 3, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(s.StartCode))
}

// metaRegionServer: 1 server, 2 rpc_version, 3 state.
func metaRegionServer(s meta.ServerName) []byte {
	const stateOpen = 3
	b := protowire.AppendTag(nil, 1, protowire.BytesType)
	b = protowire.AppendBytes(b, serverName(s))
	b = protowire.AppendTag(b, 2, protowire.VarintType)
	b = protowire.AppendVarint(b, 0)
	b = protowire.AppendTag(b, 3, protowire.VarintType)
	return protowire.AppendVarint(b, stateOpen)
}

// master: 1 master, 2 rpc_version, 3 info_port.
func master(s meta.ServerName, port int) []byte {
	b := protowire.AppendTag(nil, 1, protowire.BytesType)
	b = protowire.AppendBytes(b, serverName(s))
	b = protowire.AppendTag(b, 2, protowire.VarintType)
	b = protowire.AppendVarint(b, 0)
	return infoPort(b, 3, port)
}

// infoPort appends the HTTP port, which HBase leaves out for -1: none.
func infoPort(dst []byte, field protowire.Number, port int) []byte {
	if port == 0 {
		return dst
	}
	dst = protowire.AppendTag(dst, field, protowire.VarintType)
	return protowire.AppendVarint(dst, uint64(port))
}

// split cuts a path into its parent and its last name.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/", path[i+1:]
	}
	return path[:i], path[i+1:]
}

func sortedNames(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
