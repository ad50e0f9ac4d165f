package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"tollkeeper/server/worker"
	"tollkeeper/store"
)

type verify struct {
	Account string `help:"Id of the account; all of them when left out."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// disagreeing is the exit status of books that do not agree.
const disagreeing = 2

// Run looks through the books and tells what is wrong. It changes nothing.
func (cmd verify) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		v, err := worker.Verify(ctx, st, cmd.Account)
		if err != nil {
			return err
		}
		if err := cmd.print(out, v); err != nil || len(v.Findings) == 0 {
			return err
		}
		return exit{errors.New("the books do not agree"), disagreeing}
	})
}

func (cmd verify) print(out io.Writer, v worker.Verification) error {
	if cmd.JSON {
		found := []map[string]string{}
		for _, f := range v.Findings {
			found = append(found, map[string]string{"account": f.Account, "document": f.Document, "wrong": f.Wrong})
		}
		leftOut := v.LeftOut
		if leftOut == nil {
			leftOut = map[string]int{}
		}
		return printJSON(out, map[string]any{
			"invoices": v.Invoices, "recomputed": v.Recomputed, "referred": v.Referred, "left_out": leftOut, "findings": found,
		})
	}
	for _, f := range v.Findings {
		if _, err := fmt.Fprintf(out, "%s %s: %s\n", f.Account, f.Document, f.Wrong); err != nil {
			return err
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(v.LeftOut)) {
		if _, err := fmt.Fprintf(out, "%d not compared with the reference model: %s\n", v.LeftOut[reason], reason); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%d invoices, %d of them recomputed from events and prices, %d compared with the reference model: %d findings\n",
		v.Invoices, v.Recomputed, v.Referred, len(v.Findings))
	return err
}
