package catalog

import "bytes"

// find looks a table up for a change.
func (c *Catalog) find(name TableName) (*Table, error) {
	if name.IsSystem() {
		return nil, &SystemTableError{name}
	}
	t := c.View().Tables[name]
	if t == nil {
		return nil, &NotFoundError{name}
	}
	return t, nil
}

// copyOf makes a new version of a table to be changed, with regions of its own.
// Regions point to their table, so that every version has its own.
func copyOf(t *Table) *Table {
	n := &Table{
		Name: t.Name, State: t.State, Attributes: t.Attributes, Configuration: t.Configuration,
		Families: t.Families, DataIDs: t.DataIDs, NextFamilyID: t.NextFamilyID, CreatedMs: t.CreatedMs,
		Opens: t.Opens, Replicas: t.Replicas, ReadOnly: t.ReadOnly, Durability: t.Durability,
		MaxCellBytes: t.MaxCellBytes,
	}
	n.setRegions(t.spans())
	return n
}

// CheckCreate says why CreateTable would refuse, apart from the table being
// there already.
func (c *Catalog) CheckCreate(s *Schema, splitKeys [][]byte) error {
	if c.View().Namespaces[s.Name.Namespace] == nil {
		return &NamespaceNotFoundError{s.Name.Namespace}
	}
	if _, err := cut(splitKeys, 0, c.limits.MaxRegionsPerTable); err != nil {
		return err
	}
	_, err := build(s)
	return err
}

// CreateTable makes an enabled table, with a region more than split keys.
func (c *Catalog) CreateTable(s *Schema, splitKeys [][]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Name.IsSystem() {
		return &ExistsError{s.Name}
	}
	if err := c.CheckCreate(s, splitKeys); err != nil {
		return err
	}
	if c.View().Tables[s.Name] != nil || c.View().SQLTables[s.Name] != nil {
		return &ExistsError{s.Name}
	}
	if n := len(c.View().Tables); n >= c.limits.MaxTables {
		return argumentErrorf("There are %d tables, no more are allowed", n)
	}
	t, err := build(s)
	if err != nil {
		return err
	}
	u := c.begin()
	id := u.nextID()
	spans, err := cut(splitKeys, id, c.limits.MaxRegionsPerTable)
	if err != nil {
		return err
	}
	t.State, t.CreatedMs = Enabled, id
	t.DataIDs = []uint64{u.nextDataID()}
	for _, f := range t.Families {
		f.ID = t.NextFamilyID
		t.NextFamilyID++
	}
	t.setRegions(spans)
	u.putTable(t, true)
	return u.commit()
}

// DropTable drops a disabled table and its data.
func (c *Catalog) DropTable(name TableName) error {
	t, err := c.drop(name)
	if err == nil {
		c.discard(t)
	}
	return err
}

func (c *Catalog) drop(name TableName) (*Table, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.find(name)
	if err != nil {
		return nil, err
	}
	if t.State != Disabled {
		return nil, &NotDisabledError{name, t.State}
	}
	u := c.begin()
	u.frees = true
	u.dropTable(t)
	u.putTrash(t.DataIDs)
	return t, u.commit()
}

// Truncate gives a disabled table new, empty data and enables it. Without
// preserveSplits it gets a single region.
func (c *Catalog) Truncate(name TableName, preserveSplits bool) error {
	t, err := c.truncate(name, preserveSplits)
	if err == nil {
		c.discard(t)
	}
	return err
}

func (c *Catalog) truncate(name TableName, preserveSplits bool) (*Table, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.find(name)
	if err != nil {
		return nil, err
	}
	if t.State != Disabled {
		return nil, &NotDisabledError{name, t.State}
	}
	u := c.begin()
	u.frees = true
	next := copyOf(t)
	spans := []span{{start: []byte{}, end: []byte{}}}
	if preserveSplits {
		spans = t.spans()
	}
	id := u.nextID()
	for i := range spans {
		spans[i].id = id
	}
	next.State, next.DataIDs = Enabled, []uint64{u.nextDataID()}
	next.Opens++
	next.setRegions(spans)
	u.putTable(next, true)
	u.putTrash(t.DataIDs)
	return t, u.commit()
}

