// Package zk reads single znodes of a ZooKeeper ensemble, which is all that an
// HBase client wants of one: each read opens a session, asks, and closes it.
// Nothing is kept open in between, and nothing is watched.
package zk
