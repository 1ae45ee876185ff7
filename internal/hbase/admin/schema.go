package admin

import (
	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"google.golang.org/protobuf/proto"
)

// tableName reads the protobuf form. A name without a namespace is in the
// default one.
func tableName(n *adminpb.TableName) catalog.TableName {
	name := catalog.TableName{Namespace: string(n.GetNamespace()), Qualifier: string(n.GetQualifier())}
	if name.Namespace == "" {
		name.Namespace = catalog.DefaultNamespace
	}
	return name
}

// tableNamed reads a name as it is displayed.
func tableNamed(s string) catalog.TableName { return catalog.ParseTableName(s) }

func schema(m *adminpb.TableSchema) *catalog.Schema {
	s := &catalog.Schema{
		Name:          tableName(m.GetTableName()),
		Attributes:    bytesPairs(m.GetAttributes()),
		Configuration: stringPairs(m.GetConfiguration()),
	}
	for _, f := range m.GetColumnFamilies() {
		s.Families = append(s.Families, *familySchema(f))
	}
	return s
}

func familySchema(m *adminpb.ColumnFamilySchema) *catalog.FamilySchema {
	return &catalog.FamilySchema{
		Name:          m.GetName(),
		Attributes:    bytesPairs(m.GetAttributes()),
		Configuration: stringPairs(m.GetConfiguration()),
	}
}

func bytesPairs(in []*adminpb.BytesBytesPair) []catalog.BytesPair {
	var out []catalog.BytesPair
	for _, p := range in {
		out = append(out, catalog.BytesPair{Name: p.GetFirst(), Value: p.GetSecond()})
	}
	return out
}

func stringPairs(in []*adminpb.NameStringPair) []catalog.StringPair {
	var out []catalog.StringPair
	for _, p := range in {
		out = append(out, catalog.StringPair{Name: p.GetName(), Value: p.GetValue()})
	}
	return out
}

func schemaMessage(t *catalog.Table) *adminpb.TableSchema {
	m := &adminpb.TableSchema{
		TableName:     nameMessage(t.Name),
		Attributes:    bytesMessages(t.Attributes),
		Configuration: stringMessages(t.Configuration),
	}
	for _, f := range t.Families {
		m.ColumnFamilies = append(m.ColumnFamilies, &adminpb.ColumnFamilySchema{
			Name:          f.Name,
			Attributes:    bytesMessages(f.Attributes),
			Configuration: stringMessages(f.Configuration),
		})
	}
	return m
}

func nameMessage(n catalog.TableName) *adminpb.TableName {
	return &adminpb.TableName{Namespace: []byte(n.Namespace), Qualifier: []byte(n.Qualifier)}
}

func bytesMessages(in []catalog.BytesPair) []*adminpb.BytesBytesPair {
	var out []*adminpb.BytesBytesPair
	for _, p := range in {
		out = append(out, &adminpb.BytesBytesPair{First: p.Name, Second: p.Value})
	}
	return out
}

func stringMessages(in []catalog.StringPair) []*adminpb.NameStringPair {
	var out []*adminpb.NameStringPair
	for _, p := range in {
		out = append(out, &adminpb.NameStringPair{Name: proto.String(p.Name), Value: proto.String(p.Value)})
	}
	return out
}
