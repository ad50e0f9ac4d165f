// Command upgrade lets the binary of an older commit and the one of this tree serve one database
// together, under load, while the new one migrates it. No request may fail, and what the books
// say in the end must be what they say where the new binary alone did the same requests.
//
//	go run ./scripts/upgrade [-from COMMIT] [-major 18] [-for 10s] [-plant lock|drop] [-control]
//
// Without -from the commit is the one before the newest migration. With -plant the new version
// has a migration that an upgrade under load must not have: it locks a table for long, or drops
// a column that the old version reads. With -control both are planted, in turn, and the command
// fails unless both are found out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	var c config
	flag.StringVar(&c.from, "from", "", "commit of the old binary")
	flag.IntVar(&c.major, "major", 0, "version of PostgreSQL; 0 for the newest that is there")
	flag.DurationVar(&c.together, "for", 10*time.Second, "how long both binaries serve together")
	flag.StringVar(&c.plant, "plant", "", "a migration that must be found out: lock or drop")
	control := flag.Bool("control", false, "plant each, and fail unless it is found out")
	flag.Parse()
	if err := command(c, *control); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "upgrade:", err)
		os.Exit(1)
	}
}

func command(c config, control bool) error {
	ctx := context.Background()
	if !control {
		return c.upgrade(ctx)
	}
	for plant := range planted {
		c.plant = plant
		err := c.upgrade(ctx)
		if !errors.Is(err, errFound) {
			return errors.Join(fmt.Errorf("the migration that would %s was not found out", plant), err)
		}
		fmt.Printf("%s: found out: %v\n", plant, err)
	}
	return nil
}
