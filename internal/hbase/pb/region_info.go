package pb

// PBUF goes before the messages that HBase stores in cells of hbase:meta.
const PBUF = "PBUF"

// RegionInfo describes a region in hbase:meta.
type RegionInfo struct {
	ID        uint64
	Namespace []byte
	Qualifier []byte
	StartKey  []byte
	EndKey    []byte
	Offline   bool
	Split     bool
	Replica   int32
}

// AppendRegionInfo appends a RegionInfo message with every field set, as HBase
// does.
func AppendRegionInfo(dst []byte, r *RegionInfo) []byte {
	dst = appendUint(dst, 1, r.ID)
	dst, m := begin(dst, 2)
	dst = End(AppendTableName(dst, r.Namespace, r.Qualifier), m)
	dst = appendBytes(dst, 3, r.StartKey)
	dst = appendBytes(dst, 4, r.EndKey)
	dst = appendBool(dst, 5, r.Offline)
	dst = appendBool(dst, 6, r.Split)
	return appendUint(dst, 7, uint64(int64(r.Replica)))
}

// AppendTableName appends a TableName message.
func AppendTableName(dst, namespace, qualifier []byte) []byte {
	return appendBytes(appendBytes(dst, 1, namespace), 2, qualifier)
}
