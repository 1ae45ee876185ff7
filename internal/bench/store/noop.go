package store

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/sample"
)

// Noop is a store that answers at once, or after a while: what remains is the cost
// of the workload itself. It has every row and no fields.
type Noop struct {
	Delay time.Duration
}

// OpenNoop reads noop://?delay=1ms.
func OpenNoop(target *url.URL) (*Noop, error) {
	n := new(Noop)
	for k, v := range target.Query() {
		d, err := time.ParseDuration(v[0])
		if k != "delay" || err != nil || d < 0 {
			return nil, fmt.Errorf("target %s: noop takes only ?delay=DURATION", target)
		}
		n.Delay = d
	}
	return n, nil
}

// Open implements Store.
func (n *Noop) Open(context.Context, int) (Session, error) { return noop{n.Delay}, nil }

// Create implements Store.
func (n *Noop) Create(context.Context, Schema) error { return nil }

// Drop implements Store.
func (n *Noop) Drop(context.Context) error { return nil }

// Info implements Store.
func (n *Noop) Info(context.Context) map[string]string {
	return map[string]string{"kind": "noop", "delay": n.Delay.String()}
}

// Counters implements Store.
func (n *Noop) Counters() map[string]int64 { return nil }

// Sources implements Store.
func (n *Noop) Sources() []sample.Source { return nil }

// Classify implements Store.
func (n *Noop) Classify(err error) (measure.Class, string) {
	if c, code, ok := Classify(err); ok {
		return c, code
	}
	return measure.Other, ""
}

// Close implements Store.
func (n *Noop) Close() error { return nil }

type noop struct{ delay time.Duration }

func (n noop) wait(ctx context.Context) error {
	if n.delay == 0 {
		return nil
	}
	t := time.NewTimer(n.delay)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (n noop) Read(ctx context.Context, key []byte, _ []string, row *Row) error {
	row.Key, row.Fields = key, row.Fields[:0]
	return n.wait(ctx)
}

func (n noop) Scan(ctx context.Context, start []byte, _ int, _ []string, visit func(*Row) error) error {
	if err := n.wait(ctx); err != nil {
		return err
	}
	return visit(&Row{Key: start})
}

func (n noop) Update(ctx context.Context, _ []byte, _ []Field) error { return n.wait(ctx) }
func (n noop) Insert(ctx context.Context, _ []byte, _ []Field) error { return n.wait(ctx) }
func (n noop) Delete(ctx context.Context, _ []byte) error            { return n.wait(ctx) }
func (n noop) Close() error                                          { return nil }
