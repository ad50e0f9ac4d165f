// Command upgrade lets the binary of an older commit and the one of this tree serve one database
// together, under load, while the new one migrates it. No request may fail, and what the books
// say in the end must be what they say where the new binary alone did the same requests. Then the
// old binary starts again on the migrated database, and must show the same.
//
//	go run ./scripts/upgrade [-from COMMIT] [-majors 15,18] [-owners CREATEROLE,NOCREATEROLE] [-for 10s] [-plant lock|drop] [-control]
//
// Without -from the commit is the last one before this that can be built. If it has the same
// migrations, the new version is given one that adds columns, so that each run migrates. Each
// owner of a database on each version of PostgreSQL is a run of its own. With -plant the new
// version has a migration that an upgrade under load must not have: it locks a table for long, or
// drops a column that the old version reads. With -control both are planted, in turn, and the
// command fails unless both are found out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	var c config
	flag.StringVar(&c.from, "from", "", "commit of the old binary")
	majors := flag.String("majors", "0", "versions of PostgreSQL; 0 for the newest that is there")
	owners := flag.String("owners", superuser, "owners of the database: SUPERUSER, CREATEROLE or NOCREATEROLE")
	flag.DurationVar(&c.together, "for", 10*time.Second, "how long both binaries serve together")
	flag.StringVar(&c.plant, "plant", "", "a migration that must be found out: lock or drop")
	control := flag.Bool("control", false, "plant each, and fail unless it is found out")
	flag.Parse()
	c.owners = strings.Split(*owners, ",")
	err := c.readMajors(*majors)
	if err == nil {
		err = command(c, *control)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "upgrade:", err)
		os.Exit(1)
	}
}

func (c *config) readMajors(list string) error {
	for _, text := range strings.Split(list, ",") {
		major, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-majors: %w", err)
		}
		c.majors = append(c.majors, major)
	}
	return nil
}

func command(c config, control bool) error {
	ctx := context.Background()
	if !control {
		return c.upgrade(ctx)
	}
	for _, plant := range []string{"lock", "drop"} {
		c.plant = plant
		err := c.upgrade(ctx)
		if !errors.Is(err, errFound) {
			return errors.Join(fmt.Errorf("the migration that would %s was not found out", plant), err)
		}
		fmt.Printf("%s: found out: %v\n", plant, err)
	}
	return nil
}
