// Shows that docs/operations.md lists the settings that there are.
package server

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite the table of settings in docs/operations.md")

func settingsTable() string {
	c := Defaults()
	var b strings.Builder
	b.WriteString("| setting | default | meaning |\n|---|---|---|\n")
	settings(&c).VisitAll(func(f *pflag.Flag) {
		value := "`" + f.DefValue + "`"
		switch {
		case f.Name == "cache-size":
			value = "from the machine"
		case f.DefValue == "":
			value = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, value, f.Usage)
	})
	return b.String()
}

func TestOperationsDoc(t *testing.T) {
	const path = "../../docs/operations.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "-update -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end of settings -->")
	if !ok || !ok2 {
		t.Fatal("the marks around the settings are gone")
	}
	want := before + "-update -->\n" + settingsTable() + "<!-- end of settings -->" + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatal("the table of settings is not that of the code; run with -update")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
