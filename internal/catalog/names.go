package catalog

import (
	"unicode"
	"unicode/utf8"
)

// maxNameBytes bounds a namespace and a table qualifier, each. A file system
// bounds them for HBase, at the same length.
const maxNameBytes = 255

// maxFamilyBytes is what the one-byte length of a cell's family can hold.
const maxFamilyBytes = 127

// notAllowed is the one name that ZooKeeper keeps for itself.
const notAllowed = "zookeeper"

// MetaTable and NamespaceTable are the two tables that the catalog is seen
// through. They are no Tables of a View.
var (
	MetaTable      = TableName{SystemNamespace, "meta"}
	NamespaceTable = TableName{SystemNamespace, "namespace"}
)

// IsSystem tells whether n is one of the two virtual tables.
func (n TableName) IsSystem() bool { return n == MetaTable || n == NamespaceTable }

// letterOrDigit follows Java's Character.isAlphabetic and isDigit, which HBase
// asks of each UTF-16 unit: characters beyond the first plane are two
// surrogates, and those are neither.
func letterOrDigit(r rune) bool {
	if r > 0xFFFF || r == utf8.RuneError {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Nl, r) ||
		unicode.Is(unicode.Other_Alphabetic, r)
}

// CheckNamespaceName says why a namespace cannot have this name.
func CheckNamespaceName(name string) error {
	switch {
	case name == "":
		return argumentErrorf("Namespace name must not be empty")
	case len(name) > maxNameBytes:
		return argumentErrorf("Namespace name is longer than %d bytes", maxNameBytes)
	case name == notAllowed:
		return argumentErrorf("Tables may not be named '%s'", notAllowed)
	}
	at := 0
	for _, r := range name {
		if !letterOrDigit(r) && r != '_' {
			return argumentErrorf("Illegal character <%c> at %d. Namespaces may only contain "+
				"'alphanumeric characters' from any language and digits: %s", r, at, name)
		}
		at++
	}
	return nil
}

// CheckTableName says why a table cannot have this name.
func CheckTableName(n TableName) error {
	if err := CheckNamespaceName(n.Namespace); err != nil {
		return err
	}
	q := n.Qualifier
	switch {
	case q == "":
		return argumentErrorf("Table qualifier must not be empty")
	case len(q) > maxNameBytes:
		return argumentErrorf("Table qualifier is longer than %d bytes", maxNameBytes)
	case q[0] == '.' || q[0] == '-':
		return argumentErrorf("Illegal first character <%d> at 0. User-space table qualifiers can only "+
			"start with 'alphanumeric characters' from any language: %s", q[0], q)
	case q == notAllowed:
		return argumentErrorf("Tables may not be named '%s'", notAllowed)
	}
	at := 0
	for _, r := range q {
		if !letterOrDigit(r) && r != '_' && r != '-' && r != '.' {
			return argumentErrorf("Illegal character code:%d, <%c> at %d. User-space table qualifiers may "+
				"only contain 'alphanumeric characters' and digits: %s", r, r, at, q)
		}
		at++
	}
	return nil
}

// CheckFamilyName says why a family cannot have this name.
func CheckFamilyName(name []byte) error {
	switch {
	case len(name) == 0:
		return argumentErrorf("Column Family name can not be empty")
	case len(name) > maxFamilyBytes:
		return argumentErrorf("The length of family name is bigger than %d", maxFamilyBytes)
	case name[0] == '.':
		return argumentErrorf("Column Family names cannot start with a period: %s", name)
	case string(name) == "recovered.edits":
		return argumentErrorf("Column Family name cannot be: %s", name)
	}
	for _, b := range name {
		if b < 0x20 || b == 0x7F || b == ':' || b == '\\' || b == '/' {
			return argumentErrorf("Illegal character <%d>. Column Family names cannot contain control "+
				"characters or colons: %s", int8(b), name)
		}
	}
	return nil
}
