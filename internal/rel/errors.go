package rel

import (
	"errors"
	"fmt"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// ErrSchemaChanged: the table was changed after the transaction's snapshot was
// taken, which therefore cannot read it.
var ErrSchemaChanged = errors.New("rel: the table changed after the transaction began")

// ErrAutoIncrement: no number is left for an AUTO_INCREMENT column.
var ErrAutoIncrement = errors.New("rel: no auto-increment number left")

// NoTableError: there is no such table.
type NoTableError struct{ Name catalog.TableName }

func (e *NoTableError) Error() string { return "rel: no table " + e.Name.String() }

// DuplicateKeyError: a unique index has the key already.
type DuplicateKeyError struct {
	Table *Table
	Index *Index
	// New are the values that did not go in; Existing is the row in the way,
	// locked, and Key its primary key.
	New, Existing []row.Value
	Key           []byte
}

func (e *DuplicateKeyError) Error() string {
	return fmt.Sprintf("rel: duplicate key for %s.%s", e.Table.Def.Name, e.Index.Def.Name)
}

// NullError: a NULL for a column that allows none.
type NullError struct{ Column string }

func (e *NullError) Error() string { return "rel: column " + e.Column + " cannot be null" }

// ForeignKeyError: a foreign key would refer to nothing.
type ForeignKeyError struct {
	Child *catalog.SQLTable
	Key   *catalog.SQLForeignKey
	// Parent says that it is a change of the parent that was refused.
	Parent bool
}

func (e *ForeignKeyError) Error() string {
	return fmt.Sprintf("rel: foreign key %s of %s", e.Key.Name, e.Child.Name)
}
