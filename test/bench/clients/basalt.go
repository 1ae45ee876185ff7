package main

import (
	"errors"
	"fmt"
	"net"

	"github.com/basaltdb/basalt/client"
)

var (
	family    = "f"
	qualifier = []byte("q")
)

// basalt is the client package.
type basalt struct {
	c *client.Client
	t *client.Table
	m client.ScanMode
}

func newBasalt(at string) (*basalt, error) {
	config := client.Config{ConnectionsPerServer: *conns}
	if *delay > 0 {
		var d net.Dialer
		config.Dial = delayed(d.DialContext, *delay)
	}
	modes := map[string]client.ScanMode{"sync": client.Sync, "prefetch": client.Prefetch, "prefetch-count": client.PrefetchCount}
	m, ok := modes[*mode]
	if !ok {
		return nil, fmt.Errorf("no mode %q", *mode)
	}
	c, err := client.Open(at, config)
	if err != nil {
		return nil, err
	}
	d := client.TableDescriptor{Name: *table, Families: []client.FamilyDescriptor{client.Family(family)}}
	if err := c.Admin().CreateTable(ctx, d); err != nil && !errors.Is(err, client.ErrTableExists) {
		return nil, err
	}
	return &basalt{c: c, t: c.Table(*table), m: m}, nil
}

func (b *basalt) get(row []byte) (int, error) {
	r, err := b.t.Get(ctx, client.NewGet(row))
	if err != nil {
		return 0, err
	}
	if r.Empty() {
		return 0, fmt.Errorf("no row %s", row)
	}
	return len(r.Value(family, qualifier)), nil
}

func (b *basalt) put(row, value []byte) error {
	return b.t.Put(ctx, client.NewPut(row).Add(family, qualifier, value))
}

func (b *basalt) scan(start []byte, n int, count func(int)) (rows int, err error) {
	s := client.NewScan().WithStartRow(start, true).SetCaching(*caching).SetMaxResultBytes(*maxBytes).SetMode(b.m)
	for r, err := range b.t.Scan(s).Rows(ctx) {
		if err != nil {
			return rows, err
		}
		rows++
		count(len(r.Value(family, qualifier)))
		if rows == n {
			break
		}
	}
	return rows, nil
}

func (b *basalt) load(rows int, value []byte) error {
	m := b.t.Mutator(client.MutatorConfig{})
	for i := range rows {
		if err := m.Add(ctx, client.NewPut(appendRow(nil, i)).Add(family, qualifier, value)); err != nil {
			return err
		}
	}
	if err := m.Close(ctx); err != nil {
		return err
	}
	return b.c.Admin().Flush(ctx, *table)
}

func (b *basalt) close() { b.c.Close() }
