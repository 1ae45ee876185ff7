package catalog

import (
	"fmt"
	"strconv"
)

// CreateNamespace makes an empty namespace.
func (c *Catalog) CreateNamespace(n *Namespace) error {
	if err := CheckNamespaceName(n.Name); err != nil {
		return err
	}
	if err := checkQuota(n); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.View().Namespaces[n.Name] != nil {
		return &NamespaceExistsError{n.Name}
	}
	if m := len(c.View().Namespaces); m >= c.limits.MaxTables {
		return argumentErrorf("There are %d namespaces, no more are allowed", m)
	}
	u := c.begin()
	u.putNamespace(&Namespace{n.Name, settleStrings(n.Configuration)})
	return u.commit()
}

// ModifyNamespace replaces the configuration of a namespace.
func (c *Catalog) ModifyNamespace(n *Namespace) error {
	if err := checkQuota(n); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.View().Namespaces[n.Name] == nil {
		return &NamespaceNotFoundError{n.Name}
	}
	u := c.begin()
	u.putNamespace(&Namespace{n.Name, settleStrings(n.Configuration)})
	return u.commit()
}

// DropNamespace drops an empty namespace.
func (c *Catalog) DropNamespace(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.View().Namespaces[name] == nil {
		return &NamespaceNotFoundError{name}
	}
	if name == DefaultNamespace || name == SystemNamespace {
		return &ConstraintError{"Reserved namespace " + name + " cannot be removed."}
	}
	tables := 0
	for _, t := range c.View().Sorted {
		if t.Name.Namespace == name {
			tables++
		}
	}
	for n := range c.View().SQLTables {
		if n.Namespace == name {
			tables++
		}
	}
	if tables > 0 {
		return &ConstraintError{fmt.Sprintf("Only empty namespaces can be removed. Namespace %s has %d tables", name, tables)}
	}
	u := c.begin()
	u.sqlObjects = map[SQLObjectName]*SQLObject{}
	if err := u.dropDatabase(c.View(), name); err != nil {
		return err
	}
	return u.commit()
}

// checkQuota checks the two settings of a namespace that HBase knows. Like
// HBase without hbase.quota.enabled, nothing counts against them.
func checkQuota(n *Namespace) error {
	if pairBytes(nil, n.Configuration) > maxSchemaBytes {
		return argumentErrorf("The descriptor of namespace %s is larger than %d bytes", n.Name, maxSchemaBytes)
	}
	for _, c := range n.Configuration {
		name, isQuota := quotas[c.Name]
		if !isQuota {
			continue
		}
		v, err := strconv.ParseInt(c.Value, 10, 64)
		if err != nil {
			return schemaErrorf("NumberFormatException while getting max %s.", name)
		}
		if v <= 0 {
			return &ConstraintError{fmt.Sprintf("The max %s quota for %s is less than or equal to zero.", name, n.Name)}
		}
	}
	return nil
}

var quotas = map[string]string{
	"hbase.namespace.quota.maxregions": "regions",
	"hbase.namespace.quota.maxtables":  "tables",
}
