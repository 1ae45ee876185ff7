package catalog

import (
	"regexp"
	"strconv"
	"strings"
)

// Bounds of one schema. HBase has none but its 256 MiB frame.
const (
	maxFamilies    = 1000
	maxSchemaBytes = 4 << 20
	maxReplicas    = 10
)

// checkAttribute is the table attribute that turns HBase's sanity checks off.
const checkAttribute = "hbase.table.sanity.checks"

const checkHint = " Set " + checkAttribute + " to false at conf or table descriptor if you want to bypass sanity checks"

func checkSize(s *Schema) error {
	if len(s.Families) > maxFamilies {
		return argumentErrorf("Table %s has %d column families, more than %d", s.Name, len(s.Families), maxFamilies)
	}
	n := pairBytes(s.Attributes, s.Configuration)
	for i := range s.Families {
		n += len(s.Families[i].Name) + pairBytes(s.Families[i].Attributes, s.Families[i].Configuration)
	}
	if n > maxSchemaBytes {
		return argumentErrorf("The descriptor of table %s has %d bytes, more than %d", s.Name, n, maxSchemaBytes)
	}
	return nil
}

func pairBytes(a []BytesPair, c []StringPair) int {
	n := 0
	for i := range a {
		n += len(a[i].Name) + len(a[i].Value)
	}
	for i := range c {
		n += len(c[i].Name) + len(c[i].Value)
	}
	return n
}

// check refuses the schemas that HBase's master refuses, in its order and with
// its texts. What changes no answer of Basalt may be bypassed by the same table
// attribute as in HBase; what Basalt could not honour may not.
func check(t *Table) error {
	v, ok := t.Attribute(checkAttribute)
	bypass := ok && strings.EqualFold(v, "false")
	if !bypass {
		if err := checkTable(t); err != nil {
			return hinted(err)
		}
	}
	if err := checkSupported(t); err != nil {
		return err
	}
	if len(t.Families) == 0 {
		return hinted(schemaErrorf("Table should have at least one column family."))
	}
	for _, f := range t.Families {
		if err := checkVersions(f); err != nil {
			return hinted(err)
		}
		if bypass {
			continue
		}
		if err := checkFamily(f); err != nil {
			return hinted(err)
		}
	}
	return nil
}

func hinted(err error) error {
	return &SchemaError{err.Error() + checkHint}
}

func checkTable(t *Table) error {
	for _, c := range []struct {
		name string
		min  int64
		text string
	}{
		{"MAX_FILESIZE", 2 << 20, "MAX_FILESIZE for table descriptor or \"hbase.hregion.max.filesize\" (%d) is too small, " +
			"which might cause over splitting into unmanageable number of regions."},
		{"MEMSTORE_FLUSHSIZE", 1 << 20, "MEMSTORE_FLUSHSIZE for table descriptor or \"hbase.hregion.memstore.flush.size\" " +
			"(%d) is too small, which might cause very frequent flushing."},
	} {
		n, ok, err := t.long(c.name)
		if err != nil {
			return err
		}
		if ok && n < c.min {
			return schemaErrorf(c.text, n)
		}
	}
	if p, ok := t.Attribute("SPLIT_POLICY"); ok && !splitPolicies[p] {
		return schemaErrorf("Unable to load configured region split policy '%s' for table '%s'", p, t.Name)
	}
	n, ok, err := t.long("REGION_REPLICATION")
	if err != nil {
		return err
	}
	if ok && n < 1 {
		return schemaErrorf("Table region replication should be at least one.")
	}
	return nil
}

// long reads a table attribute that holds a Java long.
func (t *Table) long(name string) (n int64, ok bool, err error) {
	v, ok := t.Attribute(name)
	if !ok {
		return 0, false, nil
	}
	n, err = strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0, true, schemaErrorf("%s of table %s: For input string: %q", name, t.Name, v)
	}
	return n, true, nil
}

// splitPolicies are those that come with HBase. Basalt keeps the choice; its
// regions cost nothing, so it has no policy of its own.
var splitPolicies = map[string]bool{
	"org.apache.hadoop.hbase.regionserver.BusyRegionSplitPolicy":                   true,
	"org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy":           true,
	"org.apache.hadoop.hbase.regionserver.DelimitedKeyPrefixRegionSplitPolicy":     true,
	"org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy":               true,
	"org.apache.hadoop.hbase.regionserver.IncreasingToUpperBoundRegionSplitPolicy": true,
	"org.apache.hadoop.hbase.regionserver.KeyPrefixRegionSplitPolicy":              true,
	"org.apache.hadoop.hbase.regionserver.SteppingSplitPolicy":                     true,
}

