package catalog

import "fmt"

// ExistsError: the table is there already.
type ExistsError struct{ Table TableName }

func (e *ExistsError) Error() string { return "table " + e.Table.String() + " exists" }

// NotFoundError: there is no such table.
type NotFoundError struct{ Table TableName }

func (e *NotFoundError) Error() string { return "no table " + e.Table.String() }

// NotDisabledError: the change needs a disabled table.
type NotDisabledError struct {
	Table TableName
	State TableState
}

func (e *NotDisabledError) Error() string {
	return fmt.Sprintf("table %s is %s, not DISABLED", e.Table, e.State)
}

// NotEnabledError: the change needs an enabled table.
type NotEnabledError struct {
	Table TableName
	State TableState
}

func (e *NotEnabledError) Error() string {
	return fmt.Sprintf("table %s is %s, not ENABLED", e.Table, e.State)
}

// SystemTableError: hbase:meta and hbase:namespace are views of the catalog
// itself and cannot be changed.
type SystemTableError struct{ Table TableName }

func (e *SystemTableError) Error() string { return "Can't modify catalog table " + e.Table.String() }

// FamilyError: a family is there already, is missing, or is the last one.
type FamilyError struct{ Text string }

func (e *FamilyError) Error() string { return e.Text }

// NamespaceExistsError: the namespace is there already.
type NamespaceExistsError struct{ Name string }

func (e *NamespaceExistsError) Error() string { return "Namespace " + e.Name + " already exists" }

// NamespaceNotFoundError: there is no such namespace.
type NamespaceNotFoundError struct{ Name string }

func (e *NamespaceNotFoundError) Error() string { return "no namespace " + e.Name }

// ConstraintError: a namespace is reserved or not empty.
type ConstraintError struct{ Text string }

func (e *ConstraintError) Error() string { return e.Text }

// SchemaError: a schema that makes no sense, or asks for what Basalt cannot do.
// The text is for the user and is HBase's where HBase refuses the same.
type SchemaError struct{ Text string }

func (e *SchemaError) Error() string { return e.Text }

// ArgumentError: an illegal name, key or bound. The text is for the user.
type ArgumentError struct{ Text string }

func (e *ArgumentError) Error() string { return e.Text }

// RegionNotFoundError: there is no such region.
type RegionNotFoundError struct{ Name string }

func (e *RegionNotFoundError) Error() string { return "no region " + e.Name }

// MergeError: these regions cannot be merged.
type MergeError struct {
	Text string
	// Apart: because they are not adjacent. HBase can be forced to merge such
	// ones, into a region that overlaps others.
	Apart bool
}

func (e *MergeError) Error() string { return e.Text }

func schemaErrorf(format string, args ...any) error {
	return &SchemaError{fmt.Sprintf(format, args...)}
}

func argumentErrorf(format string, args ...any) error {
	return &ArgumentError{fmt.Sprintf(format, args...)}
}

// String is the state as HBase writes it.
func (s TableState) String() string {
	switch s {
	case Enabled:
		return "ENABLED"
	case Disabled:
		return "DISABLED"
	case Disabling:
		return "DISABLING"
	case Enabling:
		return "ENABLING"
	}
	return fmt.Sprintf("TableState(%d)", uint8(s))
}
