package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"tollkeeper/scripts/rig"
)

// planted are migrations. The first two are what an upgrade under load must not have: statements
// wait ten seconds for a lock. The third is what a migration may do, and stands for one where the
// new version has none: statements that servers prepared before give other columns afterwards.
var planted = map[string]string{
	"lock": "-- +goose Up\n\nLOCK TABLE customers IN ACCESS EXCLUSIVE MODE;\nSELECT pg_sleep(15);\n",
	"drop": "-- +goose Up\n\nALTER TABLE customers RENAME COLUMN email TO mail;\n",
	expand: "-- +goose Up\n\nLOCK TABLE " + strings.Join(expanded, ", ") + " IN ACCESS EXCLUSIVE MODE;\nALTER TABLE " +
		strings.Join(expanded, " ADD COLUMN planted text;\nALTER TABLE ") + " ADD COLUMN planted text;\n",
}

// expanded are tables that requests read and change.
var expanded = []string{"accounts", "customers", "items", "metrics", "plans", "prices", "subscriptions", "credit_blocks", "usage_buckets"}

// expand is the name of the migration that an upgrade may have.
const expand = "expand"

// program is the binary of a commit, or of the tree as it is where the commit is "". Paths are
// trimmed, so that packages which are the same are compiled once.
func program(ctx context.Context, dir, commit, plant string) (binary string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "tollkeeper")
	source := "git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - --ignore-failed-read"
	if commit != "" {
		source = "git archive " + commit
	}
	unpack := exec.CommandContext(ctx, "bash", "-c", source+` | tar xf - -C "$0"`, dir)
	unpack.Stderr = os.Stderr
	if err := unpack.Run(); err != nil {
		return "", fmt.Errorf("unpack the source: %w", err)
	}
	if plant != "" {
		text, known := planted[plant]
		if !known {
			return "", fmt.Errorf("there is no migration %q to plant", plant)
		}
		if err := os.WriteFile(filepath.Join(dir, "store/migrations/9999_planted.sql"), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return binary, rig.Build(ctx, dir, rig.ServerPackage, binary, "-trimpath")
}

// older is the binary of the newest commit before this one that can be built.
func older(ctx context.Context, dir string) (binary, commit string, err error) {
	out, err := exec.CommandContext(ctx, "git", "rev-list", "-8", "HEAD~1").Output()
	if err != nil {
		return "", "", fmt.Errorf("look for the commits before, in the history: %w", err)
	}
	for _, commit := range strings.Fields(string(out)) {
		if binary, err = program(ctx, filepath.Join(dir, commit), commit, ""); err == nil {
			return binary, commit, nil
		}
	}
	return "", "", err
}

// migrates reports whether this tree has a migration that the commit has not.
func migrates(ctx context.Context, commit string) (bool, error) {
	out, err := exec.CommandContext(ctx, "bash", "-c",
		`comm -13 <(git ls-tree --name-only "$0" store/migrations/ | sort) <(ls store/migrations/*.sql | sort) | grep '[.]sql$' || true`, commit).Output()
	if err != nil {
		return false, fmt.Errorf("compare the migrations: %w", err)
	}
	return len(out) > 0, nil
}
