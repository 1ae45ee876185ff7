package wire

import "encoding/binary"

// Column is a result's column as clients are told of it.
type Column struct {
	Schema, Table, OrgTable, Name, OrgName string
	Charset                                uint16 // a collation's number
	Length                                 uint32 // of the longest value as text, in bytes
	Type                                   Type
	Flags                                  uint16
	Decimals                               byte
}

// AppendColumn appends a column definition:
//
//	"def" schema table org_table name org_name, each a lenenc string
//	0c  charset2  length4  type1  flags2  decimals1  00 00
func AppendColumn(b []byte, c *Column) []byte {
	b = append(b, 3, 'd', 'e', 'f')
	b = AppendLenencString(b, c.Schema)
	b = AppendLenencString(b, c.Table)
	b = AppendLenencString(b, c.OrgTable)
	b = AppendLenencString(b, c.Name)
	b = AppendLenencString(b, c.OrgName)
	b = binary.LittleEndian.AppendUint16(append(b, 0x0c), c.Charset)
	b = binary.LittleEndian.AppendUint32(b, c.Length)
	b = binary.LittleEndian.AppendUint16(append(b, byte(c.Type)), c.Flags)
	return append(b, c.Decimals, 0, 0)
}

// AppendFieldListColumn appends a column as COM_FIELD_LIST answers it: with its
// default after the definition, as text, or NULL.
func AppendFieldListColumn(b []byte, c *Column, value string, null bool) []byte {
	b = AppendColumn(b, c)
	if null {
		return append(b, textNull)
	}
	return AppendLenencString(b, value)
}
