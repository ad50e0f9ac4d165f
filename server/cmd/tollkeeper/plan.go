package main

import (
	"context"
	"fmt"
	"io"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
)

// chosenPlan names a plan of an account.
type chosenPlan struct {
	Account string `required:"" help:"Id of the account."`
	Plan    string `arg:"" help:"Id of the plan."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

type activatePlan struct{ chosenPlan }

// Run activates the plan.
func (cmd activatePlan) Run(ctx context.Context, env environment, out io.Writer) error {
	return cmd.move(ctx, env, out, catalog.Activate)
}

type archivePlan struct{ chosenPlan }

// Run archives the plan.
func (cmd archivePlan) Run(ctx context.Context, env environment, out io.Writer) error {
	return cmd.move(ctx, env, out, catalog.Archive)
}

func (c chosenPlan) move(ctx context.Context, env environment, out io.Writer, to func(*store.Tx, string) (catalog.Plan, error)) error {
	return withStore(ctx, env, func(st *store.Store) error {
		var plan catalog.Plan
		err := st.Update(store.WithAccount(ctx, c.Account), func(tx *store.Tx) (err error) {
			plan, err = to(tx, c.Plan)
			return err
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(out, map[string]any{"id": plan.ID, "name": plan.Name, "status": plan.Status})
		}
		_, err = fmt.Fprintf(out, "plan %s is %s\n", plan.ID, plan.Status)
		return err
	})
}
