package main

import (
	"context"
	"strings"

	"tollkeeper/scripts/rig"
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
	roles, err := rig.CommandLine{Binary: binary, Database: url}.Run(ctx, "migrate", "--print-roles")
	if err != nil {
		return "", err
	}
	return url, administer(ctx, db, string(roles))
}

// administer runs statements as the superuser.
func administer(ctx context.Context, db *cluster.Cluster, statements string) error {
	return rig.Execute(ctx, db.URL("postgres"), statements)
}
