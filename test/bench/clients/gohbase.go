package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/sirupsen/logrus"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

// gohbaseCaller is github.com/tsuna/gohbase.
type gohbaseCaller struct{ c gohbase.Client }

// newGohbase makes a client that sends each request by itself, or, as is its
// default, many in one.
func newGohbase(quorum string, multi bool) gohbaseCaller {
	logrus.SetLevel(logrus.ErrorLevel)
	if multi {
		return gohbaseCaller{gohbase.NewClient(quorum)}
	}
	return gohbaseCaller{gohbase.NewClient(quorum, gohbase.RpcQueueSize(1))}
}

func (g gohbaseCaller) get(row []byte) (int, error) {
	get, err := hrpc.NewGet(ctx, []byte(*table), row)
	if err != nil {
		return 0, err
	}
	r, err := g.c.Get(get)
	if err != nil {
		return 0, err
	}
	if len(r.Cells) == 0 {
		return 0, fmt.Errorf("no row %s", row)
	}
	return len(r.Cells[0].Value), nil
}

func (g gohbaseCaller) put(row, value []byte) error {
	put, err := hrpc.NewPut(ctx, []byte(*table), row, map[string]map[string][]byte{family: {string(qualifier): value}})
	if err != nil {
		return err
	}
	_, err = g.c.Put(put)
	return err
}

func (g gohbaseCaller) scan(start []byte, n int, count func(int)) (rows int, err error) {
	options := []func(hrpc.Call) error{hrpc.MaxResultSize(uint64(*maxBytes))}
	if *caching > 0 {
		options = append(options, hrpc.NumberOfRows(uint32(*caching)))
	}
	s, err := hrpc.NewScanRange(ctx, []byte(*table), start, nil, options...)
	if err != nil {
		return 0, err
	}
	scanner := g.c.Scan(s)
	for rows < n {
		r, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rows, err
		}
		rows++
		count(len(r.Cells[0].Value))
	}
	return rows, scanner.Close()
}

func (g gohbaseCaller) load(int, []byte) error { return errors.New("load with client basalt") }

func (g gohbaseCaller) close() { g.c.Close() }
