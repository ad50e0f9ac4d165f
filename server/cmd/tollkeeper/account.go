package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// shownAccount is an account as programs read it.
type shownAccount struct {
	ID        string            `json:"id"`
	Mode      account.Mode      `json:"mode"`
	CreatedAt time.Time         `json:"created_at"`
	Settings  map[string]string `json:"settings"`
}

func showAccount(a account.Account) shownAccount {
	shown := shownAccount{ID: a.ID, Mode: a.Mode, CreatedAt: a.CreatedAt.UTC(), Settings: map[string]string{}}
	for _, s := range a.Settings() {
		shown.Settings[s.Name] = s.Value
	}
	return shown
}

type createAccount struct {
	Name     string `required:"" help:"What people call it."`
	Mode     string `required:"" enum:"live,test" help:"live, or test: with a clock that can be set."`
	Timezone string `default:"UTC" help:"Its time zone, an IANA name."`
	JSON     bool   `name:"json" help:"Print JSON."`
}

// Run makes the account and a key.
func (cmd createAccount) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		a, key, err := account.CreateWithKey(ctx, st,
			account.New{Name: cmd.Name, Mode: account.Mode(cmd.Mode), Timezone: cmd.Timezone}, account.NewKey{Name: "first"})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(out, struct {
				shownAccount
				Key string `json:"api_key"`
			}{showAccount(a), key})
		}
		_, err = fmt.Fprintf(out, "account %s\nAPI key %s (not shown again)\n", a.ID, key)
		return err
	})
}

type listAccounts struct {
	JSON bool `name:"json" help:"Print JSON, with all settings."`
}

// Run prints every account.
func (cmd listAccounts) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		all, err := account.List(ctx, st)
		if err != nil {
			return err
		}
		if cmd.JSON {
			shown := make([]shownAccount, len(all))
			for i, a := range all {
				shown[i] = showAccount(a)
			}
			return printJSON(out, shown)
		}
		rows := [][]string{{"account", "mode", "name", "time zone", "created"}}
		for _, a := range all {
			rows = append(rows, []string{a.ID, string(a.Mode), a.Name, a.Timezone, showInstant(&a.CreatedAt)})
		}
		return printTable(out, rows)
	})
}

func printAccount(out io.Writer, a account.Account) error {
	rows := [][]string{{a.ID, string(a.Mode)}}
	for _, s := range a.Settings() {
		rows = append(rows, []string{"  " + s.Name, s.Value})
	}
	return printTable(out, rows)
}

type setAccount struct {
	Account string `arg:"" help:"Id of the account."`
	Setting string `arg:"" help:"Name of the setting, as 'account list --json' shows it."`
	Value   string `arg:"" help:"Its new value; durations are written 12h or 90m."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run changes the setting and prints the account.
func (cmd setAccount) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		a, err := account.Set(ctx, st, cmd.Account, cmd.Setting, cmd.Value)
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(out, showAccount(a))
		}
		return printAccount(out, a)
	})
}
