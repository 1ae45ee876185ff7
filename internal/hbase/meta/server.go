package meta

import (
	"strconv"

	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"google.golang.org/protobuf/proto"
)

// ServerName is a server as clients know it. StartCode is the time in ms when
// its process started, so that a restarted server is another one.
type ServerName struct {
	Host      string
	Port      uint16
	StartCode int64
}

// String is host,port,startcode.
func (s ServerName) String() string {
	return s.Host + "," + strconv.Itoa(int(s.Port)) + "," + strconv.FormatInt(s.StartCode, 10)
}

// Address is host:port.
func (s ServerName) Address() string { return s.Host + ":" + strconv.Itoa(int(s.Port)) }

// Message is the protobuf form.
func (s ServerName) Message() *adminpb.ServerName {
	return &adminpb.ServerName{
		HostName:  proto.String(s.Host),
		Port:      proto.Uint32(uint32(s.Port)),
		StartCode: proto.Uint64(uint64(s.StartCode)),
	}
}
