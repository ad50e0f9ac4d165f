// Command tollkeeper serves the billing API and administers its database.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	_ "golang.org/x/crypto/x509roots/fallback" // certificates for images in which none are installed

	"tollkeeper/domain/audit"
)

// commands is the command line.
type commands struct {
	ShowVersion versionFlag `name:"version" help:"Tell which build this is."`

	Serve   serve   `cmd:"" help:"Serve the API; without TOLLKEEPER_DATABASE_URL, on a private PostgreSQL in TOLLKEEPER_DATA_DIR."`
	Demo    demo    `cmd:"" help:"Make a test account with 20 customers and 90 days of usage, to look at."`
	Migrate migrate `cmd:"" help:"Bring the database to this version. Serving does it too."`
	Account struct {
		Create createAccount `cmd:"" help:"Make an account and its first API key."`
		List   listAccounts  `cmd:"" help:"List the accounts and their settings."`
		Set    setAccount    `cmd:"" help:"Change a setting of an account."`
	} `cmd:"" help:"Accounts."`
	Key struct {
		Create createKey `cmd:"" help:"Make an API key and print it once."`
		Rotate rotateKey `cmd:"" help:"Make a key that replaces another, and print it once. The old one still works for a time."`
		List   listKeys  `cmd:"" help:"List the API keys of an account."`
		Revoke revokeKey `cmd:"" help:"End an API key."`
	} `cmd:"" help:"API keys."`
	User struct {
		Create createUser `cmd:"" help:"Make a person and print a link by which they choose a password."`
		List   listUsers  `cmd:"" help:"List the people who sign in to the console, and their roles."`
		Invite inviteUser `cmd:"" help:"Print a link by which somebody joins an account."`
		Reset  resetUser  `cmd:"" help:"Print a link by which a person chooses a new password."`
		Remove removeUser `cmd:"" help:"Remove a person from an account, or from the server."`
	} `cmd:"" help:"People who sign in to the console."`
	Analyst struct {
		Add    addAnalyst    `cmd:"" help:"Let a login of PostgreSQL read the views of an account in the schema reporting."`
		List   listAnalysts  `cmd:"" help:"List these logins."`
		Remove removeAnalyst `cmd:"" help:"Take the rights of such a login."`
	} `cmd:"" help:"Logins for SQL that see one account."`
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
	Due struct {
		List  listDue  `cmd:"" help:"List what failed, why, and when it is tried again."`
		Retry retryDue `cmd:"" help:"Have a parked unit tried again now."`
		Skip  skipDue  `cmd:"" help:"Leave a parked unit undone for good, where the books do not need it."`
	} `cmd:"" help:"Due work that failed and is parked: it holds up what depends on it until it succeeds."`
	Import struct {
		Events  importEvents  `cmd:"" help:"Store the events of a file, as if they were sent. The same command goes on after an interruption."`
		Account importAccount `cmd:"" help:"Move an account here from another server over its API. The same command goes on after an interruption."`
	} `cmd:"" help:"Files and accounts of other servers."`
	Export  export  `cmd:"" help:"Write what an account has to a file: CSV, NDJSON or XLSX."`
	Compare compare `cmd:"" help:"Set the upcoming invoices of a moved account and of its source side by side; status 1 when they differ."`
	Verify  verify  `cmd:"" help:"Look through the books of issued documents; status 2 when they do not agree."`
	Doctor  doctor  `cmd:"" help:"Tell what is found and what is missing; status 1 when something is wrong."`
	Backup  backup  `cmd:"" help:"Make a base backup of the private PostgreSQL in TOLLKEEPER_BACKUP_DIR, where serve archives its log."`
	Restore restore `cmd:"" help:"Make the private PostgreSQL of TOLLKEEPER_DATA_DIR from TOLLKEEPER_BACKUP_DIR, as of an instant."`
	Ready   ready   `cmd:"" help:"Ask the server that runs at TOLLKEEPER_ADDR whether it is ready; status 1 when it is not."`
	MCP     mcp     `cmd:"" name:"mcp" help:"Offer what an account's API reads as tools of the Model Context Protocol, to the program that starts this."`
	Version version `cmd:"" help:"Tell which build this is."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	// By default this signal ends the process at once, and would leave a private PostgreSQL behind. A write to a
	// pipe that is closed fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		reportFatal(err)
		os.Exit(statusOf(err))
	}
}

// reportFatal writes why the process ends: as JSON where the log is JSON.
func reportFatal(err error) {
	if os.Getenv("TOLLKEEPER_LOG") == "json" {
		slog.New(slog.NewJSONHandler(os.Stderr, nil)).Error(err.Error())
		return
	}
	_, _ = fmt.Fprintln(os.Stderr, "tollkeeper:", err)
}

// statusOf is the exit status that an error stands for.
func statusOf(err error) int {
	var coded exit
	if errors.As(err, &coded) {
		return coded.status
	}
	return 1
}

func run(ctx context.Context, args []string, out io.Writer) error {
	environ, err := readEnvironment()
	if err != nil {
		return err
	}
	parser, err := commandLine(out)
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w; tollkeeper --help tells of the commands, and --help after a command of it", err)
	}
	if name := nameOf(command.Command()); withoutEntry[name] == "" {
		ctx = audited(ctx, name)
	}
	command.BindTo(ctx, (*context.Context)(nil))
	command.BindTo(out, (*io.Writer)(nil))
	return command.Run(environ)
}

func commandLine(out io.Writer) (*kong.Kong, error) {
	return kong.New(&commands{}, kong.Name("tollkeeper"), kong.UsageOnError(), kong.Writers(out, os.Stderr),
		kong.Description("Usage-based billing: usage events in, exact invoices out."))
}

// nameOf is a command without its arguments.
func nameOf(command string) string {
	name, _, _ := strings.Cut(command, " <")
	return name
}

// withoutEntry are the commands that change something and have no entry in the audit log, with the
// reason. All others have one if they change something.
var withoutEntry = map[string]string{
	"serve":          "requests have entries of their own, and what falls due by the clock follows from earlier changes",
	"demo":           "it sends requests, which have entries there, beside the entry of the account that it makes",
	"migrate":        "it changes the database, and no account",
	"import events":  "events are themselves a log that is only added to",
	"import account": "it sends requests to another server, which have entries there",
	"backup":         "it reads the database as a whole",
	"restore":        "it makes the database as a whole, its audit log included",
}

// audited is a context in which changes are in the audit log as those of a command and of the
// user of the system who gave it.
func audited(ctx context.Context, command string) context.Context {
	by := "unknown"
	if u, err := user.Current(); err == nil {
		by = u.Username
	}
	return audit.Begin(ctx, audit.Actor{Type: audit.Command, ID: by, Name: "tollkeeper " + command}, command, nil)
}
