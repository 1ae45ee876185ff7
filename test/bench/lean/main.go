// Command lean loads an HBase server, Basalt or the real one, with as little
// client as possible. It tells what the server can do where the stock Java
// client, which costs more than the server, hides it.
//
//	lean -server 127.0.0.1:16020 -table t -op load|put|get|increment|scan [-pid PID]
//
// The table must exist with one region and the family f. load writes -rows rows
// in batches; the others run for -time.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/test/bench/driver"
)

var (
	server      = flag.String("server", "127.0.0.1:16020", "region server")
	table       = flag.String("table", "lean", "table, with family f")
	op          = flag.String("op", "get", "load, put, get, increment, scan")
	rows        = flag.Int("rows", 100_000, "rows of the table")
	valueBytes  = flag.Int("value", 1000, "bytes of a value")
	conns       = flag.Int("conns", 4, "connections")
	outstanding = flag.Int("outstanding", 8, "calls in flight on each connection")
	caching     = flag.Int("caching", 100, "rows a scan asks for")
	length      = flag.Duration("time", 10*time.Second, "how long")
	pid         = flag.Int("pid", 0, "server process, for its CPU")
	regionName  = flag.String("region", "", "region name, instead of looking it up")
)

// request makes one call of the kind asked for.
func request(region []byte, rnd *rand.Rand, value []byte) (method string, param []byte) {
	r := driver.Row(rnd.IntN(*rows))
	switch *op {
	case "get":
		return "Get", driver.Get(region, r)
	case "put":
		return "Mutate", driver.Put(region, r, value)
	case "increment":
		return "Mutate", driver.Increment(region, counter(r), rnd.Uint64()|1)
	}
	return "Scan", driver.OpenScan(region, *caching, driver.Scan{Start: r, Close: true})
}

// counter is a row beside the loaded ones: their values are no counters.
func counter(row []byte) []byte { return append([]byte("counter-"), row...) }

func load(region, value []byte) error {
	c, err := driver.Dial(*server)
	if err != nil {
		return err
	}
	defer c.Close()
	const batch = 500
	var buf []byte
	keys := make([][]byte, 0, batch)
	for i := 0; i < *rows; i += batch {
		keys = keys[:0]
		for j := i; j < min(i+batch, *rows); j++ {
			keys = append(keys, driver.Row(j))
		}
		param, cells := driver.Puts(region, keys, value)
		if _, buf, err = c.Call(buf, "Multi", param, cells); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	flag.Parse()
	log.SetFlags(0)
	switch *op {
	case "load", "get", "put", "increment", "scan":
	default:
		log.Fatalf("no operation %q", *op)
	}
	region := []byte(*regionName)
	if len(region) == 0 {
		var err error
		if region, err = driver.FindRegion(*server, *table); err != nil {
			log.Fatal(err)
		}
	}
	value := make([]byte, *valueBytes)
	for i := range value {
		value[i] = byte(' ' + rand.IntN(90))
	}
	start, cpu := time.Now(), driver.CPUSeconds(*pid)
	var ops, received atomic.Int64
	if *op == "load" {
		if err := load(region, value); err != nil {
			log.Fatal(err)
		}
		ops.Store(int64(*rows))
	} else {
		run(region, value, &ops, &received)
	}
	took := time.Since(start).Seconds()
	fmt.Printf("%s: %.0f ops/s, %.1f MB/s received", *op, float64(ops.Load())/took, float64(received.Load())/took/1e6)
	if *pid != 0 {
		fmt.Printf(", server CPU %.1f us/op", (driver.CPUSeconds(*pid)-cpu)*1e6/float64(ops.Load()))
	}
	fmt.Println()
}

func run(region, value []byte, ops, received *atomic.Int64) {
	var wg sync.WaitGroup
	end := time.Now().Add(*length)
	for i := range *conns {
		c, err := driver.Dial(*server)
		if err != nil {
			log.Fatal(err)
		}
		wg.Add(1)
		slots := make(chan struct{}, *outstanding)
		go func() {
			rnd := rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))
			var out []byte
			for time.Now().Before(end) {
				slots <- struct{}{}
				out = out[:0]
				for more := true; more; {
					method, param := request(region, rnd, value)
					out, _ = c.Frame(out, method, param, nil)
					select {
					case slots <- struct{}{}:
					default:
						more = false
					}
				}
				if _, err := c.Write(out); err != nil {
					log.Fatal(err)
				}
			}
			// All answers have come once every slot can be taken.
			for range *outstanding {
				slots <- struct{}{}
			}
			c.Close()
		}()
		go func() {
			defer wg.Done()
			var buf []byte
			for {
				var reply driver.Reply
				var err error
				if reply, buf, err = c.Read(buf); err != nil {
					if time.Now().Before(end) {
						log.Fatal(err)
					}
					return
				}
				ops.Add(1)
				received.Add(int64(reply.Size))
				<-slots
			}
		}()
	}
	wg.Wait()
}
