package javaregex

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
)

// java is a running testdata/recorder/RegexRecorder.java. It is there when
// BASALT_REGEX_PEER holds the shell command that runs the compiled class.
type java struct {
	in  io.Writer
	out *bufio.Reader
}

func startJava(t *testing.T) *java {
	command := os.Getenv("BASALT_REGEX_PEER")
	if command == "" {
		return nil
	}
	cmd := exec.Command("sh", "-c", command)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &java{in, bufio.NewReader(out)}
}

func (j *java) find(t *testing.T, flags Flags, pattern, text string) string {
	hexOf := func(s string) string {
		if s == "" {
			return "-"
		}
		return hex.EncodeToString([]byte(s))
	}
	fmt.Fprintln(j.in, int(flags), hexOf(pattern), hexOf(text))
	s, err := j.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(s)
}

// find answers as java.find does.
func find(flags Flags, pattern, text string) string {
	r, err := Compile(pattern, flags, time.Minute)
	if err != nil {
		return "error"
	}
	found, err := r.Match([]byte(text))
	switch {
	case err != nil:
		return "timeout"
	case found:
		return "yes"
	}
	return "no"
}

// TestRecorded compares with what Java 17 answers, recorded with
//
//	javac -d testdata/recorder testdata/recorder/RegexRecorder.java
//	BASALT_REGEX_PEER='java -cp testdata/recorder RegexRecorder' go test -run TestRecorded -rewrite
//
// A command has the pattern in its first line and a text in each further one,
// all as Go strings; the answer has a line for each text. testdata/differences
// is written by hand: Java's answers are others there.
func TestRecorded(t *testing.T) {
	for _, dir := range []string{"recorded", "differences"} {
		var peer *java
		if dir == "recorded" {
			peer = startJava(t)
		}
		datadriven.Walk(t, "testdata/"+dir, func(t *testing.T, path string) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				flags := 0
				if d.HasArg("flags") {
					d.ScanArgs(t, "flags", &flags)
				}
				var pattern string
				var out strings.Builder
				for i, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
					s, err := strconv.Unquote(line)
					if err != nil {
						t.Fatalf("%s: %s: %v", d.Pos, line, err)
					}
					switch {
					case i == 0:
						pattern = s
					case peer != nil:
						fmt.Fprintln(&out, peer.find(t, Flags(flags), pattern, s))
					default:
						fmt.Fprintln(&out, find(Flags(flags), pattern, s))
					}
				}
				return out.String()
			})
		})
	}
}

// randomPattern writes a pattern over few characters, so that matches are
// frequent.
func randomPattern(rng *rand.Rand, depth int) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	var b strings.Builder
	for range 1 + rng.IntN(4) {
		switch n := rng.IntN(14); {
		case n < 5 || depth == 0:
			b.WriteString(pick("a", "b", "B", "ä", "1", " ", "-", `\n`, `\r`, ".", `\.`, `\w`, `\W`, `\d`, `\s`, `\S`,
				"[ab]", "[^ab]", "[a-c&&[^b]]", "[b[1-3]]", `[\w&&[^a]]`, `\x61`, `\u00e4`, `\Qa.b\E`, `\p{L}`, `\p{Lu}`,
				`\P{Alpha}`, `\p{javaLowerCase}`, `[\p{Punct}\d]`, `\h`, `\v`, `\R`))
		case n < 7:
			b.WriteString(pick("^", "$", `\b`, `\B`, `\A`, `\z`, `\Z`))
		case n < 11:
			b.WriteString(pick("(", "(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?m:", "(?s:"))
			b.WriteString(randomPattern(rng, depth-1))
			if rng.IntN(3) == 0 {
				b.WriteString("|" + randomPattern(rng, depth-1))
			}
			b.WriteString(")")
		case n == 11:
			b.WriteString(pick("(?i)", "(?s)", "(?m)", "(?d)", "(?-i)", "(?iu)"))
			continue
		case n == 12:
			b.WriteString(pick(`\1`, `\2`))
		default:
			b.WriteString(pick("a|", "|b"))
		}
		b.WriteString(pick("", "", "", "", "*", "+", "?", "*?", "+?", "++", "{2}", "{1,2}", "{0,3}?"))
	}
	return b.String()
}

