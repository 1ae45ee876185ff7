// Command isolation measures whether one load disturbs another, on Basalt or on
// a real HBase:
//
//	isolation -case shared   64 threads read over one connection, without and with a slow scan among them
//	isolation -case idle     memory while rows are written, without and with 1,000 open scanners
//	isolation -case hot      a scan before and after one of its rows was updated 200,000 times
//
// The table must exist with one region and the family f; each case loads its own
// rows into it. It prints Markdown rows.
package main

import (
	"flag"
	"log"
	"math/rand/v2"

	"github.com/basaltdb/basalt/test/bench/driver"
)

var (
	server  = flag.String("server", "127.0.0.1:16020", "region server")
	table   = flag.String("table", "isolation", "table, with family f")
	which   = flag.String("case", "", "shared, idle or hot")
	pid     = flag.Int("pid", 0, "server process, for its CPU and memory")
	rows    = flag.Int("rows", 100_000, "rows of the table")
	updates = flag.Int("updates", 200_000, "how often the hot row is updated")
	rounds  = flag.Int("rounds", 3, "rounds of each measurement; medians are printed")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	cases := map[string]func(region []byte) error{"shared": shared, "idle": idle, "hot": hot}
	run := cases[*which]
	if run == nil {
		log.Fatal("-case must be shared, idle or hot")
	}
	region, err := driver.FindRegion(*server, *table)
	if err == nil {
		err = run(region)
	}
	if err != nil {
		log.Fatal(err)
	}
}

const valueBytes = 1000

func value() []byte {
	v := make([]byte, valueBytes)
	for i := range v {
		v[i] = byte(' ' + rand.IntN(90))
	}
	return v
}

// put writes rows from to to (excluded) in batches.
func put(region []byte, from, to int, value []byte) error {
	c, err := driver.Dial(*server)
	if err != nil {
		return err
	}
	defer c.Close()
	const batch = 500
	var buf []byte
	keys := make([][]byte, 0, batch)
	for i := from; i < to; i += batch {
		keys = keys[:0]
		for j := i; j < min(i+batch, to); j++ {
			keys = append(keys, driver.Row(j))
		}
		param, cells := driver.Puts(region, keys, value)
		if _, buf, err = c.Call(buf, "Multi", param, cells); err != nil {
			return err
		}
	}
	return nil
}
