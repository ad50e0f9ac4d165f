// Command bench measures how fast events come in, as a ratio to PostgreSQL's own
// COPY of the same rows into the same indexed tables, taken in turns in one run.
// It starts a PostgreSQL with durable settings and a server, each a process of
// its own, and leaves nothing behind. Beside that, it tells what costs, previews and
// the rating of a line take, and how much memory one huge request.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

func main() {
	present := flag.Int("present", 1_000_000, "events that are there before")
	rounds := flag.Int("rounds", 5, "how often each way is taken, in turns")
	size := flag.Int64("huge", 1024, "megabytes of the one huge request")
	binary := flag.String("server", "", "the server's binary; built from this checkout when not given")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *present, *rounds, *size<<20, *binary); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, present, rounds int, size int64, binary string) (err error) {
	if err := os.MkdirAll(".data", 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(".data", "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := cluster.Start(ctx, cluster.Options{Dir: dir, Cache: ".data", Log: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { _ = db.Stop() }()
	if err := db.CreateDatabase(ctx, "bench"); err != nil {
		return err
	}
	url := db.URL("bench")
	if _, err := store.Migrate(ctx, url); err != nil {
		return err
	}
	if binary == "" {
		if binary, err = build(ctx, filepath.Join(dir, "tollkeeper")); err != nil {
			return err
		}
	}
	tables, err := openTables(ctx, url)
	if err != nil {
		return err
	}
	defer tables.close()
	server, err := serve(ctx, binary, url, tables.key)
	if err != nil {
		return err
	}
	defer server.stop()

	began := time.Now()
	if err := tables.fill(ctx, present); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d events copied in %.0f s\n", present, time.Since(began).Seconds())
	master, err := postmaster(dir)
	if err != nil {
		return err
	}
	r := report{present: present, load: loadAverage(), cpu: cpuModel(), watch: watch{server.cmd.Process.Pid, master}}
	for round := range rounds {
		if err := r.round(ctx, tables, server); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
	}
	r.memory = server.peakMemory()
	if err := r.costs(ctx, tables, server); err != nil {
		r.note = "GET costs: " + err.Error()
	}
	if err := r.previews(ctx, server); err != nil {
		return err
	}
	if err := r.sendHuge(ctx, tables, server, size); err != nil {
		return err
	}
	r.print(os.Stdout)
	return errors.Join(r.verdict(), rating(ctx, dir, os.Stdout))
}
