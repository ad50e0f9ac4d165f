package store_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// firstUnderRules is the first migration that keeps the rules of locks in migrations/README.md. The files before never
// change.
const firstUnderRules = "0056"

var (
	comment      = regexp.MustCompile(`(?m)--.*$`)
	waitsLine    = regexp.MustCompile(`(?m)^-- Waits: \S`)
	holdsLine    = regexp.MustCompile(`(?m)^-- Holds (\w+): \S`)
	lockTables   = regexp.MustCompile(`(?i)^\s*LOCK TABLE ([\w, ]+) IN ACCESS EXCLUSIVE MODE$`)
	dropIndex    = regexp.MustCompile(`(?i)^DROP INDEX CONCURRENTLY IF EXISTS (\w+)$`)
	buildIndex   = regexp.MustCompile(`(?is)^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+) ON .*$`)
	validateRows = regexp.MustCompile(`(?i)^ALTER TABLE \w+ VALIDATE CONSTRAINT \w+$`)
)

// statements are those of a file, without comments. Texts with a semicolon in them are cut in parts.
func statements(text string) (found []string) {
	for _, statement := range strings.Split(comment.ReplaceAllString(text, ""), ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			found = append(found, statement)
		}
	}
	return found
}

// patientFaults are the faults of a step without a transaction, which is marked with "Waits".
func patientFaults(text string) (faults []string) {
	if !waitsLine.MatchString(text) {
		faults = append(faults, "runs without a transaction, and no line says `-- Waits: REASON`")
	}
	var dropped string
	for _, statement := range statements(text) {
		if drop := dropIndex.FindStringSubmatch(statement); drop != nil {
			dropped = drop[1]
			continue
		}
		build := buildIndex.FindStringSubmatch(statement)
		switch {
		case build == nil && !validateRows.MatchString(statement):
			faults = append(faults, "has a statement without a transaction that may stop others, or cannot be done again: "+statement)
		case build != nil && dropped != build[1]:
			faults = append(faults, "cannot be done again after a failure: drop the index "+build[1]+" first, CONCURRENTLY IF EXISTS")
		}
	}
	return faults
}

// Tables that were there before a step, and what the step did to them.
const (
	noteTables = `CREATE TEMP TABLE tables_before ON COMMIT DROP AS
		SELECT c.oid, c.relname, c.relfilenode,
			ARRAY(SELECT attnum FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attnotnull) AS nullable
		FROM pg_class AS c WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace AND relname <> 'goose_db_version'`
	noteIndexes     = `CREATE TEMP TABLE indexes_before ON COMMIT DROP AS SELECT indexrelid FROM pg_index`
	noteConstraints = `CREATE TEMP TABLE constraints_before ON COMMIT DROP AS SELECT oid FROM pg_constraint`
	lockedTables    = `SELECT DISTINCT t.relname FROM pg_locks AS l JOIN tables_before AS t ON t.oid = l.relation
		WHERE l.pid = pg_backend_pid() AND l.mode = 'AccessExclusiveLock' ORDER BY 1`
	readWhileLocked = `
		SELECT t.relname, 'rewrites it' FROM tables_before AS t JOIN pg_class AS c ON c.oid = t.oid WHERE c.relfilenode <> t.relfilenode
		UNION SELECT t.relname, 'builds an index' FROM tables_before AS t JOIN pg_index AS i ON i.indrelid = t.oid
			WHERE i.indexrelid NOT IN (SELECT indexrelid FROM indexes_before)
		UNION SELECT t.relname, 'checks its rows' FROM tables_before AS t JOIN pg_constraint AS c ON c.conrelid = t.oid
			WHERE c.oid NOT IN (SELECT oid FROM constraints_before) AND c.contype IN ('c', 'f') AND c.convalidated
		UNION SELECT t.relname, 'checks its rows' FROM tables_before AS t JOIN pg_attribute AS a ON a.attrelid = t.oid
			WHERE a.attnotnull AND a.attnum = ANY (t.nullable)
		ORDER BY 1, 2`
)

// stepFaults applies a step in a transaction, and returns its faults.
func stepFaults(tx pgx.Tx, text string) (faults []string) {
	GinkgoHelper()
	ctx := context.Background()
	for _, statement := range []string{noteTables, noteIndexes, noteConstraints, text} {
		_, err := tx.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
		Expect(err).NotTo(HaveOccurred())
	}
	rows, err := tx.Query(ctx, lockedTables)
	Expect(err).NotTo(HaveOccurred())
	locked, err := pgx.CollectRows(rows, pgx.RowTo[string])
	Expect(err).NotTo(HaveOccurred())
	if len(locked) > 1 {
		var first []string
		if all := statements(text); len(all) > 0 {
			if names := lockTables.FindStringSubmatch(all[0]); names != nil {
				first = strings.Split(strings.ReplaceAll(names[1], " ", ""), ",")
			}
		}
		missing := slices.DeleteFunc(locked, func(table string) bool { return slices.Contains(first, table) })
		if len(missing) > 0 || first[0] != "accounts" {
			faults = append(faults, fmt.Sprintf("locks several tables (%s among them): begin with LOCK TABLE accounts, … IN ACCESS EXCLUSIVE MODE", strings.Join(locked, ", ")))
		}
	}
	rows, err = tx.Query(ctx, readWhileLocked)
	Expect(err).NotTo(HaveOccurred())
	type work struct{ Table, What string }
	works, err := pgx.CollectRows(rows, pgx.RowToStructByPos[work])
	Expect(err).NotTo(HaveOccurred())
	for _, w := range works {
		said := slices.ContainsFunc(holdsLine.FindAllStringSubmatch(text, -1), func(line []string) bool { return line[1] == w.Table })
		if !said {
			faults = append(faults, fmt.Sprintf("%s while it locks %s, and no line says `-- Holds %s: REASON`", w.What, w.Table, w.Table))
		}
	}
	return faults
}

