package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"tollkeeper/domain/account"
	"tollkeeper/domain/backfill"
	"tollkeeper/domain/event"
	"tollkeeper/server/cmd/tollkeeper/importevents"
	"tollkeeper/store"
)

type importEvents struct {
	File     string   `arg:"" help:"The file, in CSV or with a JSON object on each line; - for standard input."`
	Account  string   `help:"Id of the account; needed when there are several."`
	Backfill string   `help:"Id of the backfill that the events belong to. Events older than the grace period need one."`
	Format   string   `help:"csv or ndjson; told by the file's name when not given." enum:",csv,ndjson" default:""`
	Text     []string `help:"A column of a CSV file that is text even where it reads as a number or a boolean." placeholder:"COLUMN" sep:"none"`
	Rejects  string   `help:"Where events go that cannot be stored, with the reasons; FILE.rejects when not given."`
	JSON     bool     `name:"json" help:"Print what became of the events as JSON."`
}

// exit is an error that ends the process with a status of its own.
type exit struct {
	error
	status int
}

// Statuses of a process that did not do all it was asked.
const (
	exitRejected    = 2
	exitInterrupted = 130 // as shells have it
)

// Run stores the events, and fails unless all of them are stored.
func (cmd importEvents) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		owner, err := onlyAccount(ctx, st, cmd.Account)
		if err != nil {
			return err
		}
		return cmd.into(ctx, st, owner, env.KeyFilters<<20, newProgress(os.Stderr), out)
	})
}

// into stores the events in an account, with filters of known keys of so many bytes at most.
func (cmd importEvents) into(ctx context.Context, st *store.Store, owner string, filterBytes int64, shown *progress, out io.Writer) error {
	ctx = store.WithAccount(ctx, owner)
	recorder, err := cmd.recorder(context.WithoutCancel(ctx), st)
	if err != nil {
		return err
	}
	for more := true; more && ctx.Err() == nil; {
		if more, err = recorder.Learn(ctx, filterBytes); err != nil && ctx.Err() == nil {
			return err
		}
	}
	f := importevents.Feed{
		Path: cmd.File, Format: importevents.Format(cmd.Format), Text: cmd.Text, Rejects: cmd.Rejects, For: owner,
		Record: recorder.Record, Report: shown.report,
	}
	if cmd.Backfill != "" {
		f.For += " " + cmd.Backfill
	}
	from, err := markOf(context.WithoutCancel(ctx), st)
	if err != nil {
		return err
	}
	did, err := f.Run(ctx)
	shown.end()
	switch {
	case errors.Is(err, importevents.ErrInterrupted) && cmd.File != "-":
		return exit{fmt.Errorf("%w after %d events; the same command goes on from there", err, did.Events()), exitInterrupted}
	case errors.Is(err, importevents.ErrInterrupted):
		return exit{fmt.Errorf("%w after %d events; send the same again, and each counts once", err, did.Events()), exitInterrupted}
	case err != nil:
		return err
	}
	lost, err := lostSince(context.WithoutCancel(ctx), st, from)
	if err != nil {
		return err
	}
	if err := cmd.print(out, did, lost); err != nil {
		return err
	}
	if did.Rejected > 0 {
		return exit{fmt.Errorf("%d events are not stored: see %s", did.Rejected, f.RejectsPath()), exitRejected}
	}
	return nil
}

func (cmd importEvents) print(out io.Writer, did importevents.Progress, lost lostUsage) error {
	if cmd.JSON {
		return printJSON(out, struct {
			importevents.Progress
			lostUsage
		}{did, lost})
	}
	_, err := fmt.Fprintf(out, "%d events: %d stored, %d known already, %d rejected\n", did.Events(), did.Stored, did.Known, did.Rejected)
	if err != nil {
		return err
	}
	return lost.print(out)
}

// onlyAccount is the account that is named, else the only one.
func onlyAccount(ctx context.Context, st *store.Store, named string) (id string, err error) {
	if named != "" {
		a, err := account.Find(ctx, st, named)
		return a.ID, err
	}
	all, err := account.IDs(ctx, st)
	switch {
	case err != nil:
		return "", err
	case len(all) != 1:
		return "", fmt.Errorf("there are %d accounts: say which with --account", len(all))
	}
	return all[0], nil
}

func (cmd importEvents) recorder(ctx context.Context, st *store.Store) (*event.Recorder, error) {
	recorder := event.NewRecorder(st)
	if cmd.Backfill == "" {
		return recorder, nil
	}
	var into event.Backfill
	err := st.View(ctx, func(tx *store.Tx) (err error) {
		into, err = backfill.Open(tx, cmd.Backfill)
		return err
	})
	return recorder.Into(into), err
}
