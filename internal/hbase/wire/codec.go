package wire

import "github.com/basaltdb/basalt/internal/wide/cell"

// Codec is the form of the cells in a cell block.
type Codec uint8

const (
	// NoCodec: the client takes no cell blocks, cells go inline in messages.
	NoCodec Codec = iota
	KeyValueCodec
	KeyValueCodecWithTags
	CellCodec
)

// CodecByClass finds the codec that a client named in its connection header; no
// name is NoCodec.
func CodecByClass(class string) (c Codec, ok bool) {
	switch class {
	case "":
		return NoCodec, true
	case "org.apache.hadoop.hbase.codec.KeyValueCodec":
		return KeyValueCodec, true
	case "org.apache.hadoop.hbase.codec.KeyValueCodecWithTags":
		return KeyValueCodecWithTags, true
	case "org.apache.hadoop.hbase.codec.CellCodec":
		return CellCodec, true
	}
	return NoCodec, false
}

// AppendCell appends a cell in the codec's form. NoCodec has none: it panics.
func AppendCell(dst []byte, codec Codec, c *cell.Cell) []byte {
	switch codec {
	case KeyValueCodec:
		return AppendKeyValue(dst, c, false)
	case KeyValueCodecWithTags:
		return AppendKeyValue(dst, c, true)
	case CellCodec:
		return appendCellCodec(dst, c)
	}
	panic("wire: a cell for a client without a codec")
}
