package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"tollkeeper/server/cmd/tollkeeper/importaccount"
)

// servers are the two sides of a transfer: servers that speak the contract, and a key of an
// account of each.
type servers struct {
	From    string `required:"" help:"Address of the server that the account is on, such as https://billing.example.com." placeholder:"URL"`
	Key     string `required:"" env:"SOURCE_API_KEY" help:"API key of the account there; a key that may read is enough."`
	To      string `required:"" help:"Address of the server that the account moves to." placeholder:"URL"`
	ToKey   string `required:"" env:"TARGET_API_KEY" help:"API key of the account there."`
	Journal string `default:"transfer.journal" help:"The file that says what was moved already." type:"path"`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// clients returns clients of both sides.
func (s servers) clients() (source, target *importaccount.Client, err error) {
	source, err = importaccount.NewClient(s.From, s.Key)
	if err != nil {
		return nil, nil, fmt.Errorf("--from: %w", err)
	}
	target, err = importaccount.NewClient(s.To, s.ToKey)
	if err != nil {
		return nil, nil, fmt.Errorf("--to: %w", err)
	}
	return source, target, nil
}

// importAccount is a command.
type importAccount struct {
	servers
	EventKeys string `help:"A file with an idempotency key on each line: the events to move. Servers find events by their keys only." type:"existingfile" placeholder:"FILE"`
	DryRun    bool   `help:"Read the source and say what would be moved, and what cannot be."`
}

// Run moves the account, and prints what was moved and what was not.
func (cmd importAccount) Run(ctx context.Context, out io.Writer) error {
	source, target, err := cmd.clients()
	if err != nil {
		return err
	}
	options := importaccount.Options{Source: source, Target: target, DryRun: cmd.DryRun}
	if !cmd.DryRun {
		if options.Journal, err = importaccount.OpenJournal(cmd.Journal, cmd.From, cmd.To); err != nil {
			return err
		}
		defer func() { _ = options.Journal.Close() }()
	}
	if cmd.EventKeys != "" {
		keys, err := os.Open(cmd.EventKeys)
		if err != nil {
			return err
		}
		defer func() { _ = keys.Close() }()
		options.EventKeys = keys
	}
	report, err := importaccount.Run(ctx, options)
	if errors.Is(err, context.Canceled) {
		return exit{errors.New("stopped; the same command goes on from there"), exitInterrupted}
	}
	if err != nil {
		return fmt.Errorf("%w; the same command goes on from there", err)
	}
	if cmd.JSON {
		return printJSON(out, report)
	}
	return printReport(out, report)
}

func printReport(out io.Writer, report importaccount.Report) error {
	rows := [][]string{{"kind", "new", "there already"}}
	kinds := maps.Clone(report.Created)
	for kind := range report.Kept {
		kinds[kind] += 0
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		rows = append(rows, []string{kind, strconv.Itoa(report.Created[kind]), strconv.Itoa(report.Kept[kind])})
	}
	if err := printTable(out, rows); err != nil {
		return err
	}
	for _, left := range report.Left {
		if _, err := fmt.Fprintf(out, "left: %s %s %s: %s\n", left.Kind, left.ID, left.Name, left.Reason); err != nil {
			return err
		}
	}
	return nil
}

// compare is a command.
type compare struct{ servers }

// Run prints the upcoming invoices of both sides, and fails where they differ.
func (cmd compare) Run(ctx context.Context, out io.Writer) error {
	source, target, err := cmd.clients()
	if err != nil {
		return err
	}
	if _, err := os.Stat(cmd.Journal); err != nil {
		return fmt.Errorf("the journal of the transfer: %w", err)
	}
	journal, err := importaccount.OpenJournal(cmd.Journal, cmd.From, cmd.To)
	if err != nil {
		return err
	}
	defer func() { _ = journal.Close() }()
	all, err := importaccount.Compare(ctx, source, target, journal)
	if err != nil {
		return err
	}
	different := 0
	for _, c := range all {
		if len(c.Differences) > 0 {
			different++
		}
	}
	if cmd.JSON {
		err = printJSON(out, all)
	} else {
		err = printComparisons(out, all)
	}
	if err == nil && different > 0 {
		err = exit{fmt.Errorf("%d of %d upcoming invoices differ", different, len(all)), 1}
	}
	return err
}

func printComparisons(out io.Writer, all []importaccount.Comparison) error {
	rows := [][]string{{"customer", "source", "target", "currency"}}
	for _, c := range all {
		rows = append(rows, []string{c.Customer, c.SourceTotal, c.TargetTotal, c.Currency})
	}
	if err := printTable(out, rows); err != nil {
		return err
	}
	for _, c := range all {
		for _, d := range c.Differences {
			if _, err := fmt.Fprintf(out, "%s: %s %s: %s, and %s at the target\n", c.Customer, d.Line, d.Field, d.Source, d.Target); err != nil {
				return err
			}
		}
	}
	return nil
}
