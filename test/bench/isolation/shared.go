package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/basaltdb/basalt/test/bench/driver"
)

// shared has 64 threads that read single rows over one connection, as the
// threads of one Java client do, and measures how long each waits: alone, then
// with a scan over the same connection that reads all rows and finds none, then
// with one that is sent all of them.
func shared(region []byte) error {
	if err := put(region, 0, *rows, value()); err != nil {
		return err
	}
	kinds := []struct {
		name string
		scan *driver.Scan
	}{
		{"64 threads, Gets alone", nil},
		{"with a scan that finds nothing", &driver.Scan{Value: "no value holds this"}},
		{"with a scan of everything", &driver.Scan{MaxSize: 2 << 20}},
	}
	p50, p99, rate := make([][]float64, len(kinds)), make([][]float64, len(kinds)), make([][]float64, len(kinds))
	for round := range *rounds + 1 {
		for i, kind := range kinds {
			took, err := readThrough(region, kind.scan)
			if err != nil {
				return err
			}
			if round == 0 {
				continue // the first of each is to warm up
			}
			slices.Sort(took)
			p50[i] = append(p50[i], us(took[len(took)/2]))
			p99[i] = append(p99[i], us(took[len(took)*99/100]))
			rate[i] = append(rate[i], float64(len(took))/sharedTime.Seconds())
		}
	}
	fmt.Print("| on one connection | Gets/s | p50 us | p99 us | p99 against alone |\n|---|---|---|---|---|\n")
	for i, kind := range kinds {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.1f |\n", kind.name, median(rate[i]), median(p50[i]), median(p99[i]), median(p99[i])/median(p99[0]))
	}
	return nil
}

const (
	sharedThreads = 64
	sharedTime    = 4 * time.Second
)

func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// mux shares one connection among callers: each waits for the answer of its own call.
type mux struct {
	*driver.Conn
	mu      sync.Mutex // over the connection's writing half and waiting
	waiting map[uint32]chan answer
	out     []byte
}

type answer struct {
	scanner uint64
	more    bool
	err     error
}

func (m *mux) call(method string, param []byte, done chan answer) answer {
	m.mu.Lock()
	var id uint32
	m.out, id = m.Frame(m.out[:0], method, param, nil)
	m.waiting[id] = done
	_, err := m.Write(m.out)
	m.mu.Unlock()
	if err != nil {
		return answer{err: err}
	}
	return <-done
}

func (m *mux) read() {
	var buf []byte
	for {
		var reply driver.Reply
		var err error
		reply, buf, err = m.Read(buf)
		m.mu.Lock()
		if err != nil && reply.Call == 0 {
			for id, done := range m.waiting {
				done <- answer{err: err}
				delete(m.waiting, id)
			}
			m.mu.Unlock()
			return
		}
		done := m.waiting[reply.Call]
		delete(m.waiting, reply.Call)
		m.mu.Unlock()
		a := answer{err: err}
		a.scanner, a.more = driver.Scanner(reply)
		done <- a
	}
}

// readThrough reads for a while, with a scan beside it unless that is nil, and
// returns how long every Get took.
func readThrough(region []byte, scan *driver.Scan) (took []time.Duration, err error) {
	c, err := driver.Dial(*server)
	if err != nil {
		return nil, err
	}
	m := &mux{Conn: c, waiting: map[uint32]chan answer{}}
	go m.read()
	defer c.Close()
	end := time.Now().Add(sharedTime)
	var all sync.WaitGroup
	var mu sync.Mutex
	fail := func(e error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			err = e
		}
	}
	for i := range sharedThreads {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 1))
			done := make(chan answer, 1)
			mine := make([]time.Duration, 0, 1<<14)
			for time.Now().Before(end) {
				param := driver.Get(region, driver.Row(rnd.IntN(*rows)))
				start := time.Now()
				if a := m.call("Get", param, done); a.err != nil {
					fail(a.err)
					return
				}
				mine = append(mine, time.Since(start))
			}
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	if scan != nil {
		all.Go(func() {
			done := make(chan answer, 1)
			var a answer
			for time.Now().Before(end) {
				param := driver.NextScan(a.scanner, *rows)
				if !a.more {
					param = driver.OpenScan(region, *rows, *scan)
				}
				if a = m.call("Scan", param, done); a.err != nil {
					fail(a.err)
					return
				}
			}
		})
	}
	all.Wait()
	return took, err
}
