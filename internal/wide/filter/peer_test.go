package filter

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// peer asks a real HBase, through testdata/recorder/FilterRecorder.java. It is
// there when BASALT_FILTER_PEER holds the shell command that runs the compiled
// class.
type peer struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
}

// startPeer returns nil when there is none.
func startPeer(t *testing.T) *peer {
	command := os.Getenv("BASALT_FILTER_PEER")
	if command == "" {
		return nil
	}
	p := &peer{t: t, cmd: exec.Command("sh", "-c", command)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.say("drop")
		p.answer()
		p.in.Close()
		p.cmd.Wait()
	})
	return p
}

func (p *peer) say(format string, args ...any) { fmt.Fprintf(p.in, format+"\n", args...) }

func (p *peer) answer() string {
	s, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Errorf("the peer is gone: %v", err)
	}
	return strings.TrimSuffix(s, "\n")
}

func hexOf(b []byte) string {
	if len(b) == 0 {
		return "-"
	}
	return hex.EncodeToString(b)
}

func unhex(s string) []byte {
	b, _ := hex.DecodeString(strings.TrimPrefix(s, "-"))
	return b
}

// load replaces the peer's table.
func (p *peer) load(cells []cell.Cell) {
	p.say("table flt_recorder f,g 5")
	for _, c := range cells {
		p.say("put %s %s %s %d %s", hexOf(c.Row), hexOf(c.Family), hexOf(c.Qualifier), c.Timestamp, hexOf(c.Value))
	}
}

// scan returns what show would.
func (p *peer) scan(f packed, reversed bool) string {
	direction := 0
	if reversed {
		direction = 1
	}
	p.say("scan %d %s %s", direction, classPrefix+f.class, hexOf(f.bytes))
	answer := p.answer()
	words := strings.Split(answer, " ")
	if words[0] != "ok" {
		return answer + "\n"
	}
	var rows [][]cell.Cell
	for _, w := range words[1:] {
		part := strings.Split(w, "/")
		ts, _ := strconv.ParseInt(part[3], 10, 64)
		c := cell.Cell{Row: unhex(part[0]), Family: unhex(part[1]), Qualifier: unhex(part[2]),
			Timestamp: ts, Type: cell.Put, Value: unhex(part[4])}
		if n := len(rows); n > 0 && string(rows[n-1][0].Row) == string(c.Row) {
			rows[n-1] = append(rows[n-1], c)
		} else {
			rows = append(rows, []cell.Cell{c})
		}
	}
	return show(rows)
}
