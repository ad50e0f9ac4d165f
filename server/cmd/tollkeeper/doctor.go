package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gorm.io/gorm"

	"tollkeeper/domain/due"
	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

type doctor struct {
	JSON bool `help:"Print JSON."`
}

// finding is one thing that was looked at.
type finding struct {
	Subject string `json:"subject"`
	Found   string `json:"found"`
	Wrong   bool   `json:"wrong"` // a server does not start, may lose what it confirmed, or left work undone
}

func good(subject, format string, args ...any) finding {
	return finding{Subject: subject, Found: fmt.Sprintf(format, args...)}
}

func wrong(subject, format string, args ...any) finding {
	return finding{Subject: subject, Found: fmt.Sprintf(format, args...), Wrong: true}
}

// Run looks at everything a server needs, and changes nothing: a private
// PostgreSQL that does not run is not started.
func (d doctor) Run(ctx context.Context, env environment, out io.Writer) error {
	findings := []finding{good("address", "%s", env.Addr), examineAdminAddr(env), examineProxies(env), examineTemp(env)}
	if env.DatabaseURL != "" {
		findings = append(findings, good("database", "TOLLKEEPER_DATABASE_URL"))
		findings = append(findings, examine(ctx, database{url: env.DatabaseURL, owner: env.ownerURL()})...)
		if env.ReplicaURL != "" {
			findings = append(findings, examineReplica(ctx, env.DatabaseURL, env.ReplicaURL))
		}
	} else {
		private, err := examinePrivate(ctx, env)
		if err != nil {
			return err
		}
		findings = append(findings, private...)
	}
	if err := d.print(out, findings); err != nil {
		return err
	}
	return verdictOf(findings)
}

// examineAdminAddr tells where monitoring asks.
func examineAdminAddr(env environment) finding {
	const subject = "admin address"
	if env.AdminAddr == "" {
		return good(subject, "none: /metrics and /readyz?deep are at the address, for all who reach it; TOLLKEEPER_ADMIN_ADDR sets one")
	}
	if err := env.checkAdminAddr(); err != nil {
		return wrong(subject, "%v", err)
	}
	return good(subject, "%s, for /metrics and /readyz?deep", env.AdminAddr)
}

// examineProxies tells whose word on clients is taken.
func examineProxies(env environment) finding {
	const subject = "trusted proxies"
	if len(env.TrustedProxies) > 0 {
		return good(subject, "%s may name the address of a client, and say that it came by TLS", strings.Join(env.TrustedProxies, ", "))
	}
	return good(subject, "none: right where clients reach the server directly; behind a proxy all clients have its address, so that what one fails slows down "+
		"the sign-ins of all, and cookies are not for TLS alone: name the proxy in TOLLKEEPER_TRUSTED_PROXIES")
}

