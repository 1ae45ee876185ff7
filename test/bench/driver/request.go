package driver

import (
	"encoding/binary"
	"fmt"
)

// Region starts the parameter of any call: the region that it is for.
func Region(name []byte) []byte {
	return Bytes(nil, 1, Bytes(Int(nil, 1, 1), 2, name))
}

// Row is the key of the row with this number.
func Row(i int) []byte { return fmt.Appendf(nil, "%026d", i) }

// Get is the parameter of a Get of the family.
func Get(region []byte, row []byte) []byte {
	return Bytes(Region(region), 2, Bytes(Bytes(nil, 1, row), 2, Bytes(nil, 1, []byte(Family))))
}

// Put is the parameter of a Mutate.
func Put(region, row, value []byte) []byte {
	return Bytes(Region(region), 2, mutation(2, row, value))
}

// Increment is the parameter of a Mutate that adds one.
func Increment(region, row []byte, nonce uint64) []byte {
	m := mutation(1, row, []byte{0, 0, 0, 0, 0, 0, 0, 1})
	return Bytes(Region(region), 2, Int(m, 9, nonce))
}

func mutation(kind uint64, row, value []byte) []byte {
	qv := Bytes(Bytes(nil, 1, []byte(Qualifier)), 2, value)
	cv := Bytes(Bytes(nil, 1, []byte(Family)), 2, qv)
	return Bytes(Int(Bytes(nil, 1, row), 2, kind), 3, cv)
}

// Puts is the parameter of a Multi of puts, with its cells.
func Puts(region []byte, rows [][]byte, value []byte) (param, cells []byte) {
	action := Region(region)
	for i, row := range rows {
		m := Int(Int(nil, 2, 2), 8, 1)
		action = Bytes(action, 3, Bytes(Int(nil, 1, uint64(i)), 2, m))
		cells = keyValue(cells, row, value)
	}
	return Bytes(nil, 1, action), cells
}

func keyValue(dst []byte, row, value []byte) []byte {
	key := 2 + len(row) + 1 + len(Family) + len(Qualifier) + 8 + 1
	dst = binary.BigEndian.AppendUint32(dst, uint32(8+key+len(value)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(key))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(value)))
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(row)))
	dst = append(dst, row...)
	dst = append(dst, byte(len(Family)))
	dst = append(dst, Family+Qualifier...)
	dst = append(dst, "\x7f\xff\xff\xff\xff\xff\xff\xff\x04"...)
	return append(dst, value...)
}

// Scan is what a scan may ask for beside the number of rows a call.
type Scan struct {
	Start   []byte
	Value   string // only cells whose value holds this text
	MaxSize uint64 // bytes of an answer, 0 for the server's own limit
	Close   bool   // one call is all
}

// OpenScan is the parameter of the first call of a scan.
func OpenScan(region []byte, rows int, s Scan) []byte {
	scan := Bytes(nil, 3, s.Start)
	if s.Value != "" {
		const filters = "org.apache.hadoop.hbase.filter."
		comparator := Bytes(Bytes(nil, 1, []byte(filters+"SubstringComparator")), 2, Bytes(nil, 1, []byte(s.Value)))
		equal := Bytes(Int(nil, 1, 2), 2, comparator)
		scan = Bytes(scan, 5, Bytes(Bytes(nil, 1, []byte(filters+"ValueFilter")), 2, Bytes(nil, 1, equal)))
	}
	if s.MaxSize > 0 {
		scan = Int(scan, 10, s.MaxSize)
	}
	param := Int(Bytes(Region(region), 2, scan), 4, uint64(rows))
	if s.Close {
		param = Int(param, 5, 1)
	}
	return Int(Int(param, 7, 1), 8, 1) // partial results, heartbeats
}

// NextScan is the parameter of a later call.
func NextScan(scanner uint64, rows int) []byte {
	return Int(Int(Int(Int(nil, 3, scanner), 4, uint64(rows)), 7, 1), 8, 1)
}

// CloseScan is the parameter of the last call.
func CloseScan(scanner uint64) []byte {
	return Int(Int(Int(nil, 3, scanner), 4, 0), 5, 1)
}

// Scanner is the id in the answer of a scan, and whether its region has more.
func Scanner(r Reply) (id uint64, more bool) {
	return Number(r.Message, 2), Number(r.Message, 8) != 0
}
