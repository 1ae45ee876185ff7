package catalog

import (
	"maps"
	"sort"
)

// change is a View in the making: what differs from the one before.
type change struct {
	tables     map[TableName]*Table // nil: dropped
	namespaces map[string]*Namespace
	switches   map[string]bool
	// metaReplicas is 0 if it stays what it was.
	metaReplicas int

	sqlTables  map[TableName]*SQLTable // nil: dropped
	sqlObjects map[SQLObjectName]*SQLObject
	blobs      map[string][]byte
}

// with makes the View after a change. v is not touched.
func (v *View) with(c *change) *View {
	next := &View{
		Namespaces: v.Namespaces, Tables: v.Tables, Sorted: v.Sorted,
		ByEncoded: v.ByEncoded, ByName: v.ByName, Switches: v.Switches, MetaReplicas: v.MetaReplicas,
		Blobs: v.Blobs,
	}
	next.SQLTables = changed(v.SQLTables, c.sqlTables)
	next.SQLObjects = changed(v.SQLObjects, c.sqlObjects)
	if len(c.blobs) > 0 {
		next.Blobs = maps.Clone(v.Blobs)
		maps.Copy(next.Blobs, c.blobs)
	}
	if c.metaReplicas > 0 {
		next.MetaReplicas = c.metaReplicas
	}
	if len(c.namespaces) > 0 {
		next.Namespaces = maps.Clone(v.Namespaces)
		for name, n := range c.namespaces {
			if n == nil {
				delete(next.Namespaces, name)
			} else {
				next.Namespaces[name] = n
			}
		}
	}
	if len(c.switches) > 0 {
		next.Switches = maps.Clone(v.Switches)
		maps.Copy(next.Switches, c.switches)
	}
	if len(c.tables) == 0 {
		return next
	}
	next.Tables = maps.Clone(v.Tables)
	next.ByEncoded = maps.Clone(v.ByEncoded)
	next.ByName = maps.Clone(v.ByName)
	for name, t := range c.tables {
		if old := v.Tables[name]; old != nil {
			old.eachName(func(name []byte, encoded string, _ *Region) {
				delete(next.ByEncoded, encoded)
				delete(next.ByName, string(name))
			})
		}
		if t == nil {
			delete(next.Tables, name)
			continue
		}
		next.Tables[name] = t
		t.eachName(func(name []byte, encoded string, r *Region) {
			next.ByEncoded[encoded] = r
			next.ByName[string(name)] = r
		})
	}
	next.Sorted = make([]*Table, 0, len(next.Tables))
	for _, t := range next.Tables {
		next.Sorted = append(next.Sorted, t)
	}
	sort.Slice(next.Sorted, func(i, j int) bool {
		a, b := next.Sorted[i].Name, next.Sorted[j].Name
		if a.Namespace != b.Namespace {
			return a.Namespace < b.Namespace
		}
		return a.Qualifier < b.Qualifier
	})
	return next
}

// changed is a map with some entries replaced, or taken out where they are nil.
func changed[K comparable, V any](old, entries map[K]*V) map[K]*V {
	if len(entries) == 0 {
		return old
	}
	next := maps.Clone(old)
	for k, v := range entries {
		if v == nil {
			delete(next, k)
		} else {
			next[k] = v
		}
	}
	return next
}

// eachName calls f with all names of all regions.
func (t *Table) eachName(f func(name []byte, encoded string, r *Region)) {
	for _, r := range t.Regions {
		f(r.Name, r.Encoded, r)
		for replica := 1; replica < t.Replicas; replica++ {
			name, encoded := ReplicaName(t.Name, r.Start, r.RegionID, replica)
			f(name, encoded, r)
		}
	}
}

// SortedNamespaces lists the namespaces by name.
func (v *View) SortedNamespaces() []*Namespace {
	out := make([]*Namespace, 0, len(v.Namespaces))
	for _, n := range v.Namespaces {
		out = append(out, n)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Switch is an administrator's boolean, or absent when nobody has set it.
func (v *View) Switch(name string, absent bool) bool {
	if on, ok := v.Switches[name]; ok {
		return on
	}
	return absent
}

func emptyView() *View {
	return &View{
		Namespaces: map[string]*Namespace{},
		Tables:     map[TableName]*Table{},
		ByEncoded:  map[string]*Region{},
		ByName:     map[string]*Region{},
		Switches:   map[string]bool{},
		SQLTables:  map[TableName]*SQLTable{},
		SQLObjects: map[SQLObjectName]*SQLObject{},
		Blobs:      map[string][]byte{},

		MetaReplicas: 1,
	}
}
