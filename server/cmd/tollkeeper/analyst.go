package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

type addAnalyst struct {
	Login   string `arg:"" help:"Name of the login in PostgreSQL. It is made where there is none."`
	Account string `required:"" help:"Id of the account whose rows it reads."`
}

// Run lets a login read the views of an account.
func (cmd addAnalyst) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		password, err := account.AddAnalyst(ctx, st, cmd.Account, cmd.Login)
		if errors.Is(err, account.ErrMayMakeNoRole) {
			return fmt.Errorf("%w; let an administrator of PostgreSQL run, and then this command again:\nCREATE ROLE %s LOGIN PASSWORD '...';", err, cmd.Login)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s reads the schema reporting, with the rows of %s\n", cmd.Login, cmd.Account); err != nil || password == "" {
			return err
		}
		_, err = fmt.Fprintf(out, "password %s (not shown again)\n", password)
		return err
	})
}

type listAnalysts struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the logins that read reports.
func (cmd listAnalysts) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		all, err := account.Analysts(ctx, st)
		if err != nil {
			return err
		}
		type shown struct {
			Login     string    `json:"login"`
			Account   string    `json:"account_id"`
			CreatedAt time.Time `json:"created_at"`
		}
		list, rows := make([]shown, len(all)), [][]string{{"LOGIN", "ACCOUNT", "CREATED"}}
		for i, a := range all {
			list[i] = shown{a.Login, a.AccountID, a.CreatedAt.UTC()}
			rows = append(rows, []string{a.Login, a.AccountID, a.CreatedAt.UTC().Format(time.RFC3339)})
		}
		if cmd.JSON {
			return printJSON(out, list)
		}
		return printTable(out, rows)
	})
}

type removeAnalyst struct {
	Login string `arg:"" help:"Name of the login."`
}

// Run takes the rights of a login.
func (cmd removeAnalyst) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		if err := account.RemoveAnalyst(ctx, st, cmd.Login); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "%s reads nothing any more; DROP ROLE %s removes the login itself\n", cmd.Login, cmd.Login)
		return err
	})
}
