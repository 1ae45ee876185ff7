// Basalt is a database server that HBase clients take for an HBase cluster.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/basaltdb/basalt/internal/server"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `Basalt is a database server that HBase clients take for an HBase cluster.

  basalt serve [flags]   serve a data directory; basalt serve --help tells the flags
  basalt bench           measure a server, this one or another
  basalt version         print the version
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its surroundings as arguments.
func run(args []string, out, errs io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(errs, usage)
		return exitUsage
	}
	switch args[0] {
	case "serve":
		return serve(args[1:], os.Environ(), out, errs)
	case "bench":
		return bench(args[1:], out, errs)
	case "version", "--version":
		fmt.Fprintln(out, "basalt", version())
		return exitOK
	case "help", "--help", "-h":
		fmt.Fprint(out, usage)
		return exitOK
	}
	fmt.Fprintf(errs, "basalt: unknown command %q%s\n\n%s", args[0],
		server.Hint(args[0], []string{"serve", "bench", "version", "help"}), usage)
	return exitUsage
}
