// Command lean loads an HBase server, Basalt or the real one, with as little
// client as possible: requests are encoded once, replies are counted and only
// their headers looked at. It tells what the server can do where the stock Java
// client, which costs more than the server, hides it.
//
//	lean -server 127.0.0.1:16020 -table t -op load|put|get|increment|scan [-pid PID]
//
// The table must exist with one region and the family f. load writes -rows rows
// in batches; the others run for -time.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
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

func bytesField(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func intField(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func regionField(b []byte, name []byte) []byte {
	return bytesField(b, 1, bytesField(intField(nil, 1, 1), 2, name))
}

type conn struct {
	net.Conn
	r  *bufio.Reader
	id uint32
}

func dial() (*conn, error) {
	c, err := net.Dial("tcp", *server)
	if err != nil {
		return nil, err
	}
	h := bytesField(nil, 1, bytesField(nil, 1, []byte("lean")))
	h = bytesField(h, 2, []byte("ClientService"))
	h = bytesField(h, 3, []byte("org.apache.hadoop.hbase.codec.KeyValueCodec"))
	b := append([]byte("HBas\x00\x50"), binary.BigEndian.AppendUint32(nil, uint32(len(h)))...)
	if _, err := c.Write(append(b, h...)); err != nil {
		return nil, err
	}
	return &conn{Conn: c, r: bufio.NewReaderSize(c, 1<<18)}, nil
}

// frame encodes one call.
func (c *conn) frame(dst []byte, method string, param, cells []byte) []byte {
	c.id++
	h := intField(nil, 1, uint64(c.id))
	h = bytesField(h, 3, []byte(method))
	h = intField(h, 4, 1)
	if len(cells) > 0 {
		h = bytesField(h, 5, intField(nil, 1, uint64(len(cells))))
	}
	body := protowire.AppendBytes(nil, h)
	body = protowire.AppendBytes(body, param)
	body = append(body, cells...)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	return append(dst, body...)
}

// reply reads one answer; its bytes live until the next.
func (c *conn) reply(buf []byte) (header, rest, newBuf []byte, err error) {
	var n [4]byte
	if _, err := io.ReadFull(c.r, n[:]); err != nil {
		return nil, nil, buf, err
	}
	size := int(binary.BigEndian.Uint32(n[:]))
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err := io.ReadFull(c.r, buf); err != nil {
		return nil, nil, buf, err
	}
	header, k := protowire.ConsumeBytes(buf)
	if k < 0 {
		return nil, nil, buf, protowire.ParseError(k)
	}
	if e := field(header, 2); e != nil {
		return nil, nil, buf, fmt.Errorf("exception %s", field(e, 2))
	}
	return header, buf[k:], buf, nil
}

// field returns a bytes field of a message, or nil.
func field(b []byte, want protowire.Number) []byte {
	for len(b) > 0 {
		n, t, k := protowire.ConsumeTag(b)
		if k < 0 {
			return nil
		}
		b = b[k:]
		if n == want && t == protowire.BytesType {
			v, _ := protowire.ConsumeBytes(b)
			return v
		}
		k = protowire.ConsumeFieldValue(n, t, b)
		if k < 0 {
			return nil
		}
		b = b[k:]
	}
	return nil
}

// findRegion asks hbase:meta for the table's first region.
func findRegion() ([]byte, error) {
	if *regionName != "" {
		return []byte(*regionName), nil
	}
	c, err := dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	scan := bytesField(nil, 3, []byte(*table+",,"))
	scan = bytesField(scan, 4, []byte(*table+" ,,"))
	param := regionField(nil, []byte("hbase:meta,,1"))
	param = bytesField(param, 2, scan)
	param = intField(param, 4, 1)
	param = intField(param, 5, 1)
	if _, err := c.Write(c.frame(nil, "Scan", param, nil)); err != nil {
		return nil, err
	}
	_, rest, _, err := c.reply(nil)
	if err != nil {
		return nil, err
	}
	_, k := protowire.ConsumeBytes(rest)
	cells := rest[k:]
	if len(cells) < 14 {
		return nil, fmt.Errorf("table %s has no region", *table)
	}
	n := binary.BigEndian.Uint16(cells[12:])
	return cells[14 : 14+n], nil
}

func row(i int) []byte { return fmt.Appendf(nil, "%026d", i) }

func keyValue(dst []byte, row, value []byte) []byte {
	key := 2 + len(row) + 1 + 1 + 1 + 8 + 1
	dst = binary.BigEndian.AppendUint32(dst, uint32(8+key+len(value)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(key))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(value)))
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(row)))
	dst = append(dst, row...)
	dst = append(dst, 1, 'f', 'q')
	dst = append(dst, "\x7f\xff\xff\xff\xff\xff\xff\xff\x04"...)
	return append(dst, value...)
}

