package wire

// HeadBytes come before each packet's payload.
const HeadBytes = 4

// MaxPacketBytes is the most that one packet carries. A payload of that length
// goes on in another packet, which may be empty.
const MaxPacketBytes = 1<<24 - 1

// Writer builds packets one after the other in one buffer.
//
//	+--------+--------+--------+--------+---------
//	| payload length, little e.|sequence| payload
//	+--------+--------+--------+--------+---------
//
// The sequence number starts at 0 with each request, goes on in the reply, and
// wraps.
type Writer struct {
	// Buf holds the finished packets. Between Begin and End, encoders append the
	// payload to it.
	Buf []byte
	// Seq is the next packet's sequence number.
	Seq   uint8
	start int
}

// Begin starts a packet.
func (w *Writer) Begin() {
	w.start = len(w.Buf)
	w.Buf = append(w.Buf, 0, 0, 0, 0)
}

// End finishes the packet. A payload too long for one is cut into several.
func (w *Writer) End() {
	n := len(w.Buf) - w.start - HeadBytes
	if n >= MaxPacketBytes {
		w.split(n)
		return
	}
	w.head(w.start, n)
}

// Abandon drops the packet that Begin started.
func (w *Writer) Abandon() { w.Buf = w.Buf[:w.start] }

// Size is the payload's length so far.
func (w *Writer) Size() int { return len(w.Buf) - w.start - HeadBytes }

func (w *Writer) head(at, n int) {
	h := w.Buf[at : at+HeadBytes]
	h[0], h[1], h[2], h[3] = byte(n), byte(n>>8), byte(n>>16), w.Seq
	w.Seq++
}

// split makes room for the heads between the pieces, from the last piece on.
func (w *Writer) split(n int) {
	more := n / MaxPacketBytes // packets after the first
	for range more {
		w.Buf = append(w.Buf, 0, 0, 0, 0)
	}
	for i := more; i > 0; i-- {
		from := w.start + HeadBytes + i*MaxPacketBytes
		to := from + i*HeadBytes
		copy(w.Buf[to:], w.Buf[from:min(from+MaxPacketBytes, w.start+HeadBytes+n)])
	}
	for at := w.start; n >= 0; n -= MaxPacketBytes {
		w.head(at, min(n, MaxPacketBytes))
		at += HeadBytes + MaxPacketBytes
	}
}

// State is what Next found.
type State uint8

// The states.
const (
	Complete State = iota // a whole payload
	Partial               // bytes are missing
	TooBig                // the payload is larger than the limit
)

// Next takes the next payload off the front of b, which holds what was read.
//
// Complete: payload is in place, joined over the heads between its packets if
// there were several, which overwrites that part of b; used is how much of b it
// took; seq is the sequence number of its last packet. Partial: used is how much
// of b is needed, as far as that is known. TooBig: the payload would be longer
// than limit.
func Next(b []byte, limit int) (payload []byte, used int, seq uint8, s State) {
	packets, size := 0, 0
	for at := 0; ; {
		if len(b) < at+HeadBytes {
			return nil, at + HeadBytes, 0, Partial
		}
		n := int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16
		seq = b[at+3]
		if size += n; size > limit {
			return nil, 0, seq, TooBig
		}
		packets++
		at += HeadBytes + n
		if n < MaxPacketBytes {
			used = at
			break
		}
		if len(b) < at {
			return nil, at + HeadBytes, 0, Partial
		}
	}
	if len(b) < used {
		return nil, used, 0, Partial
	}
	to := HeadBytes + MaxPacketBytes
	for i := 1; i < packets; i++ {
		from := i*(HeadBytes+MaxPacketBytes) + HeadBytes
		to += copy(b[to:], b[from:min(from+MaxPacketBytes, used)])
	}
	return b[HeadBytes : HeadBytes+size : HeadBytes+size], used, seq, Complete
}
