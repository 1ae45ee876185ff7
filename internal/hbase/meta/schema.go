package meta

import (
	"strconv"

	"github.com/basaltdb/basalt/internal/catalog"
)

// The region of hbase:meta has a fixed name, and its short form is a hash of
// another kind than that of all other regions.
const (
	metaRegionName  = "hbase:meta,,1"
	metaEncodedName = "1588230740"
)

var (
	infoFamily    = []byte("info")
	tableFamily   = []byte("table")
	barrierFamily = []byte("rep_barrier")
)

// family describes a family as HBase does, where it differs from the defaults.
func family(name []byte, versions, bloom, encoding, inMemory, block string) catalog.FamilySchema {
	f := catalog.FamilySchema{Name: name}
	for _, a := range [][2]string{
		{"INDEX_BLOCK_ENCODING", "NONE"},
		{"VERSIONS", versions},
		{"KEEP_DELETED_CELLS", "FALSE"},
		{"DATA_BLOCK_ENCODING", encoding},
		{"TTL", "2147483647"},
		{"MIN_VERSIONS", "0"},
		{"REPLICATION_SCOPE", "0"},
		{"BLOOMFILTER", bloom},
		{"IN_MEMORY", inMemory},
		{"COMPRESSION", "NONE"},
		{"BLOCKCACHE", "true"},
		{"BLOCKSIZE", block},
	} {
		f.Attributes = append(f.Attributes, catalog.BytesPair{Name: []byte(a[0]), Value: []byte(a[1])})
	}
	return f
}

func attributes(isMeta string) []catalog.BytesPair {
	return []catalog.BytesPair{
		{Name: []byte("IS_META"), Value: []byte(isMeta)},
		{Name: []byte("hbase.store.file-tracker.impl"), Value: []byte("DEFAULT")},
	}
}

func metaSchema(replicas int) *catalog.Schema {
	s := &catalog.Schema{
		Name:       catalog.MetaTable,
		Attributes: attributes("true"),
		Families: []catalog.FamilySchema{
			family(infoFamily, "3", "ROWCOL", "ROW_INDEX_V1", "true", "8192"),
			family(barrierFamily, "2147483647", "ROWCOL", "ROW_INDEX_V1", "true", "65536"),
			family(tableFamily, "3", "ROWCOL", "ROW_INDEX_V1", "true", "8192"),
		},
	}
	if replicas > 1 {
		s.Attributes = append(s.Attributes, catalog.BytesPair{
			Name: []byte("REGION_REPLICATION"), Value: strconv.AppendInt(nil, int64(replicas), 10),
		})
	}
	return s
}

func namespaceSchema() *catalog.Schema {
	return &catalog.Schema{
		Name:       catalog.NamespaceTable,
		Attributes: attributes("false"),
		Families:   []catalog.FamilySchema{family(infoFamily, "10", "ROW", "NONE", "true", "8192")},
	}
}