func inlineMutation(kind uint64, r, value []byte) []byte {
	qv := bytesField(bytesField(nil, 1, []byte("q")), 2, value)
	cv := bytesField(bytesField(nil, 1, []byte("f")), 2, qv)
	m := bytesField(nil, 1, r)
	m = intField(m, 2, kind)
	return bytesField(m, 3, cv)
}

// request makes one call of the kind asked for.
func request(region []byte, rnd *rand.Rand, value []byte) (method string, param []byte) {
	r := row(rnd.IntN(*rows))
	param = regionField(nil, region)
	switch *op {
	case "get":
		return "Get", bytesField(param, 2, bytesField(bytesField(nil, 1, r), 2, bytesField(nil, 1, []byte("f"))))
	case "put":
		return "Mutate", bytesField(param, 2, inlineMutation(2, r, value))
	case "increment":
		m := inlineMutation(1, r, []byte{0, 0, 0, 0, 0, 0, 0, 1})
		return "Mutate", bytesField(param, 2, intField(m, 9, rnd.Uint64()|1))
	}
	scan := bytesField(nil, 3, r)
	param = bytesField(param, 2, scan)
	param = intField(param, 4, uint64(*caching))
	return "Scan", intField(param, 5, 1)
}

func load(region, value []byte) error {
	c, err := dial()
	if err != nil {
		return err
	}
	defer c.Close()
	const batch = 500
	var buf []byte
	for i := 0; i < *rows; i += batch {
		ra := regionField(nil, region)
		var cells []byte
		for j := i; j < min(i+batch, *rows); j++ {
			m := intField(nil, 2, 2)
			m = intField(m, 8, 1)
			ra = bytesField(ra, 3, bytesField(intField(nil, 1, uint64(j-i)), 2, m))
			cells = keyValue(cells, row(j), value)
		}
		if _, err := c.Write(c.frame(nil, "Multi", bytesField(nil, 1, ra), cells)); err != nil {
			return err
		}
		if _, _, buf, err = c.reply(buf); err != nil {
			return err
		}
	}
	return nil
}

func cpuSeconds(pid int) float64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+2:]))
	u, _ := strconv.ParseFloat(f[11], 64)
	s, _ := strconv.ParseFloat(f[12], 64)
	return (u + s) / 100
}

func main() {
	flag.Parse()
	log.SetFlags(0)
	region, err := findRegion()
	if err != nil {
		log.Fatal(err)
	}
	value := make([]byte, *valueBytes)
	for i := range value {
		value[i] = byte(' ' + rand.IntN(90))
	}
	start, cpu := time.Now(), cpuSeconds(*pid)
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
		fmt.Printf(", server CPU %.1f us/op", (cpuSeconds(*pid)-cpu)*1e6/float64(ops.Load()))
	}
	fmt.Println()
}

func run(region, value []byte, ops, received *atomic.Int64) {
	var wg sync.WaitGroup
	end := time.Now().Add(*length)
	for i := range *conns {
		c, err := dial()
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
					out = c.frame(out, method, param, nil)
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
				var rest []byte
				var err error
				if _, rest, buf, err = c.reply(buf); err != nil {
					if time.Now().Before(end) {
						log.Fatal(err)
					}
					return
				}
				ops.Add(1)
				received.Add(int64(len(rest)))
				<-slots
			}
		}()
	}
	wg.Wait()
}
