package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/due"
	"tollkeeper/server/worker"
	"tollkeeper/store"
)

// shownUnit is a parked unit as programs read it.
type shownUnit struct {
	ID             string    `json:"id"`
	AccountID      string    `json:"account_id"`
	Kind           string    `json:"kind"`
	CustomerID     *string   `json:"customer_id"`
	SubscriptionID *string   `json:"subscription_id"`
	DueAt          time.Time `json:"due_at"` // by the clock of the account; all other times are real
	Attempts       int       `json:"attempts"`
	Error          string    `json:"error"`
	FirstFailedAt  time.Time `json:"first_failed_at"`
	LastFailedAt   time.Time `json:"last_failed_at"`
	NextTryAt      time.Time `json:"next_try_at"`
	Skip           *string   `json:"skip"` // what skipping it means; null: it cannot be skipped
}

func showUnit(p due.Parked) shownUnit {
	shown := shownUnit{
		ID: p.ID, AccountID: p.AccountID, Kind: p.Kind, CustomerID: p.CustomerID, SubscriptionID: p.SubscriptionID,
		DueAt: p.DueAt.UTC(), Attempts: p.Attempts, Error: p.Error,
		FirstFailedAt: p.FirstFailedAt.UTC(), LastFailedAt: p.LastFailedAt.UTC(), NextTryAt: p.NextTryAt.UTC(),
	}
	if meaning, may := worker.Skipping(p); may {
		shown.Skip = &meaning
	}
	return shown
}

// concerns writes what a unit holds up.
func (u shownUnit) concerns() string {
	switch {
	case u.SubscriptionID != nil:
		return *u.SubscriptionID
	case u.CustomerID != nil:
		return *u.CustomerID
	}
	return "the account"
}

type listDue struct {
	Account string `help:"Id of the account; all accounts when not given."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// mostListed bounds the parked units of an account that are printed.
const mostListed = 1000

// Run prints parked units.
func (cmd listDue) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		ids, err := cmd.accounts(ctx, st)
		if err != nil {
			return err
		}
		shown := []shownUnit{}
		rows := [][]string{{"ACCOUNT", "ID", "KIND", "HOLDS UP", "DUE", "ATTEMPTS", "NEXT TRY", "ERROR"}}
		for _, id := range ids {
			var units []due.Parked
			err := st.View(store.WithAccount(ctx, id), func(tx *store.Tx) (err error) {
				units, err = due.List(tx, mostListed)
				return err
			})
			if err != nil {
				return err
			}
			for _, p := range units {
				u := showUnit(p)
				shown = append(shown, u)
				rows = append(rows, []string{u.AccountID, u.ID, u.Kind, u.concerns(), showInstant(&u.DueAt), fmt.Sprint(u.Attempts), showInstant(&u.NextTryAt), u.Error})
			}
		}
		if cmd.JSON {
			return printJSON(out, shown)
		}
		return printTable(out, rows)
	})
}

func (cmd listDue) accounts(ctx context.Context, st *store.Store) (ids []string, err error) {
	if cmd.Account != "" {
		_, err := account.Find(ctx, st, cmd.Account)
		return []string{cmd.Account}, err
	}
	return account.IDs(ctx, st)
}

// chosenUnit names a parked unit.
type chosenUnit struct {
	Account string `required:"" help:"Id of the account."`
	Unit    string `arg:"" help:"Id of the parked unit."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

func (c chosenUnit) change(ctx context.Context, env environment, out io.Writer, done string, do func(tx *store.Tx, id string) (due.Parked, error)) error {
	return withAccount(ctx, env, c.Account, func(ctx context.Context, st *store.Store, _ account.Account) error {
		var p due.Parked
		err := st.Update(ctx, func(tx *store.Tx) (err error) {
			p, err = do(tx, c.Unit)
			return err
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(out, showUnit(p))
		}
		_, err = fmt.Fprintf(out, "%s of %s, due at %s, %s\n", p.Kind, showUnit(p).concerns(), showInstant(&p.DueAt), done)
		return err
	})
}

type retryDue struct{ chosenUnit }

// Run makes a parked unit due now.
func (cmd retryDue) Run(ctx context.Context, env environment, out io.Writer) error {
	return cmd.change(ctx, env, out, "is tried again within seconds by a server that runs", due.Retry)
}

type skipDue struct{ chosenUnit }

// Help says what skipping means.
func (skipDue) Help() string { return worker.SkippingHelp() }

// Run leaves a parked unit undone for good.
func (cmd skipDue) Run(ctx context.Context, env environment, out io.Writer) error {
	return cmd.change(ctx, env, out, "is skipped", worker.Skip)
}
