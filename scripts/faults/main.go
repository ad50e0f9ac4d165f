// Command faults plays a mixed load on two or three servers that share one database, breaks
// processes, connections and the disk meanwhile, and then checks that nothing is lost, nothing
// counts twice and all is as it would be without faults.
//
//	go run ./scripts/faults [-seed N] [-seeds N] [-faults N] [-state FILE] [-controls]
//	go run ./scripts/faults -soak 1h [-rest N]
//
// The first server runs a private PostgreSQL and supervises it: the command restarts servers, as
// systemd would, and never PostgreSQL. The other servers reach the same PostgreSQL through a proxy
// that cuts connections before or after a COMMIT.
//
// The load is random histories of billing (scripts/histories, which compares each step with a
// model of its own), writers of events, an account that is billed each week, and webhooks. Each
// request is sent until it is answered. What accounts show afterwards is compared byte by byte with a run
// without faults. The rest is checked by SQL that shares no code with the server, and by tollkeeper verify.
//
// A seed decides which histories are played and which faults occur, not at which instant. Seeds
// that are in the state file are not played again. With -controls, damage is planted at the end, and
// all of it must be found. With -soak there are no faults: the load goes on for that time, and memory,
// goroutines, files, connections and dead rows are printed twelve times. None may grow beyond a bound. -rest makes the
// pauses between requests longer, so that the load is lighter.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

type options struct {
	seed          uint64
	seeds, faults int
	state, cache  string
	differing     string // a directory
	controls      bool
	soaking       time.Duration
	rest          int       // how many times as long as usual clients of the load pause
	log           io.Writer // of the servers
	out           io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := options{out: os.Stdout, cache: ".data"}
	flag.Uint64Var(&o.seed, "seed", 1, "the first seed")
	flag.IntVar(&o.seeds, "seeds", 1, "how many seeds are played, in a row")
	flag.IntVar(&o.faults, "faults", 100, "faults of each seed")
	flag.StringVar(&o.state, "state", "", "a file that keeps which seeds are done")
	flag.StringVar(&o.differing, "differing", "", "a directory that gets what accounts show with faults and without, where the two differ")
	flag.BoolVar(&o.controls, "controls", false, "plant damage at the end, which must be found")
	flag.DurationVar(&o.soaking, "soak", 0, "play the load for so long without faults, and print what grows")
	flag.IntVar(&o.rest, "rest", 1, "how many times as long clients pause between requests")
	log := flag.String("log", os.DevNull, "a file for the logs of the servers")
	flag.Parse()
	file, err := os.OpenFile(*log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		o.log = file
		err = o.run(ctx)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// run plays the seeds that are not in the state file.
func (o options) run(ctx context.Context) (err error) {
	if o.seeds < 1 || o.faults < 1 || o.soaking < 0 {
		return errors.New("-seeds and -faults must be at least 1, and -soak no less than 0: otherwise nothing is played")
	}
	kept, err := openProgress(o.state)
	if err != nil {
		return err
	}
	defer kept.close()
	began, found := time.Now(), 0
	m, err := boot(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.shutDown()) }()
	if o.soaking > 0 {
		return o.soak(ctx, m)
	}
	for k := range o.seeds {
		seed := o.seed + uint64(k)
		if kept.has(seed) {
			continue
		}
		one, findings, err := o.play(ctx, m, seed)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		_, _ = fmt.Fprintf(o.out, "seed %d: %s\n", seed, one)
		if len(findings) > 0 { // the seed is not kept, so the next run plays it again
			found++
			_, _ = fmt.Fprintf(o.out, "seed %d: found\n  %s\n", seed, strings.Join(findings, "\n  "))
			continue
		}
		if err := kept.add(one); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintf(o.out, "%s, %s\n", kept.total(), time.Since(began).Round(time.Second))
	if found > 0 {
		return fmt.Errorf("%d seeds ended with findings", found)
	}
	if o.controls {
		return o.plantAll(ctx, m)
	}
	return nil
}
