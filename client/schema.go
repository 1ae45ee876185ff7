package client

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
)

// TableDescriptor is a table's schema.
type TableDescriptor struct {
	Name     string
	Families []FamilyDescriptor
	// Attributes are HBase's table attributes, such as DURABILITY, as text.
	Attributes map[string]string
	// Configuration overrides settings of servers for the table.
	Configuration map[string]string
}

// Family returns a family by its name; nil when there is none.
func (t *TableDescriptor) Family(name string) *FamilyDescriptor {
	for i := range t.Families {
		if t.Families[i].Name == name {
			return &t.Families[i]
		}
	}
	return nil
}

// FamilyDescriptor is a column family's schema.
type FamilyDescriptor struct {
	Name string
	// Attributes are HBase's family attributes, such as VERSIONS, TTL,
	// COMPRESSION, DATA_BLOCK_ENCODING and BLOOMFILTER, as text. What is not
	// there has the server's default.
	Attributes    map[string]string
	Configuration map[string]string
}

// Family makes a descriptor with the server's defaults.
func Family(name string) FamilyDescriptor {
	return FamilyDescriptor{Name: name, Attributes: map[string]string{}}
}

// With returns a copy with an attribute set.
func (f FamilyDescriptor) With(attribute, value string) FamilyDescriptor {
	attributes := map[string]string{attribute: value}
	for k, v := range f.Attributes {
		if k != attribute {
			attributes[k] = v
		}
	}
	f.Attributes = attributes
	return f
}

// WithVersions returns a copy that keeps n versions of each column.
func (f FamilyDescriptor) WithVersions(n int) FamilyDescriptor {
	return f.With("VERSIONS", strconv.Itoa(n))
}

// WithTTL returns a copy whose cells expire after a while, in whole seconds.
func (f FamilyDescriptor) WithTTL(ttl time.Duration) FamilyDescriptor {
	return f.With("TTL", strconv.FormatInt(int64(ttl/time.Second), 10))
}

func splitName(table string) (namespace, qualifier string) {
	if ns, q, ok := strings.Cut(table, ":"); ok {
		return ns, q
	}
	return defaultNamespace, table
}

func tableName(table string) *adminpb.TableName {
	ns, q := splitName(table)
	return &adminpb.TableName{Namespace: []byte(ns), Qualifier: []byte(q)}
}

func nameOf(t *adminpb.TableName) string {
	if ns := string(t.GetNamespace()); ns != "" && ns != defaultNamespace {
		return ns + ":" + string(t.GetQualifier())
	}
	return string(t.GetQualifier())
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func bytesPairs(m map[string]string) []*adminpb.BytesBytesPair {
	var pairs []*adminpb.BytesBytesPair
	for _, k := range sortedKeys(m) {
		pairs = append(pairs, &adminpb.BytesBytesPair{First: []byte(k), Second: []byte(m[k])})
	}
	return pairs
}

func stringPairs(m map[string]string) []*adminpb.NameStringPair {
	var pairs []*adminpb.NameStringPair
	for _, k := range sortedKeys(m) {
		pairs = append(pairs, &adminpb.NameStringPair{Name: proto.String(k), Value: proto.String(m[k])})
	}
	return pairs
}

func fromBytesPairs(pairs []*adminpb.BytesBytesPair) map[string]string {
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		m[string(p.First)] = string(p.Second)
	}
	return m
}

func fromStringPairs(pairs []*adminpb.NameStringPair) map[string]string {
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		m[p.GetName()] = p.GetValue()
	}
	return m
}

func (t *TableDescriptor) schema() *adminpb.TableSchema {
	s := &adminpb.TableSchema{
		TableName: tableName(t.Name), Attributes: bytesPairs(t.Attributes), Configuration: stringPairs(t.Configuration),
	}
	for i := range t.Families {
		s.ColumnFamilies = append(s.ColumnFamilies, t.Families[i].schema())
	}
	return s
}

func (f *FamilyDescriptor) schema() *adminpb.ColumnFamilySchema {
	return &adminpb.ColumnFamilySchema{
		Name: []byte(f.Name), Attributes: bytesPairs(f.Attributes), Configuration: stringPairs(f.Configuration),
	}
}

func descriptorOf(s *adminpb.TableSchema) TableDescriptor {
	t := TableDescriptor{
		Name: nameOf(s.TableName), Attributes: fromBytesPairs(s.Attributes), Configuration: fromStringPairs(s.Configuration),
	}
	for _, f := range s.ColumnFamilies {
		t.Families = append(t.Families, FamilyDescriptor{
			Name: string(f.Name), Attributes: fromBytesPairs(f.Attributes), Configuration: fromStringPairs(f.Configuration),
		})
	}
	return t
}
