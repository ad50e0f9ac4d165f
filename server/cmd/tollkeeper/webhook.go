package main

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"tollkeeper/domain/account"
	"tollkeeper/domain/webhook"
	"tollkeeper/server/webhooks"
	"tollkeeper/store"
)

// webhookNetworks are those that webhooks may call beside public addresses.
func (e environment) webhookNetworks() ([]netip.Prefix, error) {
	networks, err := webhooks.ParseNetworks(e.WebhookNetworks)
	if err != nil {
		return nil, fmt.Errorf("TOLLKEEPER_WEBHOOK_NETWORKS: %w", err)
	}
	return networks, nil
}

// shownEndpoint is an endpoint as programs read it.
type shownEndpoint struct {
	ID         string          `json:"id"`
	URL        string          `json:"url"`
	EventTypes *[]webhook.Type `json:"event_types"`
	Enabled    bool            `json:"enabled"`
}

func showEndpoint(e webhook.Endpoint) shownEndpoint {
	return shownEndpoint{e.ID, e.URL, e.EventTypes, e.Enabled}
}

type addWebhook struct {
	Account string   `required:"" help:"Id of the account."`
	URL     string   `arg:"" help:"Where messages go."`
	Type    []string `help:"A type of messages that it is told, such as invoice.issued; all when none is given."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run makes an endpoint and prints its secret.
func (cmd addWebhook) Run(ctx context.Context, env environment, out io.Writer) error {
	networks, err := env.webhookNetworks()
	if err != nil {
		return err
	}
	wanted := webhook.NewEndpoint{URL: cmd.URL}
	if len(cmd.Type) > 0 {
		wanted.EventTypes = new([]webhook.Type)
		for _, name := range cmd.Type {
			*wanted.EventTypes = append(*wanted.EventTypes, webhook.Type(name))
		}
	}
	return withAccount(ctx, env, cmd.Account, func(ctx context.Context, st *store.Store, owner account.Account) error {
		if err := webhooks.CheckURL(cmd.URL, owner.Test(), networks); err != nil {
			return err
		}
		var made webhook.Endpoint
		err := st.Update(ctx, func(tx *store.Tx) (err error) {
			made, err = webhook.CreateEndpoint(tx, wanted)
			return err
		})
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(out, struct {
				shownEndpoint
				Secret string `json:"secret"`
			}{showEndpoint(made), made.Secret})
		}
		_, err = fmt.Fprintf(out, "webhook endpoint %s\nsecret %s (not shown again)\n", made.ID, made.Secret)
		return err
	})
}

type listWebhooks struct {
	Account string `required:"" help:"Id of the account."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run prints the endpoints of an account, never their secrets.
func (cmd listWebhooks) Run(ctx context.Context, env environment, out io.Writer) error {
	return withAccount(ctx, env, cmd.Account, func(ctx context.Context, st *store.Store, _ account.Account) error {
		var all []webhook.Endpoint
		err := st.View(ctx, func(tx *store.Tx) error {
			all = nil // a View may run twice
			for page := (store.Page{Limit: 100}); ; {
				some, next, err := webhook.ListEndpoints(tx, page)
				all, page.Cursor = append(all, some...), next
				if err != nil || next == "" {
					return err
				}
			}
		})
		if err != nil {
			return err
		}
		shown := make([]shownEndpoint, len(all))
		rows := [][]string{{"ID", "URL", "TYPES", "ENABLED"}}
		for i, e := range all {
			shown[i] = showEndpoint(e)
			rows = append(rows, []string{e.ID, e.URL, showTypes(e.EventTypes), fmt.Sprint(e.Enabled)})
		}
		if cmd.JSON {
			return printJSON(out, shown)
		}
		return printTable(out, rows)
	})
}

func showTypes(types *[]webhook.Type) string {
	if types == nil {
		return "all"
	}
	names := make([]string, len(*types))
	for i, t := range *types {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

type removeWebhook struct {
	Account  string `required:"" help:"Id of the account."`
	Endpoint string `arg:"" help:"Id of the endpoint."`
}

// Run ends an endpoint and its part of the log.
func (cmd removeWebhook) Run(ctx context.Context, env environment, out io.Writer) error {
	return withAccount(ctx, env, cmd.Account, func(ctx context.Context, st *store.Store, _ account.Account) error {
		err := st.Update(ctx, func(tx *store.Tx) error { return webhook.RemoveEndpoint(tx, cmd.Endpoint) })
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "webhook endpoint %s is removed\n", cmd.Endpoint)
		return err
	})
}

// withAccount is withStore for what is done in one account.
func withAccount(ctx context.Context, env environment, id string, do func(ctx context.Context, st *store.Store, owner account.Account) error) error {
	return withStore(ctx, env, func(st *store.Store) error {
		owner, err := account.Find(ctx, st, id)
		if err != nil {
			return err
		}
		return do(store.WithAccount(ctx, owner.ID), st, owner)
	})
}
