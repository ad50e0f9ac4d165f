package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// shownKey is a key as programs read it.
type shownKey struct {
	ID         string     `json:"id"`
	Scopes     []string   `json:"scopes"`
	Networks   []string   `json:"networks"`
	Replaces   *string    `json:"replaces"`
	AccountID  string     `json:"account_id"`
	Name       string     `json:"name"`
	Hint       string     `json:"hint"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

func showKey(k account.Key) shownKey {
	return shownKey{
		ID: k.ID, AccountID: k.AccountID, Name: k.Name, Hint: k.Hint, Replaces: k.Replaces,
		Scopes: strings.Fields(k.ScopeList), Networks: strings.Fields(k.NetworkList),
		CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt, LastUsedAt: k.LastUsedAt,
	}
}

type createKey struct {
	Account   string          `required:"" help:"Id of the account."`
	Name      string          `required:"" help:"What it is for."`
	ExpiresIn *time.Duration  `help:"How long it works, such as 720h; for ever when not given."`
	Scope     []account.Scope `default:"all" help:"What it may do: all, read, ingest, or a resource with its access, such as invoices:read."`
	Network   []string        `help:"Networks in CIDR notation that it may be used from; any when not given."`
	JSON      bool            `name:"json" help:"Print JSON."`
}

// Run makes a key and prints its text.
func (cmd createKey) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		k, text, err := account.CreateKey(ctx, st, cmd.Account, account.NewKey{Name: cmd.Name, Lifetime: cmd.ExpiresIn, Scopes: cmd.Scope, Networks: cmd.Network})
		if err != nil {
			return err
		}
		return printKey(out, k, text, cmd.JSON)
	})
}

// printKey prints a key that was just made, with its text.
func printKey(out io.Writer, k account.Key, text string, asJSON bool) error {
	if asJSON {
		return printJSON(out, struct {
			shownKey
			Key string `json:"api_key"`
		}{showKey(k), text})
	}
	_, err := fmt.Fprintf(out, "key %s\nAPI key %s (not shown again)\n", k.ID, text)
	return err
}

type rotateKey struct {
	Key     string        `arg:"" help:"Id of the key that is replaced."`
	Overlap time.Duration `default:"24h" help:"How long the old key still works."`
	JSON    bool          `name:"json" help:"Print JSON."`
}

// Run makes a key that replaces another.
func (cmd rotateKey) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		k, text, err := account.RotateKey(ctx, st, cmd.Key, cmd.Overlap)
		if err != nil {
			return err
		}
		return printKey(out, k, text, cmd.JSON)
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
		rows := [][]string{{"ID", "NAME", "KEY", "SCOPES", "EXPIRES", "REVOKED", "LAST USED"}}
		for i, k := range keys {
			shown[i] = showKey(k)
			rows = append(rows, []string{k.ID, k.Name, k.Hint + "…", k.ScopeList, showInstant(k.ExpiresAt), showInstant(k.RevokedAt), showInstant(k.LastUsedAt)})
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
