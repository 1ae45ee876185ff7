package admin

import (
	"context"
	"fmt"

	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"google.golang.org/protobuf/proto"
)

// message is a pointer to a generated message type.
type message[T any] interface {
	*T
	proto.Message
}

// quick makes a method that answers from memory.
func quick[Q, A any, PQ message[Q], PA message[A]](f func(ctx context.Context, q PQ) (PA, error)) rpc.Method {
	return rpc.Method{Handle: handler(f)}
}

// slow makes a method that may wait for the disk or for others.
func slow[Q, A any, PQ message[Q], PA message[A]](f func(ctx context.Context, q PQ) (PA, error)) rpc.Method {
	return rpc.Method{Handle: handler(f), Blocking: true}
}

func handler[Q, A any, PQ message[Q], PA message[A]](f func(ctx context.Context, q PQ) (PA, error)) rpc.Handler {
	return func(ctx context.Context, c *rpc.Call, r *rpc.Reply) error {
		q := PQ(new(Q))
		if err := proto.Unmarshal(c.Param, q); err != nil {
			return rpc.Errorf(classDoNotRetry, "%s: malformed request: %v", c.Method, err)
		}
		a, err := f(ctx, q)
		if err != nil {
			return translate(err)
		}
		out, err := proto.MarshalOptions{}.MarshalAppend(r.Message, a)
		if err != nil {
			return fmt.Errorf("admin: encoding the answer of %s: %w", c.Method, err)
		}
		r.Message = out
		return nil
	}
}

// missing is the error for a request without a field that it needs.
func missing(field string) error {
	return rpc.Errorf(classDoNotRetry, "Message is missing required field %s", field)
}
