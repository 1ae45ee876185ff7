package catalog

import (
	"encoding/json"
	"fmt"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// The byte after the space byte of a catalog key.
const (
	kindBlob      byte = 'b'
	kindNamespace byte = 'n'
	kindSQLObject byte = 'o'
	kindSQLTable  byte = 'q'
	kindRegion    byte = 'r'
	kindStore     byte = 's'
	kindTable     byte = 't'
	kindSwitch    byte = 'w'
	kindTrash     byte = 'x'
)

// recordVersion is the first byte of every value.
const recordVersion = 1

// storeRecord has what belongs to no one table.
type storeRecord struct {
	ClusterID  string `json:"cluster"`
	CreatedMs  int64  `json:"created"`
	NextDataID uint64 `json:"next_data"`
	// LastID is the newest region id given out: they are times, but unique.
	LastID int64 `json:"last_id"`
	// MetaReplicas is 0 unless someone has set it.
	MetaReplicas int `json:"meta_replicas,omitempty"`
}

// pairRecord is an attribute or a configuration entry. Both may be any bytes.
type pairRecord struct {
	Name  []byte `json:"n"`
	Value []byte `json:"v"`
}

type namespaceRecord struct {
	Configuration []pairRecord `json:"config,omitempty"`
}

type tableRecord struct {
	State         TableState     `json:"state"`
	Attributes    []pairRecord   `json:"attrs,omitempty"`
	Configuration []pairRecord   `json:"config,omitempty"`
	Families      []familyRecord `json:"families"`
	DataIDs       []uint64       `json:"data"`
	NextFamilyID  uint32         `json:"next_family"`
	CreatedMs     int64          `json:"created"`
	Opens         int64          `json:"opens,omitempty"`
}

type familyRecord struct {
	ID            uint32       `json:"id"`
	Name          []byte       `json:"name"`
	Attributes    []pairRecord `json:"attrs,omitempty"`
	Configuration []pairRecord `json:"config,omitempty"`
}

// regionRecord is a region; its start is in the key.
type regionRecord struct {
	End []byte `json:"end,omitempty"`
	ID  int64  `json:"id"`
}

type switchRecord struct {
	On bool `json:"on"`
}

type trashRecord struct{}

func encode(record any) []byte {
	text, err := json.Marshal(record)
	if err != nil {
		panic(fmt.Sprintf("catalog: encoding %T: %v", record, err)) // the types above always encode
	}
	return append([]byte{recordVersion}, text...)
}

func decode(key, value []byte, record any) error {
	if len(value) == 0 {
		return fmt.Errorf("catalog: empty record at key %x: %w", key, kv.ErrCorrupt)
	}
	if value[0] > recordVersion {
		return fmt.Errorf("catalog: record at key %x has format %d, this version reads up to %d: %w",
			key, value[0], recordVersion, kv.ErrNewerFormat)
	}
	if err := json.Unmarshal(value[1:], record); err != nil {
		return fmt.Errorf("catalog: record at key %x: %v: %w", key, err, kv.ErrCorrupt)
	}
	return nil
}

func bytesRecords(in []BytesPair) []pairRecord {
	var out []pairRecord
	for _, p := range in {
		out = append(out, pairRecord(p))
	}
	return out
}

func stringRecords(in []StringPair) []pairRecord {
	var out []pairRecord
	for _, p := range in {
		out = append(out, pairRecord{[]byte(p.Name), []byte(p.Value)})
	}
	return out
}

func bytesPairs(in []pairRecord) []BytesPair {
	var out []BytesPair
	for _, p := range in {
		out = append(out, BytesPair(p))
	}
	return out
}

func stringPairs(in []pairRecord) []StringPair {
	var out []StringPair
	for _, p := range in {
		out = append(out, StringPair{string(p.Name), string(p.Value)})
	}
	return out
}

func (t *Table) record() tableRecord {
	r := tableRecord{
		State:         t.State,
		Attributes:    bytesRecords(t.Attributes),
		Configuration: stringRecords(t.Configuration),
		DataIDs:       t.DataIDs,
		NextFamilyID:  t.NextFamilyID,
		CreatedMs:     t.CreatedMs,
		Opens:         t.Opens,
	}
	for _, f := range t.Families {
		r.Families = append(r.Families, familyRecord{f.ID, f.Name, bytesRecords(f.Attributes), stringRecords(f.Configuration)})
	}
	return r
}

// table makes a Table of a record, without its regions.
func (r *tableRecord) table(name TableName) (*Table, error) {
	t := &Table{
		Name:          name,
		State:         r.State,
		Attributes:    bytesPairs(r.Attributes),
		Configuration: stringPairs(r.Configuration),
		DataIDs:       r.DataIDs,
		NextFamilyID:  r.NextFamilyID,
		CreatedMs:     r.CreatedMs,
		Opens:         r.Opens,
	}
	if len(t.DataIDs) == 0 {
		return nil, fmt.Errorf("catalog: table %s has no data id: %w", name, kv.ErrCorrupt)
	}
	if err := t.readAttributes(); err != nil {
		return nil, fmt.Errorf("catalog: table %s: %v: %w", name, err, kv.ErrCorrupt)
	}
	for _, fr := range r.Families {
		f := &Family{ID: fr.ID, Name: fr.Name, Attributes: bytesPairs(fr.Attributes), Configuration: stringPairs(fr.Configuration)}
		if err := f.readAttributes(); err != nil {
			return nil, fmt.Errorf("catalog: table %s: %v: %w", name, err, kv.ErrCorrupt)
		}
		t.Families = append(t.Families, f)
	}
	return t, nil
}

func storeKey() []byte { return []byte{keys.SpaceCatalog, kindStore} }

func namespaceKey(name string) []byte {
	return append([]byte{keys.SpaceCatalog, kindNamespace}, name...)
}

func switchKey(name string) []byte {
	return append([]byte{keys.SpaceCatalog, kindSwitch}, name...)
}

func trashKey(dataID uint64) []byte {
	return keys.AppendUvarint([]byte{keys.SpaceCatalog, kindTrash}, dataID)
}

func tableKey(n TableName) []byte {
	k := keys.AppendEscaped([]byte{keys.SpaceCatalog, kindTable}, []byte(n.Namespace))
	return append(k, n.Qualifier...)
}

func regionKey(n TableName, start []byte) []byte {
	k := keys.AppendEscaped([]byte{keys.SpaceCatalog, kindRegion}, []byte(n.Namespace))
	k = keys.AppendEscaped(k, []byte(n.Qualifier))
	return append(k, start...)
}

// The rests of keys, after the space and the kind.

func parseTableKey(rest []byte) (TableName, bool) {
	ns, n := keys.Unescape(nil, rest)
	return TableName{string(ns), string(rest[n:])}, n > 0
}

func parseRegionKey(rest []byte) (name TableName, start []byte, ok bool) {
	ns, n := keys.Unescape(nil, rest)
	if n == 0 {
		return name, nil, false
	}
	q, m := keys.Unescape(nil, rest[n:])
	if m == 0 {
		return name, nil, false
	}
	return TableName{string(ns), string(q)}, append([]byte{}, rest[n+m:]...), true
}
