package main

import (
	"context"
	"errors"
	"net"
	"strings"

	"tollkeeper/server/assistant"
)

// mcp is a command.
type mcp struct {
	URL  string   `name:"url" help:"Address of the server, such as https://billing.example; that of TOLLKEEPER_ADDR when not given." placeholder:"URL"`
	Only []string `help:"Resources to read, as scopes name them, such as invoices,customers; all when not given."`
}

// Run answers on standard output what comes on standard input, until that ends. The key is that of
// TOLLKEEPER_API_KEY: an argument would be seen by every user of the machine.
func (cmd mcp) Run(ctx context.Context, env environment) error {
	if env.APIKey == "" {
		return errors.New("TOLLKEEPER_API_KEY: must be an API key of the account; one with the right to read is enough")
	}
	if cmd.URL == "" {
		host, port, err := net.SplitHostPort(env.Addr)
		if err != nil {
			return errors.New("TOLLKEEPER_ADDR: must be an address and a port")
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "localhost"
		}
		cmd.URL = "http://" + net.JoinHostPort(host, port)
		if env.TLSCert != "" {
			cmd.URL = "https://" + net.JoinHostPort(host, port)
		}
	}
	err := assistant.Serve(ctx, assistant.Config{URL: cmd.URL, Key: strings.TrimSpace(env.APIKey), Only: cmd.Only, Release: release}, assistant.Stdio())
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
