package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

// Specs run on the newest PostgreSQL that is installed, as its superuser. SPEC_POSTGRES names
// another major version. SPEC_OWNER lets databases belong to an owner that is no superuser:
// CREATEROLE is one that may make roles, NOCREATEROLE one that may not.
const (
	majorVariable = "SPEC_POSTGRES"
	ownerVariable = "SPEC_OWNER"
)

// limited is the name of an owner that is no superuser.
const limited = "spec_owner"

// major returns the major version to run specs on; 0 is the newest that is installed.
func major() (int, error) {
	text := os.Getenv(majorVariable)
	if text == "" {
		return 0, nil
	}
	major, err := strconv.Atoi(text)
	if err != nil || !slices.Contains(cluster.Fetchable(), major) {
		return 0, fmt.Errorf("%s must be one of %v", majorVariable, cluster.Fetchable())
	}
	return major, nil
}

// cache is where fetched binaries are kept. Those of a version that was asked for are beside the
// ones of the checkout's own server, which takes the newest that it finds.
func cache(major int) string {
	dir := checkout()
	if major != 0 && dir != "" {
		dir = filepath.Join(dir, "fetched")
	}
	return dir
}

// databaseOwner returns the login that databases of specs belong to, and makes it if need be.
func databaseOwner(c *cluster.Cluster) (login string, err error) {
	right := os.Getenv(ownerVariable)
	switch right {
	case "":
		return "postgres", nil
	case "CREATEROLE", "NOCREATEROLE":
		return limited, administer(c, "CREATE ROLE "+limited+" LOGIN NOSUPERUSER "+right)
	}
	return "", fmt.Errorf("%s must be CREATEROLE or NOCREATEROLE", ownerVariable)
}

// migrate makes the template. Where its owner may make no roles, the superuser first runs what
// `tollkeeper migrate --print-roles` prints.
func migrate(ctx context.Context, c *cluster.Cluster, owner string) error {
	if err := administer(c, "CREATE DATABASE "+template+" OWNER "+owner); err != nil {
		return err
	}
	url := c.URLAs(owner, template)
	if os.Getenv(ownerVariable) == "NOCREATEROLE" {
		missing, err := store.MissingRoles(ctx, url, url)
		if err != nil {
			return err
		}
		if err := administer(c, strings.Join(missing, ";\n")); err != nil {
			return err
		}
	}
	_, err := store.Migrate(ctx, url)
	return err
}
