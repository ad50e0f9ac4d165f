// Command tollkeeper serves the billing API and administers its database.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/caarlos0/env/v11"
)

// environment is what the process is told from outside.
type environment struct {
	DatabaseURL string `env:"TOLLKEEPER_DATABASE_URL"`
	Addr        string `env:"TOLLKEEPER_ADDR" envDefault:"127.0.0.1:8080"`
	DataDir     string `env:"TOLLKEEPER_DATA_DIR" envDefault:".data"`
	APIKey      string `env:"TOLLKEEPER_API_KEY"`
	Buckets     bool   `env:"TOLLKEEPER_BUCKETS" envDefault:"true"`
	KeepMonths  int    `env:"TOLLKEEPER_KEEP_EVENTS_MONTHS"` // 0: for ever
	KeyFilters  int64  `env:"TOLLKEEPER_KEY_FILTERS_MB" envDefault:"256"`
	Workers     int    `env:"TOLLKEEPER_WORKERS"` // 0: as many as there are processors, up to mostWorkers

	WebhookNetworks []string `env:"TOLLKEEPER_WEBHOOK_NETWORKS"` // beside public addresses
}

// commands is the command line.
type commands struct {
	Serve   serve   `cmd:"" help:"Serve the API; without TOLLKEEPER_DATABASE_URL, on a private PostgreSQL in TOLLKEEPER_DATA_DIR."`
	Migrate migrate `cmd:"" help:"Bring the database to this version. Serving does it too."`
	Account struct {
		Create createAccount `cmd:"" help:"Make an account and its first API key."`
		List   listAccounts  `cmd:"" help:"List the accounts and their settings."`
		Set    setAccount    `cmd:"" help:"Change a setting of an account."`
	} `cmd:"" help:"Accounts."`
	Key struct {
		Create createKey `cmd:"" help:"Make an API key and print it once."`
		List   listKeys  `cmd:"" help:"List the API keys of an account."`
		Revoke revokeKey `cmd:"" help:"End an API key."`
	} `cmd:"" help:"API keys."`
	Plan struct {
		Activate activatePlan `cmd:"" help:"Let customers subscribe to a draft plan."`
		Archive  archivePlan  `cmd:"" help:"Close an active plan to new subscriptions."`
		Trial    planTrial    `cmd:"" help:"Give new subscriptions of a plan a trial."`
		Migrate  migratePlan  `cmd:"" help:"Put the subscriptions of a plan on another version of it."`
	} `cmd:"" help:"What is done to plans that has no operation of the API."`
	Webhook struct {
		Add    addWebhook    `cmd:"" help:"Make an endpoint that is told what happens in an account, and print its secret once."`
		List   listWebhooks  `cmd:"" help:"List the endpoints of an account."`
		Remove removeWebhook `cmd:"" help:"End an endpoint and its part of the log."`
	} `cmd:"" help:"Webhook endpoints."`
	Import struct {
		Events importEvents `cmd:"" help:"Store the events of a file, as if they were sent. The same command goes on after an interruption."`
	} `cmd:"" help:"Files."`
	Verify verify `cmd:"" help:"Look through the books of issued documents; status 2 when they do not agree."`
	Doctor doctor `cmd:"" help:"Tell what is found and what is missing."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "tollkeeper:", err)
		os.Exit(statusOf(err))
	}
}

// statusOf is the exit status that an error stands for.
func statusOf(err error) int {
	var coded exit
	if errors.As(err, &coded) {
		return coded.status
	}
	return 1
}

// readEnvironment names the variable that cannot be read, if one cannot.
func readEnvironment() (environment, error) {
	environ, err := env.ParseAs[environment]()
	var wrong env.ParseError
	if !errors.As(err, &wrong) {
		return environ, err
	}
	must := "must be a whole number"
	if wrong.Type.Kind() == reflect.Bool {
		must = "must be true or false"
	}
	field, _ := reflect.TypeFor[environment]().FieldByName(wrong.Name)
	return environ, fmt.Errorf("%s: %s", field.Tag.Get("env"), must)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	environ, err := readEnvironment()
	if err != nil {
		return err
	}
	parser, err := kong.New(&commands{}, kong.Name("tollkeeper"), kong.UsageOnError(), kong.Writers(out, os.Stderr),
		kong.Description("Usage-based billing: usage events in, exact invoices out."))
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w; tollkeeper --help tells of the commands, and --help after a command of it", err)
	}
	command.BindTo(ctx, (*context.Context)(nil))
	command.BindTo(out, (*io.Writer)(nil))
	return command.Run(environ)
}
