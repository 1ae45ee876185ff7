// Package result is what a benchmark leaves behind: its JSON form, and what is
// made of it: CSV, comparisons, merged histograms of several machines.
//
// A Result has phases (a load, a run, one step of a sweep), each with its
// operations. Of turns an engine's outcome into a Phase. Files are written whole or
// not at all.
package result
