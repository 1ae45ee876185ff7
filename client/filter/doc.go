// Package filter makes the filters and comparators that HBase's servers apply to
// the cells of a Get or Scan.
//
//	f := filter.All(
//		filter.Prefix([]byte("user1")),
//		filter.SingleColumnValue("cf", []byte("age"), filter.GreaterOrEqual, filter.Long(18)),
//		filter.Page(100),
//	)
//	scan := client.NewScan().SetFilter(f)
//
// The names are HBase's without the words Filter and Comparator. A comparison
// reads "cell OP operand": Less keeps cells that are less than the operand.
package filter