// Enable enables a disabled table.
func (c *Catalog) Enable(name TableName) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.find(name)
	if err != nil {
		return err
	}
	if t.State != Disabled {
		return &NotDisabledError{name, t.State}
	}
	u := c.begin()
	next := copyOf(t)
	next.State = Enabled
	next.Opens++
	next.setRegions(next.spans())
	u.putTable(next, false)
	return u.commit()
}

// Disable disables an enabled table. When it returns, no operation on the table
// is under way.
//
// The state DISABLING is only ever in memory: it turns new operations away
// while the old ones are waited for. A crash meanwhile leaves the table enabled.
func (c *Catalog) Disable(name TableName) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.find(name)
	if err != nil {
		return err
	}
	if t.State != Enabled {
		return &NotEnabledError{name, t.State}
	}
	closing := copyOf(t)
	closing.State = Disabling
	c.publish(&change{tables: map[TableName]*Table{name: closing}})
	c.drained(t)
	u := c.begin()
	u.frees = true
	next := copyOf(t)
	next.State = Disabled
	u.putTable(next, false)
	if err := u.commit(); err != nil {
		c.publish(&change{tables: map[TableName]*Table{name: copyOf(t)}})
		return err
	}
	return nil
}

// ModifyTable replaces the whole schema of a table. Families of the same name
// keep their data; those that are gone lose it.
func (c *Catalog) ModifyTable(s *Schema) error {
	return c.modify(s.Name, func(*Table) (*Schema, error) { return s, nil })
}

// AddFamily adds a family.
func (c *Catalog) AddFamily(name TableName, family *FamilySchema) error {
	return c.modify(name, func(t *Table) (*Schema, error) {
		if t.Family(family.Name) != nil {
			return nil, &FamilyError{"Column family '" + string(family.Name) + "' in table '" + name.String() +
				"' already exists so cannot be added"}
		}
		s := t.Schema()
		s.Families = append(s.Families, *family)
		return &s, nil
	})
}

// ModifyFamily replaces the schema of a family.
func (c *Catalog) ModifyFamily(name TableName, family *FamilySchema) error {
	return c.modify(name, func(t *Table) (*Schema, error) {
		s := t.Schema()
		for i := range s.Families {
			if bytes.Equal(s.Families[i].Name, family.Name) {
				s.Families[i] = *family
				return &s, nil
			}
		}
		return nil, &FamilyError{"Family '" + string(family.Name) + "' does not exist, so it cannot be modified"}
	})
}

// DropFamily drops a family and its data.
func (c *Catalog) DropFamily(name TableName, family []byte) error {
	return c.modify(name, func(t *Table) (*Schema, error) {
		s := t.Schema()
		kept := s.Families[:0]
		for _, f := range s.Families {
			if !bytes.Equal(f.Name, family) {
				kept = append(kept, f)
			}
		}
		switch {
		case len(kept) == len(t.Families):
			return nil, &FamilyError{"Family '" + string(family) + "' does not exist, so it cannot be deleted"}
		case len(kept) == 0:
			return nil, &FamilyError{"Family '" + string(family) +
				"' is the only column family in the table, so it cannot be deleted"}
		}
		s.Families = kept
		return &s, nil
	})
}

func (c *Catalog) modify(name TableName, schema func(*Table) (*Schema, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := c.find(name)
	if err != nil {
		return err
	}
	s, err := schema(t)
	if err != nil {
		return err
	}
	next, err := build(s)
	if err != nil {
		return err
	}
	u := c.begin()
	next.State, next.DataIDs, next.CreatedMs = t.State, t.DataIDs, t.CreatedMs
	next.NextFamilyID = t.NextFamilyID
	next.Opens = t.Opens + 1
	for _, f := range next.Families {
		if old := t.Family(f.Name); old != nil {
			f.ID = old.ID
			continue
		}
		f.ID = next.NextFamilyID
		next.NextFamilyID++
	}
	next.setRegions(t.spans())
	u.putTable(next, false)
	return u.commit()
}
