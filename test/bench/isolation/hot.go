package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/basaltdb/basalt/test/bench/driver"
)

// hot scans a small table, updates one of its rows 200,000 times, and scans
// again.
func hot(region []byte) error {
	const hotRows = 1000
	v := value()
	if err := put(region, 0, hotRows, v); err != nil {
		return err
	}
	fmt.Print("| scan of 1,000 rows | server CPU us | time us |\n|---|---|---|\n")
	report := func(name string) error {
		var cpu, took []float64
		for round := range *rounds + 1 {
			c, t, err := scanAll(region, hotRows)
			if err != nil {
				return err
			}
			if round > 0 {
				cpu, took = append(cpu, c), append(took, t)
			}
		}
		fmt.Printf("| %s | %.0f | %.0f |\n", name, median(cpu), median(took))
		return nil
	}
	if err := report("before"); err != nil {
		return err
	}
	start := time.Now()
	if err := update(region, driver.Row(hotRows/2), *updates, v[:100]); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d updates in %.1f s\n", *updates, time.Since(start).Seconds())
	return report(fmt.Sprintf("after %d updates of one row", *updates))
}

// scanAll scans the rows many times and returns server CPU and time of one scan.
func scanAll(region []byte, n int) (cpu, took float64, err error) {
	const times = 100
	c, err := driver.Dial(*server)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	var buf []byte
	start, used := time.Now(), driver.CPUSeconds(*pid)
	for range times {
		if _, buf, err = c.Call(buf, "Scan", driver.OpenScan(region, n, driver.Scan{Close: true}), nil); err != nil {
			return 0, 0, err
		}
	}
	return (driver.CPUSeconds(*pid) - used) * 1e6 / times, us(time.Since(start)) / times, nil
}

// update puts into one row from several connections.
func update(region, row []byte, times int, value []byte) error {
	const conns = 4
	var all sync.WaitGroup
	failed := make(chan error, conns)
	for i := range conns {
		all.Go(func() {
			c, err := driver.Dial(*server)
			if err != nil {
				failed <- err
				return
			}
			defer c.Close()
			mine := append([]byte(nil), value...)
			rnd := rand.New(rand.NewPCG(uint64(i), 1))
			const window = 50
			var out, buf []byte
			for range times / conns / window {
				out = out[:0]
				for range window {
					mine[0] = byte(rnd.Uint32())
					out, _ = c.Frame(out, "Mutate", driver.Put(region, row, mine), nil)
				}
				if _, err := c.Write(out); err != nil {
					failed <- err
					return
				}
				for range window {
					if _, buf, err = c.Read(buf); err != nil {
						failed <- err
						return
					}
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}