// verdictOf is an error where something is wrong.
func verdictOf(findings []finding) error {
	bad := 0
	for _, f := range findings {
		if f.Wrong {
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("wrong: %d of %d findings", bad, len(findings))
}

func (d doctor) print(out io.Writer, findings []finding) error {
	if d.JSON {
		return printJSON(out, map[string]any{"findings": findings, "healthy": verdictOf(findings) == nil})
	}
	rows := make([][]string, len(findings))
	for i, f := range findings {
		rows[i] = []string{f.Subject, f.Found}
		if f.Wrong {
			rows[i][1] = "WRONG: " + f.Found
		}
	}
	return printTable(out, rows)
}

func examinePrivate(ctx context.Context, env environment) ([]finding, error) {
	dir, err := filepath.Abs(env.DataDir)
	if err != nil {
		return nil, err
	}
	findings := []finding{good("database", "private, in %s", dir)}
	found := cluster.Find(dir)
	for _, b := range found {
		findings = append(findings, good("PostgreSQL", "%s in %s", b.Version, b.Dir))
	}
	if len(found) == 0 {
		findings = append(findings, remedy(env))
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return append(findings, good("private cluster", "none yet; `tollkeeper serve` makes it")), nil
	}
	running, err := cluster.Running(ctx, dir)
	switch {
	case err != nil:
		return append(findings, wrong("private cluster", "%v", err)), nil
	case running == nil:
		return append(findings, good("private cluster", "does not run; `tollkeeper serve` starts it")), nil
	}
	findings = append(findings, good("private cluster", "runs"))
	findings = append(findings, examine(ctx, privateIn(running))...)
	findings = append(findings, examineBackups(ctx, running.URL("postgres"), env.BackupDir))
	return findings, running.Stop()
}

func remedy(env environment) finding {
	const subject = "PostgreSQL"
	if env.Mirror != "" {
		return good(subject, "none from 15 on is installed; `tollkeeper serve` fetches one from TOLLKEEPER_POSTGRES_MIRROR into the data directory")
	}
	if _, err := exec.LookPath("npm"); err == nil {
		return good(subject, "none from 15 on is installed; `tollkeeper serve` fetches one with npm into the data directory")
	}
	return wrong(subject, "none from 15 on is installed; install it (on Debian: apt-get install postgresql), or set TOLLKEEPER_POSTGRES_MIRROR or TOLLKEEPER_DATABASE_URL")
}

// examine looks at a database that should answer.
func examine(ctx context.Context, db database) []finding {
	if err := db.checkPooler(ctx); err != nil {
		return []finding{wrong("connection", "%v", err)}
	}
	findings, answers := examineSettings(ctx, db.owner)
	if !answers {
		return findings
	}
	if err := store.CheckEncoding(ctx, db.owner); err != nil {
		return append(findings, wrong("encoding", "%v", err))
	}
	findings = append(findings, good("encoding", "UTF8"))
	if err := store.CheckSchema(ctx, db.owner); err != nil {
		return append(findings, wrong("schema", "%v", err))
	}
	findings = append(findings, examineCollation(ctx, db.owner)...)
	if db.private == nil { // which has no standby
		findings = append(findings, examineFailover(ctx, db.owner))
	}
	login, findings := examineLogin(ctx, db, findings)
	if login.Owner || db.owner != db.url {
		findings = append(findings, examineRoles(ctx, db))
	}
	st, err := store.Open(ctx, db.url)
	if err != nil {
		return append(findings, wrong("migrations", "not applied: run `tollkeeper migrate`"))
	}
	defer func() { _ = st.Close() }()
	findings = append(findings, good("migrations", "applied"))
	if compression, err := logCompression(ctx, st); err != nil {
		findings = append(findings, wrong("log", "%v", err))
	} else {
		findings = append(findings, good("log", "%s", compression))
	}
	findings = append(findings, examineDueWork(ctx, st))
	storage, err := event.StorageOf(ctx, st)
	if err != nil {
		return append(findings, wrong("events", "%v", err))
	}
	for _, row := range showStorage(storage) {
		findings = append(findings, good(row[0], "%s", row[1]))
	}
	return findings
}

// examineDueWork tells of due work that failed, and what to do about it.
func examineDueWork(ctx context.Context, st *store.Store) finding {
	const subject = "due work"
	counts, err := due.CountAll(ctx, st)
	if err != nil {
		return wrong(subject, "%v", err)
	}
	units, of := 0, map[string]bool{}
	for _, c := range counts {
		units += c.Units
		of[c.AccountID] = true
	}
	if units == 0 {
		return good(subject, "none is parked")
	}
	return wrong(subject, "%d units failed and are parked, of %d accounts: `tollkeeper due list` says why and what waits for them; mend that, and `tollkeeper due retry`, or wait for the next try",
		units, len(of))
}

// examineSettings tells of each setting without which a committed row can be lost.
func examineSettings(ctx context.Context, url string) (findings []finding, answers bool) {
	off, err := forgetful(ctx, url)
	if err != nil {
		return []finding{wrong("connection", "%v", err)}, false
	}
	for _, setting := range off {
		findings = append(findings, wrong("connection", "the database runs with %s = off, and would lose events it confirmed; switch it on", setting))
	}
	if len(off) == 0 {
		findings = append(findings, good("connection", "answers, and keeps what it confirms"))
	}
	return findings, true
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