// nativeCoprocessors are endpoints that Basalt answers itself, whether a table
// names them or not.
var nativeCoprocessors = map[string]bool{
	"org.apache.hadoop.hbase.coprocessor.AggregateImplementation":  true,
	"org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint": true,
}

var coprocessorName = regexp.MustCompile(`(?i)^coprocessor\$[0-9]+$`)

// checkSupported refuses what would otherwise be promised and not done.
func checkSupported(t *Table) error {
	for i := range t.Attributes {
		a := &t.Attributes[i]
		if !coprocessorName.Match(a.Name) {
			continue
		}
		// path|class|priority|arguments
		parts := strings.Split(string(a.Value), "|")
		if len(parts) < 2 || !nativeCoprocessors[strings.TrimSpace(parts[1])] {
			class := string(a.Value)
			if len(parts) >= 2 {
				class = strings.TrimSpace(parts[1])
			}
			return schemaErrorf("Class %s cannot be loaded: custom coprocessors are not supported", class)
		}
	}
	for _, f := range t.Families {
		if v, ok := f.Attribute("ENCRYPTION"); ok {
			return schemaErrorf("ENCRYPTION of family %s: encryption %s is not supported", f.Name, v)
		}
	}
	return nil
}

func checkVersions(f *Family) error {
	switch {
	case f.TTLSeconds <= 0:
		return schemaErrorf("TTL for column family %s must be positive.", f.Name)
	case f.MinVersions < 0:
		return schemaErrorf("Min versions for column family %s  must be positive.", f.Name)
	case f.MinVersions > f.MaxVersions:
		return schemaErrorf("Min versions for column family %s must be less than the Max versions.", f.Name)
	case f.MaxVersions <= 0:
		return schemaErrorf("Max versions for column family %s must be positive.", f.Name)
	}
	return nil
}

// enums are the attributes that a Java client reads into an enum: any other
// value would make the table's descriptor unreadable for it.
var enums = []struct {
	attribute, class string
	values           map[string]bool
}{
	{"COMPRESSION", "io.compress.Compression.Algorithm", compressions},
	{"COMPRESSION_COMPACT", "io.compress.Compression.Algorithm", compressions},
	{"COMPRESSION_COMPACT_MAJOR", "io.compress.Compression.Algorithm", compressions},
	{"COMPRESSION_COMPACT_MINOR", "io.compress.Compression.Algorithm", compressions},
	{"BLOOMFILTER", "regionserver.BloomType", set("NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH")},
	{"DATA_BLOCK_ENCODING", "io.encoding.DataBlockEncoding", set("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")},
	{"INDEX_BLOCK_ENCODING", "io.encoding.IndexBlockEncoding", set("NONE", "PREFIX_TREE")},
	{"IN_MEMORY_COMPACTION", "MemoryCompactionPolicy", set("NONE", "BASIC", "EAGER", "ADAPTIVE")},
}

var compressions = set("NONE", "LZO", "GZ", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "LZMA", "BROTLI")

func set(values ...string) map[string]bool {
	m := make(map[string]bool, len(values))
	for _, v := range values {
		m[v] = true
	}
	return m
}

func checkFamily(f *Family) error {
	for _, e := range enums {
		if v, ok := f.Attribute(e.attribute); ok && !e.values[strings.ToUpper(v)] {
			return schemaErrorf("No enum constant org.apache.hadoop.hbase.%s.%s", e.class, strings.ToUpper(v))
		}
	}
	scope, err := f.number("REPLICATION_SCOPE", 0)
	if err != nil {
		return err
	}
	if scope < 0 || scope > 2 {
		return schemaErrorf("Replication scope for column family %s is %d which is invalid.", f.Name, scope)
	}
	if v, _ := f.Attribute("BLOOMFILTER"); strings.EqualFold(v, "ROWPREFIX_FIXED_LENGTH") && !f.hasPrefixLength() {
		return schemaErrorf("Failed to get bloom filter param")
	}
	block, err := f.number("BLOCKSIZE", 65536)
	if err != nil {
		return err
	}
	if block < 1024 || block > 16<<20 {
		return schemaErrorf("Block size for column family %s  must be between 1K and 16MB.", f.Name)
	}
	copies, err := f.number("DFS_REPLICATION", 0)
	if err != nil {
		return err
	}
	if copies < 0 {
		return schemaErrorf("HFile Replication for column family %s  must be greater than zero.", f.Name)
	}
	return nil
}

// hasPrefixLength tells whether the one parameter of a prefix bloom filter is
// there: a positive length, no longer than a row.
func (f *Family) hasPrefixLength() bool {
	for _, c := range f.Configuration {
		if c.Name == "RowPrefixBloomFilter.prefix_length" {
			n, err := strconv.Atoi(c.Value)
			return err == nil && n > 0 && n <= 32767
		}
	}
	return false
}
