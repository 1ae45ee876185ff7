package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/basaltdb/basalt/test/bench/driver"
)

// idle writes the same rows over and over and looks at the most memory that the
// server has meanwhile: without scanners, and with 1,000 that have read a row
// each and wait for their clients.
func idle(region []byte) error {
	const scanners = 1000
	if *pid == 0 {
		return fmt.Errorf("-pid is needed")
	}
	v := value()
	if err := put(region, 0, *rows, v); err != nil {
		return err
	}
	fmt.Print("| under write load | peak memory MiB | writing took s |\n|---|---|---|\n")
	var peaks [2][]float64
	var times [2][]float64
	for range *rounds {
		for i := range 2 {
			var held *driver.Conn
			if i == 1 {
				var err error
				if held, err = driver.Dial(*server); err != nil {
					return err
				}
				var buf []byte
				for n := range scanners {
					param := driver.OpenScan(region, 1, driver.Scan{Start: driver.Row(n * *rows / scanners)})
					if _, buf, err = held.Call(buf, "Scan", param, nil); err != nil {
						return err
					}
				}
			}
			// From here on the process's peak counts anew.
			if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", *pid), []byte("5"), 0); err != nil {
				return err
			}
			start := time.Now()
			for range 3 {
				if err := put(region, 0, *rows, v); err != nil {
					return err
				}
			}
			times[i] = append(times[i], time.Since(start).Seconds())
			peak, err := peakMiB(*pid)
			if err != nil {
				return err
			}
			peaks[i] = append(peaks[i], peak)
			if held != nil {
				held.Close()
			}
		}
	}
	for i, name := range []string{"without scanners", "with 1,000 idle scanners"} {
		fmt.Printf("| %s | %.0f | %.1f |\n", name, median(peaks[i]), median(times[i]))
	}
	return nil
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

func peakMiB(pid int) (float64, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	found := highWater.FindSubmatch(status)
	if found == nil {
		return 0, fmt.Errorf("no VmHWM of process %d", pid)
	}
	kb, err := strconv.ParseFloat(string(found[1]), 64)
	return kb / 1024, err
}
