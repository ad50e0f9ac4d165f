// Command histories plays random histories of billing on a server, and compares after each
// step all documents and ledgers with a model that was written from the rules alone. It shares
// no code with the server: domain/reference measures and prices usage and works out adjustments.
//
//	go run ./scripts/histories [-seed N] [-count N] [-steps N] [-workers N] [-state FILE]
//
// With -server and -keys it plays them on a server that runs already, on empty test accounts, and
// -dump keeps what each account shows at the end, for scripts/faults.
//
// With -paces it lives through a year of each history in one jump, by days and in steps of
// seven hours, and compares what the accounts show afterwards, byte by byte.
//
// A history in which the two differ is made shorter and printed with its seed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			_, _ = fmt.Fprintln(os.Stderr, "histories:", err)
		}
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("histories", flag.ContinueOnError)
	o := options{out: out}
	flags.Uint64Var(&o.seed, "seed", 1, "of the first history")
	flags.IntVar(&o.count, "count", 1, "how many histories, of seeds in a row")
	flags.IntVar(&o.steps, "steps", 40, "of a history, beside its opening")
	flags.IntVar(&o.workers, "workers", 2, "how many are played at once")
	flags.IntVar(&o.failures, "failures", 5, "end after so many that differ")
	flags.BoolVar(&o.whole, "whole", false, "print what differs without making it shorter")
	flags.StringVar(&o.state, "state", "", "a file that keeps which seeds are done, to go on from there")
	flags.BoolVar(&o.quick, "quick", false, "compare after steps of the clock and changes of subscriptions alone")
	flags.BoolVar(&o.wide, "wide", false, "have price models of all kinds, metrics that divide, composite prices, adjustments over fees and usage, and usage below 0 too")
	flags.BoolVar(&o.pairs, "pairs", false, "print how often each pair of a step and a feature occurred")
	flags.StringVar(&o.dumps, "dump", "", "a directory that gets what each account shows at the end, by seed")
	url := flags.String("server", "", "base URL of a server to play on, instead of one that is started")
	keys := flags.String("keys", "", "API keys of empty test accounts there, one for each history, with commas")
	file := flags.String("play", "", "a file of steps, one JSON object a line, to play instead")
	paced := flags.Bool("paces", false, "live through a year of each history in one jump, by days and by seven hours instead, and compare the bytes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *file == "" && (o.count < 1 || o.steps < 1 || o.workers < 1 || o.failures < 1) {
		return errors.New("-count, -steps, -workers and -failures must be at least 1: otherwise no history is compared")
	}
	collectLess()
	s := &stage{url: *url, keys: strings.Split(*keys, ",")}
	if *url == "" {
		var err error
		if s, err = setUp(ctx, ".data"); err != nil {
			return err
		}
		defer s.tearDown()
	}
	if *file != "" {
		return playFile(ctx, s, *file)
	}
	do := o.play
	if *paced {
		do = o.playPaces
	}
	found, err := do(ctx, s)
	if err == nil && found > 0 {
		err = fmt.Errorf("%d histories differ", found)
	}
	return err
}

// collectLess has garbage collected less often: memory is cheaper here than time.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// playFile plays the steps of a file.
func playFile(ctx context.Context, s *stage, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var steps []step
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var one step
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		steps = append(steps, one)
	}
	_, err = replay(ctx, s, steps)
	return err
}
