package main

import (
	"io"

	"github.com/basaltdb/basalt/internal/bench/cli"
)

// bench measures a server from outside. Its exit codes are its own.
func bench(args []string, out, errs io.Writer) int { return cli.Main(args, out, errs, version()) }
