package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version in the making, or the one that was released.
const release = "0.1.0-dev"

// version tells the release, the commit where the build knows it, and whether
// the build has cgo, since speed and memory differ.
func version() string {
	commit, cgo := "", "without cgo"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "CGO_ENABLED" && s.Value == "1":
				cgo = "with cgo"
			}
		}
	}
	if len(commit) > 12 {
		commit = "-" + commit[:12]
	}
	return fmt.Sprintf("%s%s (%s, %s)", release, commit, runtime.Version(), cgo)
}
