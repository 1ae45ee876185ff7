package zk

import "fmt"

// handle answers one request.
//
//	int xid | int type | record
func (c *conn) handle(frame []byte) error {
	d := decoder{b: frame}
	xid, op := d.int(), d.int()
	if d.err != nil {
		return d.err
	}
	s := c.server
	var code int32
	body := func(record ...func([]byte) []byte) {
		if d.err != nil {
			return // the connection ends below: what follows cannot be trusted
		}
		c.begin()
		c.reply = appendReplyHeader(c.reply, xid, s.Zxid, code)
		if code == errOK {
			for _, f := range record {
				c.reply = f(c.reply)
			}
		}
		c.send()
	}
	switch op {
	case opPing, opAuth:
		// Every scheme is welcome: there is nothing that it could unlock.
		body()
	case opClose:
		body()
		return errGoodbye
	case opExists, opGetData, opGetChildren, opGetChildren2, opGetACL:
		path := d.string()
		if op != opGetACL {
			d.bool() // watch: see setWatches
		}
		n, ok := s.Tree.Node(path)
		if !ok {
			code = errNoNode
		}
		stat := func(b []byte) []byte { return appendStat(b, n, s.Zxid, s.StartMs) }
		switch op {
		case opExists:
			body(stat)
		case opGetData:
			body(func(b []byte) []byte { return appendBuffer(b, n.Data) }, stat)
		case opGetChildren:
			body(func(b []byte) []byte { return appendStrings(b, n.Children) })
		case opGetChildren2:
			body(func(b []byte) []byte { return appendStrings(b, n.Children) }, stat)
		case opGetACL:
			body(appendReadOnlyACL, stat)
		}
	case opSync:
		path := d.string()
		body(func(b []byte) []byte { return appendString(b, path) })
	case opSetWatches, opSetWatches2:
		w := decodeWatches(&d, op)
		if d.err != nil {
			break
		}
		if w.persistent > 0 {
			code = errUnimplemented
		} else {
			c.fire(w)
		}
		body()
	case opCreate, opCreate2, opCreateContainer, opCreateTTL, opDelete, opDeleteContainer,
		opSetData, opSetACL, opMulti, opReconfig:
		code = errNoAuth
		body()
	default:
		code = errUnimplemented
		body()
	}
	if d.err != nil {
		return fmt.Errorf("request of type %d: %w", op, d.err)
	}
	return nil
}

// fire answers the watches that a client carries over from another connection.
//
// Watches are accepted everywhere and not kept: the znodes that clients watch,
// the servers' locations, are fixed for the life of the process. What a watch
// can tell is that the process is another one than at relativeZxid, and that is
// told here, in the way of ZooKeeper: before the reply, once for each path.
func (c *conn) fire(w watches) {
	s := c.server
	newer := s.Zxid > w.relativeZxid
	notify := func(event int32, path string) {
		c.begin()
		c.reply = appendNotification(c.reply, event, path)
		c.send()
	}
	for _, p := range w.data {
		if _, ok := s.Tree.Node(p); !ok {
			notify(eventDeleted, p)
		} else if newer {
			notify(eventDataChanged, p)
		}
	}
	for _, p := range w.exist {
		if _, ok := s.Tree.Node(p); ok {
			notify(eventCreated, p)
		}
	}
	for _, p := range w.children {
		if _, ok := s.Tree.Node(p); !ok {
			notify(eventDeleted, p)
		} else if newer {
			notify(eventChildrenChanged, p)
		}
	}
}

// appendReadOnlyACL appends the list of rights on every znode: anyone may read.
//
//	vector of { int permissions | string scheme | string id }
func appendReadOnlyACL(dst []byte) []byte {
	dst = appendInt(dst, 1)
	dst = appendInt(dst, permissionRead)
	dst = appendString(dst, "world")
	return appendString(dst, "anyone")
}