func randomText(rng *rand.Rand) string {
	parts := []string{"a", "b", "A", "B", "ä", "Ä", "1", "2", " ", "-", ".", "\n", "\r", "\r\n", "\u2028", "\u0085", "c", "日"}
	var b strings.Builder
	for range rng.IntN(7) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	return b.String()
}

func seed() uint64 {
	if s := os.Getenv("BASALT_SEED"); s != "" {
		n, _ := strconv.ParseUint(s, 10, 64)
		return n
	}
	return uint64(time.Now().UnixNano())
}

// TestEngines holds the two engines against each other, wherever Go's can run a
// pattern.
func TestEngines(t *testing.T) {
	s := seed()
	rng := rand.New(rand.NewPCG(s, 0))
	compared := 0
	for range 1500 {
		pattern, flags := randomPattern(rng, 2), Flags(rng.IntN(128))&^(Literal|Comments)
		r, err := Compile(pattern, flags, time.Second)
		if err != nil || r.linear == nil {
			continue
		}
		slow := &Regexp{tree: r.tree, timeout: time.Second}
		for range 5 {
			text := randomText(rng)
			a, errA := r.Match([]byte(text))
			b, errB := slow.Match([]byte(text))
			if a != b || errA != nil || errB != nil {
				t.Fatalf("seed %d: %q flags %d on %q: linear %v %v, backtracking %v %v", s, pattern, flags, text, a, errA, b, errB)
			}
			compared++
		}
	}
	t.Logf("%d compared", compared)
}

// TestJava compares random patterns with Java, if it is there.
func TestJava(t *testing.T) {
	j := startJava(t)
	if j == nil {
		t.Skip("by hand: BASALT_REGEX_PEER is not set")
	}
	s := seed()
	rng := rand.New(rand.NewPCG(s, 0))
	differ, errs := 0, 0
	const count = 20000
	for range count {
		pattern, flags, text := randomPattern(rng, 2), Flags(rng.IntN(128))&^Literal, randomText(rng)
		theirs, ours := j.find(t, flags, pattern, text), find(flags, pattern, text)
		if theirs == "error" {
			errs++ // mostly look-behind without bounds, which we take
			continue
		}
		// Java has its own ideas of a repeated \R, and lets some look-behind
		// without bounds pass only to get it wrong.
		if strings.Contains(pattern, `\R`) || strings.Contains(pattern, "(?<") {
			continue
		}
		if theirs != ours {
			if differ++; differ < 30 {
				_, err := Compile(pattern, flags, 0)
				t.Errorf("%q flags %d on %q: Java says %s, we %s %v", pattern, flags, text, theirs, ours, err)
			}
		}
	}
	t.Logf("seed %d: %d of %d differ, %d are errors", s, differ, count, errs)
}

func TestTimeout(t *testing.T) {
	r, err := Compile(`(?=(a+)+$)b|(a*)*\2c`, 0, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := r.Match([]byte(strings.Repeat("a", 40) + "b")); err == nil {
		t.Error("no error")
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestNesting(t *testing.T) {
	for _, unit := range []string{"(", "[", "(?=", "[a&&"} {
		_, err := Compile(strings.Repeat(unit, 5000), 0, 0)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v", unit, err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f.Add(randomPattern(rng, 2), rng.IntN(512), randomText(rng))
	}
	f.Fuzz(func(t *testing.T, pattern string, flags int, text string) {
		if len(pattern) > 200 || len(text) > 200 || !utf8.ValidString(text) {
			return
		}
		r, err := Compile(pattern, Flags(flags), 20*time.Millisecond)
		if err == nil {
			r.Match([]byte(text))
		}
	})
}

// TestLargeClasses bounds what a short pattern can cost.
func TestLargeClasses(t *testing.T) {
	var singles strings.Builder
	for r := rune(0x4e00); r < 0x4e00+20000; r += 2 {
		singles.WriteRune(r)
	}
	for _, pattern := range []string{
		"(?=a)[" + singles.String() + "]",
		"(?=a)" + strings.Repeat(`\p{L}`, 6000),
		"(?iu)(?=a)" + strings.Repeat(`[\p{L}]`, 4000),
		"(?iu)" + strings.Repeat(`[^\p{Cn}]`, 3000),
		"(?iU)" + strings.Repeat(`\w`, 15000),
	} {
		start := time.Now()
		Compile(pattern, 0, 0)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%.20s...: %v", pattern, d)
		} else {
			t.Logf("%.20s...: %v", pattern, d)
		}
	}
}
