// Command bench measures what Tollkeeper promises of its speed, each figure beside what
// is wanted of it, and fails when one is missed. It starts a PostgreSQL with durable
// settings and servers, each a process of its own, and leaves nothing behind. How fast
// events come in is told as a ratio to PostgreSQL's own COPY of such rows into the same
// indexed tables, taken in turns in one run.
//
// With -full it measures what needs twenty million events to be there. That takes most of
// an hour and 40 GB of disk; with -keep the events are there for the next time.
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
)

func main() {
	present := flag.Int("present", 0, "events that are there before (default 1,000,000; 20,000,000 with -full)")
	rounds := flag.Int("rounds", 5, "how often each way is taken, in turns")
	size := flag.Int64("huge", 1024, "megabytes of the one huge request")
	subscriptions := flag.Int("subscriptions", 0, "subscriptions that are billed (default 10,000; 100,000 with -full)")
	each := flag.Duration("for", costlyFor, "with -costly: how long each kind is sent")
	binary := flag.String("server", "", "the server's binary; built from this checkout when not given")
	chosen := modeFlags(flag.CommandLine)
	keep := flag.Bool("keep", false, "with -full: use the events of an earlier run, and leave them for the next")
	document := flag.String("record", "", "a document that the figures are written into, in place of those of the same command")
	bareAddr := flag.String("bare", "", "serve as the HTTP server that the floor is measured with, and nothing else")
	flag.Parse()
	if *bareAddr != "" {
		fail(serveBare(*bareAddr))
	}
	mode, full := chosen()
	o := options{present: *present, rounds: *rounds, huge: *size << 20, billed: *subscriptions, binary: *binary, keep: *keep, each: *each, mode: mode.String()}
	usual, billed := usualPresent, billedUsual
	if full {
		usual, billed = fullPresent, billedFull
	}
	if o.billed == 0 {
		o.billed = billed
	}
	if o.present == 0 {
		o.present = usual
	}
	fail(o.check())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fail(measured(ctx, o, mode.measure, *document))
}

// measured measures, and writes the figures into a document where one is named, whether or not a
// target was missed.
func measured(ctx context.Context, o options, measure func(context.Context, options) error, document string) error {
	var figures strings.Builder
	o.out = os.Stdout
	if document != "" {
		o.out = io.MultiWriter(os.Stdout, &figures)
	}
	err := measure(ctx, o)
	if document == "" || ctx.Err() != nil {
		return err
	}
	return errors.Join(err, record(document, o.mode, figures.String()))
}

// fail ends the process if there is an error.
func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