// migrationFaults applies a file, and returns where it breaks the rules of locks.
func migrationFaults(conn *pgx.Conn, text string) (faults []string) {
	GinkgoHelper()
	ctx := context.Background()
	if strings.Contains(text, "-- +goose NO TRANSACTION") {
		faults = patientFaults(text)
		if len(faults) > 0 {
			return faults
		}
		for _, statement := range statements(text) {
			_, err := conn.Exec(ctx, statement)
			Expect(err).NotTo(HaveOccurred())
		}
		return nil
	}
	if waitsLine.MatchString(text) {
		faults = append(faults, "waits for its locks within a transaction: `-- Waits` is for NO TRANSACTION")
	}
	Expect(pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		faults = append(faults, stepFaults(tx, text)...)
		return nil
	})).To(Succeed())
	return faults
}

var _ = Describe("The locks of a migration", Ordered, func() {
	var owner *pgx.Conn
	BeforeAll(func() { _, owner = databaseBefore(firstUnderRules) })

	It("are short, or the file says why not", func() {
		files := schemaFiles()
		for name := range files {
			if !strings.HasPrefix(name, "migrations/") || !strings.HasSuffix(name, ".sql") || strings.TrimPrefix(name, "migrations/") < firstUnderRules {
				delete(files, name)
			}
		}
		names := make([]string, 0, len(files))
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			Expect(migrationFaults(owner, string(files[name].Data))).To(BeEmpty(), name)
		}
	})

	DescribeTable("are found out",
		func(text string, faults ...string) {
			found := migrationFaults(owner, "-- +goose Up\n"+text)
			Expect(found).To(HaveLen(len(faults)), "%q", found)
			for k, fault := range faults {
				Expect(found[k]).To(ContainSubstring(fault))
			}
		},
		Entry("not where a column or a table is added", "ALTER TABLE accounts ADD COLUMN a1 text NOT NULL DEFAULT ''; CREATE TABLE b1 (a text REFERENCES accounts);"),
		Entry("where a table is rewritten", "ALTER TABLE items ADD COLUMN a2 timestamptz DEFAULT clock_timestamp();", "rewrites it while it locks items"),
		Entry("where an index is built", "CREATE INDEX a3 ON customers (name);", "builds an index while it locks customers"),
		Entry("not where the file says why", "-- Holds plans: an account has few.\nCREATE INDEX a4 ON plans (name);"),
		Entry("where rows are checked", "ALTER TABLE items ADD CONSTRAINT a5 CHECK (name <> '');", "checks its rows while it locks items"),
		Entry("not where new rows alone are checked", "ALTER TABLE items ADD CONSTRAINT a6 CHECK (name <> '') NOT VALID;"),
		Entry("where a column must no longer be null", "ALTER TABLE plans ALTER COLUMN external_plan_id SET NOT NULL;", "checks its rows while it locks plans"),
		Entry("where several tables are locked in turn", "ALTER TABLE items ADD COLUMN a8 text; ALTER TABLE plans ADD COLUMN a8 text;", "locks several tables (items, plans among them)"),
		Entry("where the accounts are not the first", "LOCK TABLE items, accounts IN ACCESS EXCLUSIVE MODE; ALTER TABLE items ADD COLUMN a9 text;", "begin with LOCK TABLE accounts"),
		Entry("not where all are locked first", "LOCK TABLE accounts, items IN ACCESS EXCLUSIVE MODE; ALTER TABLE items ADD COLUMN a10 text;"),
		Entry("where a step without a transaction says nothing", "-- +goose NO TRANSACTION\nALTER TABLE items ADD COLUMN a11 text;",
			"no line says `-- Waits: REASON`", "may stop others"),
		Entry("where an index cannot be built again", "-- +goose NO TRANSACTION\n-- Waits: a reason.\nCREATE INDEX CONCURRENTLY a13 ON customers (name);", "drop the index a13 first"),
		Entry("not where an index is built beside writers",
			"-- +goose NO TRANSACTION\n-- Waits: a reason.\nDROP INDEX CONCURRENTLY IF EXISTS a15;\nCREATE INDEX CONCURRENTLY a15 ON customers (name);"),
		Entry("where a step in a transaction would wait", "-- Waits: a reason.\nALTER TABLE items ADD COLUMN a16 text;", "within a transaction"),
	)
})
