package zk

// Operation types of requests, in ZooKeeper's numbers.
const (
	opCreate          = 1
	opDelete          = 2
	opExists          = 3
	opGetData         = 4
	opSetData         = 5
	opGetACL          = 6
	opSetACL          = 7
	opGetChildren     = 8
	opSync            = 9
	opPing            = 11
	opGetChildren2    = 12
	opMulti           = 14
	opCreate2         = 15
	opReconfig        = 16
	opCreateContainer = 19
	opDeleteContainer = 20
	opCreateTTL       = 21
	opAuth            = 100
	opSetWatches      = 101
	opSetWatches2     = 105
	opClose           = -11
)

// Error codes of replies.
const (
	errOK            = 0
	errUnimplemented = -6
	errNoNode        = -101
	errNoAuth        = -102
)

// Types of a notification.
const (
	eventCreated         = 1
	eventDeleted         = 2
	eventDataChanged     = 3
	eventChildrenChanged = 4
)

const (
	xidNotification    = -1
	stateSyncConnected = 3
	passwordBytes      = 16
	permissionRead     = 1
)

// connectRequest is the first frame of a connection.
//
//	int protocolVersion | long lastZxidSeen | int timeOut ms | long sessionId |
//	buffer passwd | bool readOnly (absent from old clients)
type connectRequest struct {
	lastZxidSeen int64
	timeoutMs    int32
	sessionID    int64
	password     []byte // view into the frame
	hasReadOnly  bool
}

func decodeConnect(b []byte) (connectRequest, error) {
	d := decoder{b: b}
	var r connectRequest
	d.int()
	r.lastZxidSeen = d.long()
	r.timeoutMs = d.int()
	r.sessionID = d.long()
	r.password = d.buffer()
	if d.err == nil && len(d.b) > 0 {
		d.bool()
		r.hasReadOnly = true
	}
	if len(r.password) > 64 {
		d.err = errMalformed
	}
	return r, d.err
}

// appendConnectResponse appends the answer to a connectRequest.
//
//	int protocolVersion=0 | int timeOut ms | long sessionId | buffer passwd |
//	bool readOnly=false (only to clients that sent theirs)
func appendConnectResponse(dst []byte, timeoutMs int32, sessionID int64, password []byte, readOnly bool) []byte {
	dst = appendInt(dst, 0)
	dst = appendInt(dst, timeoutMs)
	dst = appendLong(dst, sessionID)
	dst = appendBuffer(dst, password)
	if readOnly {
		dst = appendBool(dst, false)
	}
	return dst
}

// watches are the paths that a reconnecting client watches.
//
//	long relativeZxid | vector data | vector exist | vector child
//	setWatches2 only: | vector persistent | vector persistentRecursive
type watches struct {
	relativeZxid          int64
	data, exist, children []string
	persistent            int
}

func decodeWatches(d *decoder, op int32) watches {
	var w watches
	w.relativeZxid = d.long()
	w.data = d.strings(maxWatches)
	w.exist = d.strings(maxWatches)
	w.children = d.strings(maxWatches)
	if op == opSetWatches2 {
		w.persistent = len(d.strings(maxWatches)) + len(d.strings(maxWatches))
	}
	return w
}

// appendReplyHeader: int xid | long zxid | int err.
func appendReplyHeader(dst []byte, xid int32, zxid int64, code int32) []byte {
	return appendInt(appendLong(appendInt(dst, xid), zxid), code)
}

// appendNotification: a reply header with xid -1 and zxid -1, then
// int type | int state | string path.
func appendNotification(dst []byte, event int32, path string) []byte {
	dst = appendReplyHeader(dst, xidNotification, -1, errOK)
	dst = appendInt(dst, event)
	dst = appendInt(dst, stateSyncConnected)
	return appendString(dst, path)
}

// appendStat appends a znode's Stat, 68 bytes:
//
//	long czxid | long mzxid | long ctime | long mtime | int version |
//	int cversion | int aversion | long ephemeralOwner | int dataLength |
//	int numChildren | long pzxid
func appendStat(dst []byte, n Node, zxid, startMs int64) []byte {
	dst = appendLong(dst, zxid)
	dst = appendLong(dst, zxid)
	dst = appendLong(dst, startMs)
	dst = appendLong(dst, startMs)
	dst = appendInt(dst, 0)
	dst = appendInt(dst, 0)
	dst = appendInt(dst, 0)
	dst = appendLong(dst, 0)
	dst = appendInt(dst, int32(len(n.Data)))
	dst = appendInt(dst, int32(len(n.Children)))
	return appendLong(dst, zxid)
}
