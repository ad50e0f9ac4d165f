package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// shownKey is a key as programs read it.
type shownKey struct {
	ID         string     `json:"id"`
	AccountID  string     `json:"account_id"`
	Name       string     `json:"name"`
	Hint       string     `json:"hint"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

func showKey(k account.Key) shownKey {
	return shownKey{k.ID, k.AccountID, k.Name, k.Hint, k.CreatedAt, k.ExpiresAt, k.RevokedAt, k.LastUsedAt}
}

type createKey struct {
	Account   string         `required:"" help:"Id of the account."`
	Name      string         `required:"" help:"What it is for."`
	ExpiresIn *time.Duration `help:"How long it works, such as 720h; for ever when not given."`
	JSON      bool           `name:"json" help:"Print JSON."`
}

// Run makes a key and prints its text.
func (cmd createKey) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		k, text, err := account.CreateKey(ctx, st, cmd.Account, account.NewKey{Name: cmd.Name, Lifetime: cmd.ExpiresIn})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(out, struct {
				shownKey
				Key string `json:"api_key"`
			}{showKey(k), text})
		}
		_, err = fmt.Fprintf(out, "key %s\nAPI key %s (not shown again)\n", k.ID, text)
		return err
	})
}

type listKeys struct {
	Account string `required:"" help:"Id of the account."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run prints the keys of an account, never their text.
func (cmd listKeys) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		keys, err := account.ListKeys(ctx, st, cmd.Account)
		if err != nil {
			return err
		}
		shown := make([]shownKey, len(keys))
		rows := [][]string{{"ID", "NAME", "KEY", "EXPIRES", "REVOKED", "LAST USED"}}
		for i, k := range keys {
			shown[i] = showKey(k)
			rows = append(rows, []string{k.ID, k.Name, k.Hint + "…", showInstant(k.ExpiresAt), showInstant(k.RevokedAt), showInstant(k.LastUsedAt)})
		}
		if cmd.JSON {
			return printJSON(out, shown)
		}
		return printTable(out, rows)
	})
}

type revokeKey struct {
	Key  string `arg:"" help:"Id of the key."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run ends a key.
func (cmd revokeKey) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		k, err := account.RevokeKey(ctx, st, cmd.Key)
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(out, showKey(k))
		}
		_, err = fmt.Fprintf(out, "key %s is revoked since %s\n", k.ID, showInstant(k.RevokedAt))
		return err
	})
}
