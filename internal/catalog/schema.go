package catalog

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// Schema is what a client says of a table that it makes or changes.
type Schema struct {
	Name          TableName
	Attributes    []BytesPair
	Configuration []StringPair
	Families      []FamilySchema
}

// FamilySchema is what a client says of a family.
type FamilySchema struct {
	Name          []byte
	Attributes    []BytesPair
	Configuration []StringPair
}

// Schema returns the table as a schema, to be changed and given to ModifyTable.
// It shares the table's bytes, which are never written to.
func (t *Table) Schema() Schema {
	s := Schema{Name: t.Name, Attributes: t.Attributes, Configuration: t.Configuration}
	for _, f := range t.Families {
		s.Families = append(s.Families, f.Schema())
	}
	return s
}

// Schema returns the family as a schema.
func (f *Family) Schema() FamilySchema {
	return FamilySchema{Name: f.Name, Attributes: f.Attributes, Configuration: f.Configuration}
}

// Attribute finds an attribute of the table.
func (t *Table) Attribute(name string) (string, bool) { return find(t.Attributes, name) }

// Attribute finds an attribute of the family.
func (f *Family) Attribute(name string) (string, bool) { return find(f.Attributes, name) }

func find(attributes []BytesPair, name string) (string, bool) {
	for i := range attributes {
		if string(attributes[i].Name) == name {
			return string(attributes[i].Value), true
		}
	}
	return "", false
}

