// Package client is a client for HBase: for Basalt, and for HBase 2.4 to 3.0.
//
//	c, err := client.Open("zk://localhost:2181", client.Config{})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	users := c.Table("users")
//	err = users.Put(ctx, client.NewPut([]byte("row")).Add("cf", []byte("name"), []byte("Ada")))
//	...
//	r, err := users.Get(ctx, client.NewGet([]byte("row")).AddColumn("cf", []byte("name")))
//	...
//	fmt.Printf("%s\n", r.Value("cf", []byte("name")))
//
// # Data
//
// A Client is for one cluster and a Table for one table of it; both are for
// concurrent use. A table's rows are read with Get and Scan, written with Put,
// Delete, Append, Increment, RowMutations and CheckAndMutate, many at a time with
// Batch or a BufferedMutator. Package filter makes filters. Admin makes and
// changes tables.
//
// # Time
//
// Every call takes a context. Besides, an operation has the time of
// Config.OperationTimeout; within it attempts that fail for a reason that may
// pass are made again, after pauses that grow: a region that moved or was split,
// a server that is gone, or has too much to do. An operation whose time is up
// ends with ErrTimeout, which wraps the last failure.
//
// An increment or an append is not done twice by being sent twice: it carries a
// number by which servers know it. A CheckAndMutate whose answer got lost is not
// sent again, but ends with ErrUndetermined.
//
// # Memory
//
// The cells of a Result are views of the buffer that its response came in. See
// Result for what that means to who keeps them.
//
// # Errors
//
// Errors are to be tested with errors.Is, for ErrTableNotFound, ErrNoSuchFamily
// and the like, and errors.As, for *RemoteError with the class of the server's
// exception, and *OpError with what was tried and how often.
package client
