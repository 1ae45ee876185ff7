//go:build !cgo

package server

// engineInGoHeap: without cgo the engine's cache and memtables are Go memory.
const engineInGoHeap = true