// settle applies attributes one after the other, as HBase's descriptors do: a
// later one replaces an earlier one of the same name, an empty value removes it.
func settle(in []BytesPair) []BytesPair {
	out := make([]BytesPair, 0, len(in))
	at := make(map[string]int, len(in))
	for _, p := range in {
		i, known := at[string(p.Name)]
		switch {
		case known:
			out[i].Value = bytes.Clone(p.Value)
		case len(p.Value) > 0:
			at[string(p.Name)] = len(out)
			out = append(out, BytesPair{bytes.Clone(p.Name), bytes.Clone(p.Value)})
		}
	}
	kept := out[:0]
	for _, p := range out {
		if len(p.Value) > 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

// settleStrings is settle for configuration.
func settleStrings(in []StringPair) []StringPair {
	pairs := make([]BytesPair, len(in))
	for i, p := range in {
		pairs[i] = BytesPair{[]byte(p.Name), []byte(p.Value)}
	}
	var out []StringPair
	for _, p := range settle(pairs) {
		out = append(out, StringPair{string(p.Name), string(p.Value)})
	}
	return out
}

// build makes a table of a schema: attributes settled and read into the typed
// fields, everything checked. The ids, the regions and the state are left to
// the caller.
func build(s *Schema) (*Table, error) {
	if err := CheckTableName(s.Name); err != nil {
		return nil, err
	}
	if err := checkSize(s); err != nil {
		return nil, err
	}
	t := &Table{
		Name:          s.Name,
		Attributes:    settle(s.Attributes),
		Configuration: settleStrings(s.Configuration),
	}
	for i := range s.Families {
		in := &s.Families[i]
		if err := CheckFamilyName(in.Name); err != nil {
			return nil, err
		}
		if t.Family(in.Name) != nil {
			return nil, argumentErrorf("Family '%s' already exists so cannot be added", in.Name)
		}
		t.Families = append(t.Families, &Family{
			Name:          bytes.Clone(in.Name),
			Attributes:    settle(in.Attributes),
			Configuration: settleStrings(in.Configuration),
		})
	}
	sort.Slice(t.Families, func(i, j int) bool {
		return bytes.Compare(t.Families[i].Name, t.Families[j].Name) < 0
	})
	if err := t.readAttributes(); err != nil {
		return nil, err
	}
	for _, f := range t.Families {
		if err := f.readAttributes(); err != nil {
			return nil, err
		}
	}
	return t, check(t)
}

// readAttributes fills the typed fields of the table.
func (t *Table) readAttributes() error {
	t.ReadOnly = isTrue(t.Attributes, "READONLY")
	t.Replicas = 1
	if n, ok, err := t.long("REGION_REPLICATION"); err != nil {
		return err
	} else if ok && n > 1 {
		if n > maxReplicas {
			return schemaErrorf("REGION_REPLICATION of %d: no more than %d are allowed", n, maxReplicas)
		}
		t.Replicas = int(n)
	}
	t.Durability = UseDefault
	if v, ok := t.Attribute("DURABILITY"); ok {
		d, known := durabilities[v]
		if !known {
			return schemaErrorf("DURABILITY of table %s: No enum constant "+
				"org.apache.hadoop.hbase.client.Durability.%s", t.Name, v)
		}
		t.Durability = d
	}
	t.MaxCellBytes = 0
	if v, ok := t.setting(maxCellSetting); ok {
		n, err := strconv.Atoi(v)
		if err != nil {
			return schemaErrorf("%s of table %s is not a number: %s", maxCellSetting, t.Name, v)
		}
		if t.MaxCellBytes = n; n <= 0 {
			t.MaxCellBytes = -1
		}
	}
	return nil
}

const maxCellSetting = "hbase.server.keyvalue.maxsize"

// setting is a server setting that the table overrides, as a value or in its
// configuration.
func (t *Table) setting(name string) (string, bool) {
	if v, ok := t.Attribute(name); ok {
		return v, true
	}
	for _, c := range t.Configuration {
		if c.Name == name {
			return c.Value, true
		}
	}
	return "", false
}

var durabilities = map[string]Durability{
	"USE_DEFAULT": UseDefault,
	"SKIP_WAL":    SkipWAL,
	"ASYNC_WAL":   AsyncWAL,
	"SYNC_WAL":    SyncWAL,
	"FSYNC_WAL":   FsyncWAL,
}

// readAttributes fills the typed fields of the family. A TTL in words is
// replaced by its seconds, since that is all that clients read.
func (f *Family) readAttributes() error {
	var err error
	if f.MaxVersions, err = f.number("VERSIONS", 1); err != nil {
		return err
	}
	if f.MinVersions, err = f.number("MIN_VERSIONS", 0); err != nil {
		return err
	}
	f.TTLSeconds = Forever
	for i := range f.Attributes {
		a := &f.Attributes[i]
		if string(a.Name) != "TTL" {
			continue
		}
		if f.TTLSeconds, err = parseTTL(string(a.Value)); err != nil {
			return schemaErrorf("TTL of family %s: %v", f.Name, err)
		}
		a.Value = strconv.AppendInt(nil, f.TTLSeconds, 10)
	}
	f.KeepDeleted = KeepDeletedFalse
	if v, ok := f.Attribute("KEEP_DELETED_CELLS"); ok {
		switch strings.ToUpper(v) {
		case "FALSE":
		case "TRUE":
			f.KeepDeleted = KeepDeletedTrue
		case "TTL":
			f.KeepDeleted = KeepDeletedTTL
		default:
			return schemaErrorf("KEEP_DELETED_CELLS of family %s: No enum constant "+
				"org.apache.hadoop.hbase.KeepDeletedCells.%s", f.Name, strings.ToUpper(v))
		}
	}
	f.NewVersionBehavior = isTrue(f.Attributes, "NEW_VERSION_BEHAVIOR")
	return nil
}

func isTrue(attributes []BytesPair, name string) bool {
	v, _ := find(attributes, name)
	return strings.EqualFold(v, "true")
}

// number reads an attribute that holds a Java int.
func (f *Family) number(name string, absent int) (int, error) {
	v, ok := f.Attribute(name)
	if !ok {
		return absent, nil
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		return 0, schemaErrorf("%s of family %s: For input string: %q", name, f.Name, v)
	}
	return int(n), nil
}

var ttlWords = regexp.MustCompile(`(?i)^(?:(\d+)\s*SECONDS?\s*\()?\s*(?:(\d+)\s*DAYS?)?\s*(?:(\d+)\s*HOURS?)?\s*` +
	`(?:(\d+)\s*MINUTES?)?\s*(?:(\d+)\s*SECONDS?)?\s*\)?$`)

// parseTTL reads seconds, FOREVER, or what the shell shows for them:
// "1 DAY 2 HOURS", "90 SECONDS (1 MINUTE 30 SECONDS)".
func parseTTL(s string) (int64, error) {
	if strings.EqualFold(s, "FOREVER") {
		return Forever, nil
	}
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return n, nil
	}
	m := ttlWords.FindStringSubmatch(s)
	if m == nil || strings.TrimSpace(s) == "" {
		return 0, argumentErrorf("For input string: %q", s)
	}
	total := int64(0)
	for i, unit := range []int64{24 * 3600, 3600, 60, 1} {
		if m[2+i] == "" {
			continue
		}
		n, err := strconv.ParseInt(m[2+i], 10, 32)
		if err != nil {
			return 0, argumentErrorf("For input string: %q", s)
		}
		total += n * unit
	}
	if m[1] != "" && m[1] != strconv.FormatInt(total, 10) {
		return 0, argumentErrorf("Malformed TTL string: the seconds and the words of %q do not match", s)
	}
	if total > Forever {
		return 0, argumentErrorf("For input string: %q", s)
	}
	return total, nil
}
