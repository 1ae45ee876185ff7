package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/basaltdb/basalt/internal/server"
)

// serve runs a server until a signal ends it. The first SIGTERM or SIGINT drains,
// the second one ends the process at once: what was acknowledged is safe either
// way.
func serve(args, environ []string, out, errs io.Writer) int {
	c, err := server.Parse(args, environ)
	if err != nil {
		return fail(errs, err)
	}
	switch {
	case c.Help:
		fmt.Fprintf(out, "basalt serve [flags]\n\n%s\n%s", server.Usage(), server.UsageSources)
		return exitOK
	case c.PrintConfig:
		if err := c.Check(); err != nil {
			return fail(errs, err)
		}
		fmt.Fprint(out, c.Text())
		return exitOK
	}
	c.Version = version()

	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	begin := time.Now()
	c.LimitMemory(os.Getenv)
	s, err := server.Open(c.Config)
	if err != nil {
		return fail(errs, err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	s.Greet(out, time.Since(begin))

	select {
	case err = <-served:
	case <-signals:
		fmt.Fprintln(out, "draining; a second signal ends at once")
		ctx, cancel := context.WithTimeout(context.Background(), c.DrainTimeout)
		defer cancel()
		drained := make(chan error, 1)
		go func() { drained <- s.Shutdown(ctx) }()
		select {
		case err = <-drained:
			if errors.Is(err, context.DeadlineExceeded) {
				fmt.Fprintf(errs, "basalt: calls still ran after %v and were given up\n", c.DrainTimeout)
				err = nil
			}
		case <-signals:
			return exitFailed
		}
	}
	if e := s.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fail(errs, err)
	}
	return exitOK
}

func fail(errs io.Writer, err error) int {
	fmt.Fprintf(errs, "basalt: %v\n", err)
	var usage *server.UsageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}
