//go:build cgo

package server

// engineInGoHeap: with cgo the engine keeps its cache and memtables outside of
// Go's heap.
const engineInGoHeap = false
