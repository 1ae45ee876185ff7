// Summary reads the output of go test -json and prints what a person wants of
// it: a line for each package, the output of tests that failed or were skipped,
// and at the end one line "N passed, N failed". A package that does not build
// counts as one failure, and so does a skipped test: a check that cannot run is
// no check that passed. Only a test that says "by hand:" when it skips is left
// out: it is not part of the suite.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build events
	Test       string
	Elapsed    float64
	Output     string
}

type key struct{ pkg, test string }

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	output := make(map[key]*strings.Builder)
	failedTests := make(map[string]int) // by package
	passed, failed := 0, 0
	for in.Scan() {
		var e event
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			fmt.Println(in.Text()) // go itself complains, outside of any test
			continue
		}
		k := key{e.Package, e.Test}
		switch e.Action {
		case "output", "build-output":
			if e.Action == "build-output" {
				k = key{e.ImportPath, ""}
			}
			if output[k] == nil {
				output[k] = new(strings.Builder)
			}
			output[k].WriteString(e.Output)
		case "build-fail":
			fmt.Print(output[key{e.ImportPath, ""}])
		case "pass", "fail", "skip":
			if e.Test == "" {
				if e.Action == "fail" && failedTests[e.Package] == 0 {
					// Did not build, panicked, or ran out of time.
					failed++
					if o := output[k]; o != nil {
						fmt.Print(o)
					}
				}
				if e.Action != "skip" { // skip: the package has no tests
					fmt.Printf("%-4s %-60s %6.1fs\n", e.Action, e.Package, e.Elapsed)
				}
				continue
			}
			o := output[k]
			switch {
			case e.Action == "pass":
				passed++
			case e.Action == "skip" && o != nil && strings.Contains(o.String(), "by hand:"):
			default:
				failed++
				failedTests[e.Package]++
				fmt.Printf("---- %s %s %s\n%s", e.Action, e.Package, e.Test, o)
			}
			delete(output, k)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Println("reading the test output:", err)
		failed++
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}
