package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/jackc/pgx/v5"

	"tollkeeper/store/cluster"
)

// superuser is an owner that has every right.
const superuser = "SUPERUSER"

// newDatabase makes a database and its owner, and returns its URL. Where the owner may make no
// roles, the superuser runs what the first binary to serve prints, as an administrator does.
func newDatabase(ctx context.Context, db *cluster.Cluster, kind, right, binary string) (url string, err error) {
	name := strings.ToLower(kind + "_" + right)
	if err := administer(ctx, db, "CREATE ROLE "+name+" LOGIN "+right); err != nil {
		return "", err
	}
	if err := administer(ctx, db, "CREATE DATABASE "+name+" OWNER "+name); err != nil {
		return "", err
	}
	url = db.URLAs(name, name)
	if right != "NOCREATEROLE" {
		return url, nil
	}
	asked := exec.CommandContext(ctx, binary, "migrate", "--print-roles")
	asked.Env, asked.Stderr = append(os.Environ(), "TOLLKEEPER_DATABASE_URL="+url), os.Stderr
	roles, err := asked.Output()
	if err != nil {
		return "", fmt.Errorf("print the roles: %w", err)
	}
	return url, administer(ctx, db, string(roles))
}

// administer runs statements as the superuser.
func administer(ctx context.Context, db *cluster.Cluster, statements string) (err error) {
	conn, err := pgx.Connect(ctx, db.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, statements)
	return err
}
