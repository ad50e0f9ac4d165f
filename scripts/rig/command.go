package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/jackc/pgx/v5"
)

// CommandLine is the command line of a binary, on a database that servers may use.
type CommandLine struct {
	Binary   string
	Database string // its URL
}

// Command is a command that can be run.
func (c CommandLine) Command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, c.Binary, args...)
	command.Env = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+c.Database)
	return command
}

// Run runs a command and returns what it prints. The error of one that fails says all that it said.
func (c CommandLine) Run(ctx context.Context, args ...string) ([]byte, error) {
	command := c.Command(ctx, args...)
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		err = fmt.Errorf("tollkeeper %s: %w\n%s%s", strings.Join(args, " "), err, out, said.String())
	}
	return out, err
}

// Account is an account and a key of it.
type Account struct {
	ID  string `json:"id"`
	Key string `json:"api_key"`
}

// CreateTestAccount makes an account whose clock can be moved.
func (c CommandLine) CreateTestAccount(ctx context.Context, name string) (made Account, err error) {
	out, err := c.Run(ctx, "account", "create", "--name", name, "--mode", "test", "--json")
	if err != nil {
		return made, err
	}
	err = json.Unmarshal(out, &made)
	return made, err
}

// Execute runs a statement on a database, as the role of its URL. Without arguments it may be several statements.
func Execute(ctx context.Context, database, statement string, args ...any) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement, args...)
	return err
}
