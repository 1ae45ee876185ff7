// Package cli is `basalt bench`: it reads command lines, runs phases, shows their
// progress, and writes their results. Main is all that others need. Results alone
// go to standard output, everything else to standard error.
package cli
