package zk

// Tree is what the endpoint shows. Implementations are safe for concurrent use.
type Tree interface {
	// Node finds a znode by its absolute path. What it returns is never changed
	// afterwards.
	Node(path string) (n Node, ok bool)
}

// Node is one znode. Children are names, not paths, sorted.
type Node struct {
	Data     []byte
	Children []string
}
