package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	exports "tollkeeper/domain/export"
	"tollkeeper/store"
	"tollkeeper/store/tempfile"
)

type export struct {
	Account string `help:"Id of the account; needed when there are several."`
	What    string `help:"invoices, lines, credit_notes, credit_note_lines, payments, balances, balance_transactions, ledger, credit_blocks, customers, subscriptions or events." required:""`
	Format  string `help:"csv, ndjson or xlsx." enum:"csv,ndjson,xlsx" default:"csv"`
	From    string `help:"Rows from then on: a day, which begins at midnight in the account's time zone, or an instant. Documents are chosen by when they were issued." placeholder:"TIME"`
	To      string `help:"Rows before then." placeholder:"TIME"`
	Out     string `help:"The file; standard output when not given. It is there once it is complete." placeholder:"FILE"`
}

// Run writes the file.
func (cmd export) Run(ctx context.Context, env environment, out io.Writer) error {
	var temp *tempfile.Place
	if exports.Format(cmd.Format) == exports.XLSX {
		log, err := env.logger(os.Stderr)
		if err != nil {
			return err
		}
		if temp, err = env.temporary(log); err != nil {
			return err
		}
	}
	return withStore(ctx, env, func(st *store.Store) error {
		owner, err := onlyAccount(ctx, st, cmd.Account)
		if err != nil {
			return err
		}
		ctx := store.WithAccount(ctx, owner)
		if cmd.Out == "" {
			return cmd.write(ctx, st, temp, out)
		}
		return cmd.toFile(ctx, st, temp)
	})
}

// toFile writes to a file beside the one that is asked for, which takes its place when it is complete.
func (cmd export) toFile(ctx context.Context, st *store.Store, temp *tempfile.Place) (err error) {
	part := cmd.Out + ".part"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // what customers pay is for few eyes
	if err != nil {
		return err
	}
	if err := errors.Join(cmd.write(ctx, st, temp, file), file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, cmd.Out)
}

func (cmd export) write(ctx context.Context, st *store.Store, temp *tempfile.Place, to io.Writer) error {
	return st.View(ctx, func(tx *store.Tx) (err error) {
		q := exports.Query{Report: exports.Report(cmd.What), Format: exports.Format(cmd.Format), Temp: temp}
		if q.From, err = exports.ParseBound(tx, "from", cmd.From); err != nil {
			return err
		}
		if q.To, err = exports.ParseBound(tx, "to", cmd.To); err != nil {
			return err
		}
		buffered := bufio.NewWriter(to)
		if _, err := exports.Write(tx, q, buffered); err != nil {
			return err
		}
		return buffered.Flush()
	})
}
