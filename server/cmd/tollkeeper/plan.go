package main

import (
	"context"
	"fmt"
	"io"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/migration"
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

type migratePlan struct {
	chosenPlan
	To        int    `required:"" help:"Version that its subscriptions are put on."`
	From      *int   `help:"Only subscriptions on this version; all others by default."`
	Effective string `help:"A date, at midnight of each customer, an instant, end_of_term or end_of_invoice; at once by default."`
}

// Run plans the migration. A server carries it out, one subscription after another.
func (cmd migratePlan) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		var planned migration.Migration
		err := st.Update(store.WithAccount(ctx, cmd.Account), func(tx *store.Tx) (err error) {
			planned, err = migration.Create(tx, migration.New{
				PlanID: cmd.Plan, From: cmd.From, To: cmd.To, Effective: cmd.Effective,
			})
			return err
		})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(out, map[string]any{
				"id": planned.ID, "plan_id": planned.PlanID, "effective_time": planned.Effective,
				"status": planned.Status(), "subscriptions": planned.Steps,
			})
		}
		_, err = fmt.Fprintf(out, "migration %s: %d subscriptions of plan %s to version %d\n", planned.ID, planned.Steps, planned.PlanID, planned.ToVersion)
		return err
	})
}

type planTrial struct {
	chosenPlan
	Days int `arg:"" help:"How long it is; 0 for none."`
}

// Run sets the trial.
func (cmd planTrial) Run(ctx context.Context, env environment, out io.Writer) error {
	return cmd.move(ctx, env, out, func(tx *store.Tx, id string) (catalog.Plan, error) { return catalog.SetTrial(tx, id, cmd.Days) })
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
