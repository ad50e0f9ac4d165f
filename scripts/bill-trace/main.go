// Command bill-trace bills traces of a language model, through the public API
// alone: it makes a customer for each, sends every row as a usage event, moves
// the account's test clock past the end of the month and prints the invoice.
//
//	go run ./scripts/bill-trace [--url URL] [--key KEY] [--json] FILE...
//
// A trace is a CSV file with the columns TIMESTAMP (UTC), ContextTokens and
// GeneratedTokens, all of November 2023. Running it again finds what the first
// run made and prints the same invoice. Several traces must be named together,
// for a clock that has passed one month's end never comes back to it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			_, _ = fmt.Fprintln(os.Stderr, "bill-trace:", err)
		}
		os.Exit(1)
	}
}

// run bills the traces that args name, prints the invoices on out and tells on
// progress how far it is.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("bill-trace", flag.ContinueOnError)
	flags.SetOutput(progress)
	url := flags.String("url", "http://127.0.0.1:8080", "where the server answers")
	key := flags.String("key", os.Getenv("TOLLKEEPER_API_KEY"), "an API key of a test account; TOLLKEEPER_API_KEY by default")
	asJSON := flags.Bool("json", false, "print the invoices as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() == 0:
		return errors.New("name the CSV files to bill")
	case *key == "":
		return errors.New("give an API key with --key or TOLLKEEPER_API_KEY")
	}
	var traces []trace
	for _, path := range flags.Args() {
		t, err := readTrace(path)
		if err != nil {
			return err
		}
		traces = append(traces, t)
	}
	invoices, err := connect(*url, *key, progress).bill(ctx, traces)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(out, invoices)
	}
	return printTables(out, invoices)
}
