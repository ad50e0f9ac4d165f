package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// planted are migrations that an upgrade under load must not have. Statements wait ten seconds
// for a lock.
var planted = map[string]string{
	"lock": "-- +goose Up\n\nLOCK TABLE customers IN ACCESS EXCLUSIVE MODE;\nSELECT pg_sleep(15);\n",
	"drop": "-- +goose Up\n\nALTER TABLE customers RENAME COLUMN email TO mail;\n",
}

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
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "./server/cmd/tollkeeper")
	build.Dir, build.Stderr = dir, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return binary, nil
}

// beforeNewestMigration is the commit before the one that brought the newest migration.
func beforeNewestMigration(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "bash", "-c",
		`git rev-parse "$(git log --diff-filter=A --format=%H -1 -- "$(git ls-files 'store/migrations/[0-9]*.sql' | sort | tail -1)")~1"`).Output()
	if err != nil {
		return "", fmt.Errorf("look for the commit before the newest migration, in the history: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
