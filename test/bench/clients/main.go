// Command clients measures clients, not servers: how much CPU the client package
// and gohbase take for the same operations on the same table.
//
//	clients -target zk://HOST:PORT -client basalt|gohbase -op load|get|put|scan
//
// It makes the table where it is missing; load fills it. All other runs need the
// rows of a load of the same -rows and -value.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	target     = flag.String("target", "zk://127.0.0.1:2181", "cluster")
	which      = flag.String("client", "basalt", "basalt, gohbase; gohbase-multi sends what comes within its 20 ms in one request")
	op         = flag.String("op", "get", "load, get, put, scan")
	table      = flag.String("table", "clients", "table, with family f")
	rows       = flag.Int("rows", 100_000, "rows of the table")
	valueBytes = flag.Int("value", 1000, "bytes of a value")
	threads    = flag.Int("threads", 16, "goroutines that call")
	conns      = flag.Int("conns", 1, "connections to each server, of client basalt")
	caching    = flag.Int("caching", 0, "rows of a fetch; 0 leaves it to the size")
	maxBytes   = flag.Int("max-bytes", 2<<20, "bytes of a fetch")
	mode       = flag.String("mode", "sync", "of scans of client basalt: sync, prefetch, prefetch-count")
	delay      = flag.Duration("delay", 0, "of the network, each way, added by a proxy")
	warm       = flag.Duration("warm", 2*time.Second, "how long before it counts")
	length     = flag.Duration("time", 5*time.Second, "how long it counts")
)

// caller is what a goroutine calls with, of either client.
type caller interface {
	get(row []byte) (bytes int, err error)
	put(row, value []byte) error
	// scan reads n rows from start on, and counts the bytes of each.
	scan(start []byte, n int, count func(bytes int)) (rows int, err error)
	load(rows int, value []byte) error
	close()
}

var ctx = context.Background()

// appendRow appends the key of row i, 12 digits.
func appendRow(dst []byte, i int) []byte { return fmt.Appendf(dst, "%012d", i) }

// spent is the CPU time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func main() {
	flag.Parse()
	log.SetFlags(0)
	at := *target
	var c caller
	var err error
	switch *which {
	case "basalt":
		c, err = newBasalt(at)
	case "gohbase", "gohbase-multi":
		c = newGohbase(strings.TrimPrefix(at, "zk://"), *which == "gohbase-multi")
	default:
		err = fmt.Errorf("no client %q", *which)
	}
	if err != nil {
		log.Fatal(err)
	}
	defer c.close()
	value := make([]byte, *valueBytes)
	for i := range value {
		value[i] = byte(rand.Uint32())
	}
	if *op == "load" {
		if err := c.load(*rows, value); err != nil {
			log.Fatal(err)
		}
		return
	}
	var ops, bytes, counting atomic.Int64
	var stop atomic.Bool
	var running sync.WaitGroup
	for i := range *threads {
		running.Go(func() {
			if err := run(c, i, value, &stop, &counting, &ops, &bytes); err != nil {
				log.Fatal(err)
			}
		})
	}
	time.Sleep(*warm)
	counting.Store(1)
	cpu, start := spent(), time.Now()
	time.Sleep(*length)
	n, total, took, used := ops.Load(), bytes.Load(), time.Since(start), spent()-cpu
	stop.Store(true)
	running.Wait()
	unit, name := "op", *op
	if *op == "scan" {
		unit = "row"
		if *which == "basalt" {
			name += " " + *mode
		}
	}
	fmt.Printf("%-14s %-19s %8.0f %ss/s %7.1f MB/s  client CPU %6.2f us/%s\n", *which, name,
		float64(n)/took.Seconds(), unit, float64(total)/took.Seconds()/1e6, float64(used.Microseconds())/float64(max(n, 1)), unit)
}

// run calls until it is told to stop, and counts while it is told to.
func run(c caller, thread int, value []byte, stop *atomic.Bool, counting, ops, bytes *atomic.Int64) error {
	rnd := rand.New(rand.NewPCG(uint64(thread), 1))
	var row []byte
	count := func(size int) {
		if counting.Load() > 0 {
			ops.Add(1)
			bytes.Add(int64(size))
		}
	}
	// Each thread scans its own part of the table, over and over.
	part := *rows / *threads
	for !stop.Load() {
		row = appendRow(row[:0], rnd.IntN(*rows))
		switch *op {
		case "get":
			size, err := c.get(row)
			if err != nil {
				return err
			}
			count(size)
		case "put":
			// The client may keep the row.
			if err := c.put(appendRow(nil, rnd.IntN(*rows)), value); err != nil {
				return err
			}
			count(len(value))
		case "scan":
			n, err := c.scan(appendRow(nil, thread*part), part, count)
			if err != nil {
				return err
			}
			if n != part {
				return fmt.Errorf("a scan of %d rows returned %d", part, n)
			}
		default:
			return fmt.Errorf("no operation %q", *op)
		}
	}
	return nil
}
