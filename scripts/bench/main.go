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
	"time"
)

// options are what the command line says.
type options struct {
	present int    // events that are there before
	rounds  int    // how often each way to get events in is taken
	huge    int64  // bytes of the one huge request
	billed  int    // subscriptions that are billed
	binary  string // the server's; "": built from this checkout
	keep    bool
	each    time.Duration // how long each kind of costly request is sent

	mode string    // what is measured: a flag of the command
	out  io.Writer // of figures
}

// Events that are there before, unless the command line says otherwise.
const (
	usualPresent = 1_000_000
	fullPresent  = 20_000_000
)

func main() {
	present := flag.Int("present", 0, "events that are there before (default 1,000,000; 20,000,000 with -full)")
	rounds := flag.Int("rounds", 5, "how often each way is taken, in turns")
	size := flag.Int64("huge", 1024, "megabytes of the one huge request")
	subscriptions := flag.Int("subscriptions", 0, "subscriptions that are billed (default 10,000; 100,000 with -full)")
	credits := flag.Bool("credits", false, "measure credits alone")
	ingest := flag.Bool("ingest", false, "measure how events come in alone")
	alone := flag.Bool("billing", false, "measure billing alone")
	shares := flag.Bool("shares", false, "measure alone what an account feels of another one that does its worst")
	costly := flag.Bool("costly", false, "measure alone what an account feels of requests that cost much")
	each := flag.Duration("for", costlyFor, "with -costly: how long each kind is sent")
	verification := flag.Bool("verify", false, "measure alone how long all records are verified, and that damage is found")
	guards := flag.Bool("guards", false, "measure what rights of keys and the audit log cost alone")
	pages := flag.Bool("console", false, "measure the pages of the console alone, with so many customers as subscriptions are billed")
	binary := flag.String("server", "", "the server's binary; built from this checkout when not given")
	full := flag.Bool("full", false, "measure what needs very many events")
	keep := flag.Bool("keep", false, "with -full: use the events of an earlier run, and leave them for the next")
	document := flag.String("record", "", "a document that the figures are written into, in place of those of the same command")
	bareAddr := flag.String("bare", "", "serve as the HTTP server that the floor is measured with, and nothing else")
	flag.Parse()
	if *bareAddr != "" {
		fail(serveBare(*bareAddr))
	}
	o := options{present: *present, rounds: *rounds, huge: *size << 20, billed: *subscriptions, binary: *binary, keep: *keep, each: *each, mode: "bench"}
	measure, usual, billed := runUsual, usualPresent, billedUsual
	if *full {
		measure, usual, billed, o.mode = runFull, fullPresent, billedFull, "bench -full"
	}
	if *alone {
		measure, o.mode = runBilling, "bench -billing"
	}
	if *ingest {
		measure, o.mode = runIngest, "bench -ingest"
	}
	if *shares {
		measure, o.mode = runShares, "bench -shares"
	}
	if *costly {
		measure, o.mode = runCostly, "bench -costly"
	}
	if *verification {
		measure, o.mode = runVerify, "bench -verify"
	}
	if *credits {
		measure, o.mode = runCredits, "bench -credits"
	}
	if *pages {
		measure, o.mode = runConsole, "bench -console"
	}
	if *guards {
		measure, o.mode = runGuards, "bench -guards"
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
	fail(measured(ctx, o, measure, *document))
}

// check refuses options by which a part would measure nothing: one subscription of a hundred is of the kinds that differ.
func (o options) check() error {
	if o.rounds < 1 || o.each <= 0 || o.present < 1 || o.huge < 1 || o.billed < variedShare*variedKinds {
		return fmt.Errorf("-rounds, -for, -present and -huge must be at least 1, and -subscriptions at least %d, so that each kind of customer is billed", variedShare*variedKinds)
	}
	return nil
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
