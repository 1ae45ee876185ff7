// Package ycsb is YCSB's core workload: its properties, its mix of operations over
// a key-value store, its checks of the data, and its report.
//
// Properties are read with Parse, and become a Workload with New. LoadPlan and
// RunPlan make phases of it for the load engine. WriteText prints what YCSB would.
package ycsb
