package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"tollkeeper/domain/account"
	demonstration "tollkeeper/server/cmd/tollkeeper/demo"

	"tollkeeper/server"
	"tollkeeper/store"
)

type demo struct {
	Name string `default:"Demo" help:"The name of the account."`
	Key  bool   `help:"Make no account, but another API key of the one that was made before."`
}

// Run makes a test account and fills it. Servers may run meanwhile.
func (cmd demo) Run(ctx context.Context, env environment, out io.Writer) (err error) {
	db, err := reach(ctx, env, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.leave()) }()
	st, err := db.open(ctx, env.migration(), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := settle(ctx, st); err != nil {
		return err
	}
	if cmd.Key {
		return cmd.another(ctx, db.owner, out)
	}
	made, key, err := cmd.account(ctx, db.owner)
	if err != nil {
		return nameOwner(err)
	}
	temp, err := env.temporary(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	s := server.New(server.Config{Store: st, Logger: slog.New(slog.DiscardHandler), Temp: temp, Workers: env.workers(), StrangersPerSecond: env.strangers()})
	if err := demonstration.Fill(ctx, s.Handler(), key); err != nil {
		return fmt.Errorf("the account %s is filled in part, make another one with --name: %w", made.ID, err)
	}
	_, err = fmt.Fprintf(out, `Made the test account %s, %q: 3 plans, 20 customers, 90 days of usage.
Its API key, which is not shown again:

    %s

Look at:
    Globex        an alert that fired, a credit note, tiers of usage
    Acme          prepaid credits that last, seats that changed
    Delta         prepaid credits that ran out, with an alert; a coupon
    edo           credits that are topped up by themselves
    Alpenblick    prepaid credits that will run out soon
    Initech       invoices that are overdue
    Kestrel       a day that was counted wrong and sent again
    Bay Area      a plan change to come; Fjord: an end to come
    webhooks      deliveries that fail, since the host does not exist
`, made.ID, cmd.Name, key)
	return err
}

// account makes the account, unless there is one of the name.
func (cmd demo) account(ctx context.Context, owner string) (a account.Account, key string, err error) {
	st, err := store.Open(ctx, owner)
	if err != nil {
		return a, "", err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	all, err := account.List(ctx, st)
	if err != nil {
		return a, "", err
	}
	if slices.ContainsFunc(all, func(a account.Account) bool { return a.Name == cmd.Name }) {
		return a, "", fmt.Errorf("there is an account %q already: choose another --name", cmd.Name)
	}
	return account.CreateWithKey(audited(ctx, "demo"), st, account.New{Name: cmd.Name, Mode: account.ModeTest}, account.NewKey{Name: "demo"})
}

// another makes another key of the account: the first one is not shown again.
func (cmd demo) another(ctx context.Context, owner string, out io.Writer) (err error) {
	st, err := store.Open(ctx, owner)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	all, err := account.List(ctx, st)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(a account.Account) bool { return a.Name == cmd.Name })
	if at < 0 {
		return fmt.Errorf("there is no account %q: make it with `tollkeeper demo`", cmd.Name)
	}
	_, key, err := account.CreateKey(audited(ctx, "demo"), st, all[at].ID, account.NewKey{Name: "demo"})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Another API key of the account %s, %q:\n\n    %s\n", all[at].ID, cmd.Name, key)
	return err
}
