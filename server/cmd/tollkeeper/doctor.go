package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"gorm.io/gorm"

	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

type doctor struct{}

// Run looks at everything a server needs, and changes nothing: a private
// PostgreSQL that does not run is not started.
func (doctor) Run(ctx context.Context, env environment, out io.Writer) error {
	rows := [][]string{{"address", env.Addr}}
	if env.DatabaseURL != "" {
		rows = append(rows, []string{"database", "TOLLKEEPER_DATABASE_URL"})
		rows = append(rows, examine(ctx, env.DatabaseURL)...)
		return printTable(out, rows)
	}
	dir, err := filepath.Abs(env.DataDir)
	if err != nil {
		return err
	}
	rows = append(rows, []string{"database", "private, in " + dir})
	found := cluster.Find(dir)
	for _, b := range found {
		rows = append(rows, []string{"PostgreSQL", fmt.Sprintf("%s in %s", b.Version, b.Dir)})
	}
	if len(found) == 0 {
		rows = append(rows, []string{"PostgreSQL", "none from 15 on is installed; " + remedy()})
	}
	running, err := cluster.Running(ctx, dir)
	switch {
	case err != nil:
		rows = append(rows, []string{"private cluster", err.Error()})
	case running == nil:
		rows = append(rows, []string{"private cluster", "does not run; `tollkeeper serve` starts it"})
	default:
		rows = append(rows, []string{"private cluster", "runs"})
		rows = append(rows, examine(ctx, running.URL(privateDatabase))...)
		if err := running.Stop(); err != nil {
			return err
		}
	}
	return printTable(out, rows)
}

func remedy() string {
	if _, err := exec.LookPath("npm"); err == nil {
		return "`tollkeeper serve` fetches one with npm into the data directory"
	}
	return "install it (on Debian: apt-get install postgresql), or set TOLLKEEPER_DATABASE_URL"
}

// examine looks at a database that should answer.
func examine(ctx context.Context, url string) [][]string {
	if err := checkDurable(ctx, url); err != nil {
		return [][]string{{"connection", err.Error()}}
	}
	rows := [][]string{{"connection", "answers, and keeps what it confirms"}}
	st, err := store.Open(ctx, url)
	if err != nil {
		return append(rows, []string{"migrations", "not applied: run `tollkeeper migrate`"})
	}
	defer func() { _ = st.Close() }()
	rows = append(rows, []string{"migrations", "applied"})
	compression, err := logCompression(ctx, st)
	if err != nil {
		return append(rows, []string{"log", err.Error()})
	}
	rows = append(rows, []string{"log", compression})
	storage, err := event.StorageOf(ctx, st)
	if err != nil {
		return append(rows, []string{"events", err.Error()})
	}
	return append(rows, showStorage(storage)...)
}

// logCompression tells how pages that go into the log as a whole are made small, and what
// would make them smaller: after a checkpoint they are most of what new keys cost.
func logCompression(ctx context.Context, st *store.Store) (told string, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw(`
			SELECT 'wal_compression = ' || setting || CASE WHEN setting <> best THEN '; ' || best || ' makes less of it' ELSE '' END
			FROM pg_settings, LATERAL (SELECT CASE WHEN 'zstd' = ANY (enumvals) THEN 'zstd' ELSE 'pglz' END AS best) AS b
			WHERE name = 'wal_compression'`).Row().Scan(&told)
	})
	return told, err
}

// showStorage tells what events take on disk, and each of them.
func showStorage(s event.Storage) [][]string {
	rows := [][]string{{"events", fmt.Sprintf("%d in %d months", s.Events, s.Months)}}
	for _, part := range []struct {
		name  string
		bytes int64
	}{
		{"  on disk", s.Table},
		{"  their indexes", s.Indexes},
		{"  their keys", s.Keys},
		{"  their buckets", s.Buckets},
		{"  all", s.Table + s.Indexes + s.Keys + s.Buckets},
	} {
		text := fmt.Sprintf("%d MB", (part.bytes+1<<19)>>20)
		if s.Events > 0 {
			text += fmt.Sprintf(", %d bytes an event", part.bytes/s.Events)
		}
		rows = append(rows, []string{part.name, text})
	}
	return append(rows, []string{"  filters of keys", fmt.Sprintf("%d MB, of %d of %d closed parts", (s.Filters+1<<19)>>20, s.Filtered, s.Closed)})
}
