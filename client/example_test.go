package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/client/filter"
)

// Examples run against a server of their own; target is what a program would
// write as "zk://localhost:2181".
var target = exampleTarget()

// exampleTable makes the table that an example works with.
func exampleTable(c *client.Client, name string) *client.Table {
	d := client.TableDescriptor{Name: name, Families: []client.FamilyDescriptor{client.Family("cf").WithVersions(3)}}
	if err := c.Admin().CreateTable(context.Background(), d); err != nil {
		log.Fatal(err)
	}
	return c.Table(name)
}

func Example() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	users := client.TableDescriptor{Name: "users", Families: []client.FamilyDescriptor{client.Family("cf")}}
	if err := c.Admin().CreateTable(ctx, users); err != nil {
		log.Fatal(err)
	}
	table := c.Table("users")
	put := client.NewPut([]byte("ada")).
		Add("cf", []byte("name"), []byte("Ada Lovelace")).
		Add("cf", []byte("born"), []byte("1815"))
	if err := table.Put(ctx, put); err != nil {
		log.Fatal(err)
	}
	r, err := table.Get(ctx, client.NewGet([]byte("ada")).AddColumn("cf", []byte("name")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", r.Value("cf", []byte("name")))
	// Output: Ada Lovelace
}

func ExampleTable_Scan() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	table := exampleTable(c, "fruit")
	for _, name := range []string{"apple", "banana", "blackberry", "cherry"} {
		put := client.NewPut([]byte(name)).Add("cf", []byte("length"), fmt.Append(nil, len(name)))
		if err := table.Put(ctx, put); err != nil {
			log.Fatal(err)
		}
	}
	// Prefetch reads ahead while the loop works on the rows at hand.
	scan := client.NewScan().Prefix([]byte("b")).SetMode(client.Prefetch)
	for r, err := range table.Scan(scan).Rows(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %s\n", r.Row(), r.Value("cf", []byte("length")))
	}
	// Output:
	// banana 6
	// blackberry 10
}

func ExampleScan_SetFilter() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	table := exampleTable(c, "cities")
	for name, country := range map[string]string{"Bath": "GB", "Bonn": "DE", "Kiel": "DE"} {
		if err := table.Put(ctx, client.NewPut([]byte(name)).Add("cf", []byte("country"), []byte(country))); err != nil {
			log.Fatal(err)
		}
	}
	german := filter.SingleColumnValue("cf", []byte("country"), filter.Equal, filter.Binary([]byte("DE")))
	for r, err := range table.Scan(client.NewScan().SetFilter(german).SetReversed(true)).Rows(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", r.Row())
	}
	// Output:
	// Kiel
	// Bonn
}

// A reader that takes its time keeps its place on the server by Renew.
func ExampleScanner_Renew() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	table := exampleTable(c, "jobs")
	for i := range 3 {
		if err := table.Put(ctx, client.NewPut(fmt.Append(nil, "job", i)).Add("cf", nil, nil)); err != nil {
			log.Fatal(err)
		}
	}
	work := func(job []byte) { fmt.Printf("%s done\n", job) }

	rows := table.Scan(client.NewScan().SetCaching(1))
	defer rows.Close()
	for rows.Next(ctx) {
		work(rows.Result().Row())
		if err := rows.Renew(ctx); err != nil {
			log.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// job0 done
	// job1 done
	// job2 done
}

func ExampleTable_Batch() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	table := exampleTable(c, "stock")
	column := []byte("n")
	results, err := table.Batch(ctx, []client.Op{
		client.NewIncrement([]byte("screws")).Add("cf", column, 100),
		client.NewIncrement([]byte("nuts")).Add("cf", column, 40),
		client.NewPut([]byte("bolts")).Add("typo", column, nil),
	})
	// The error tells that something failed, the results, what.
	fmt.Println("all done:", err == nil)
	for _, r := range results {
		if r.Err != nil {
			fmt.Println("no such family:", errors.Is(r.Err, client.ErrNoSuchFamily))
			continue
		}
		n, _ := r.Result.Int64("cf", column)
		fmt.Printf("%s %d\n", r.Result.Row(), n)
	}
	// Output:
	// all done: false
	// screws 100
	// nuts 40
	// no such family: true
}

func ExampleTable_CheckAndMutate() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	table := exampleTable(c, "locks")
	row, owner := []byte("printer"), []byte("owner")
	for _, name := range []string{"ada", "bob"} {
		take := client.NewCheckAndMutate(row).IfNotExists("cf", owner).
			Then(client.NewPut(row).Add("cf", owner, []byte(name)))
		r, err := table.CheckAndMutate(ctx, take)
		if errors.Is(err, client.ErrUndetermined) {
			// The answer got lost: whether it was done, only reading tells.
			log.Print(err)
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, r.Processed)
	}
	// Output:
	// ada true
	// bob false
}

func ExampleTable_Mutator() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	table := exampleTable(c, "log")
	m := table.Mutator(client.MutatorConfig{FlushInterval: time.Second})
	for i := range 1000 {
		put := client.NewPut(fmt.Appendf(nil, "%04d", i)).Add("cf", []byte("line"), []byte("..."))
		if err := m.Add(ctx, put); err != nil {
			log.Fatal(err)
		}
	}
	// Only what Close or Flush has answered for is written for sure.
	err = m.Close(ctx)
	var failed *client.MutatorError
	if errors.As(err, &failed) {
		for _, f := range failed.Failed {
			fmt.Printf("%s: %v\n", f.Mutation.Row(), f.Err)
		}
	} else if err != nil {
		log.Fatal(err)
	}
	n := 0
	for _, err := range table.Scan(client.NewScan().SetFilter(filter.FirstKeyOnly())).Rows(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n)
	// Output: 1000
}

func ExampleClient_Admin() {
	ctx := context.Background()
	c, err := client.Open(target(), client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	admin := c.Admin()
	events := client.TableDescriptor{
		Name: "events",
		Families: []client.FamilyDescriptor{
			client.Family("raw").WithTTL(24 * time.Hour),
			client.Family("daily").WithVersions(10),
		},
	}
	// Three regions.
	if err := admin.CreateTable(ctx, events, []byte("h"), []byte("p")); err != nil {
		log.Fatal(err)
	}
	err = admin.CreateTable(ctx, events)
	fmt.Println("again:", errors.Is(err, client.ErrTableExists))
	regions, err := c.Table("events").Regions(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range regions {
		fmt.Printf("from %q to %q\n", r.Start, r.End)
	}
	if err := admin.DisableTable(ctx, "events"); err != nil {
		log.Fatal(err)
	}
	if err := admin.DeleteTable(ctx, "events"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// again: true
	// from "" to "h"
	// from "h" to "p"
	// from "p" to ""
}
