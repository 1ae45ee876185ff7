// Package sample reads what the client and the server of a benchmark use: CPU,
// memory, and what the server tells about itself. What cannot be read is absent
// from a Sample, never guessed.
//
// Process is the client. A Source is a server: Prometheus (Basalt's metrics or an
// exporter's), JMX (HBase over HTTP), PID (a process of this host), and what the
// MySQL driver asks itself.
package sample
