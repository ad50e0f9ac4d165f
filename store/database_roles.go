package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Roles belong to the cluster, and its databases may have different owners. A database
// therefore records a suffix of its role names: the empty one where its owner can use the
// plain names, or one of its own. The owner's role must be able to SET ROLE to each: since
// PostgreSQL 16 the right to grant a role (ADMIN), which its creator has, does not include it.

// plainRoles are the names in the migrations.
var plainRoles = []string{appRole, "tollkeeper_metric", "tollkeeper_aggregator"}

var plainRole = regexp.MustCompile(`\btollkeeper_(app|metric|aggregator)\b`)

// longestSuffix keeps role names within the 63 bytes of PostgreSQL.
const longestSuffix = 63 - len("tollkeeper_aggregator")

var plainSuffix = regexp.MustCompile(`^[a-z0-9_]+$`) // needs no quotes, in identifiers and in texts

// prepareRoles makes the roles of the database that do not exist, lets the user of the connections
// work as each of them, and returns the recorded suffix of their names. Servers that start
// together wait for one of them to do it.
func prepareRoles(ctx context.Context, db *sql.DB) (suffix string, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return "", fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close() }()
	err = conn.Raw(func(driver any) error {
		conn := driver.(*stdlib.Conn).Conn()
		for range attempts {
			err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
				suffix, err = recordRoles(ctx, tx)
				return err
			})
			if !raced(err) {
				break
			}
		}
		return err
	})
	return suffix, err
}

// raced reports that another database of the cluster changed the same role at this moment.
func raced(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "42710" || pg.Code == "23505" || pg.Code == "XX000")
}

func recordRoles(ctx context.Context, tx pgx.Tx) (suffix string, err error) {
	if err := lockRoles(ctx, tx); err != nil {
		return "", err
	}
	if err := makeRoleNames(ctx, tx); err != nil {
		return "", err
	}
	suffix, err = wantedSuffix(ctx, tx)
	if err != nil {
		return "", err
	}
	found, err := findRoles(ctx, tx, suffix, "")
	if err != nil {
		return "", err
	}
	for _, role := range found {
		if err := role.prepare(ctx, tx); err != nil {
			return "", refusedRoles(tx.Conn(), found, err)
		}
	}
	_, err = tx.Exec(ctx, `INSERT INTO role_names AS n (suffix) VALUES ($1)
		ON CONFLICT (one) DO UPDATE SET suffix = excluded.suffix WHERE n.suffix <> excluded.suffix`, suffix)
	if err != nil {
		return "", fmt.Errorf("record the role names: %w", err)
	}
	return suffix, nil
}

// lockRoles lets one connection at a time make or grant roles of the database.
func lockRoles(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('tollkeeper roles', 0))"); err != nil {
		return fmt.Errorf("lock the roles: %w", err)
	}
	return nil
}

// makeRoleNames makes the table with the suffix unless it is there. A login of the server's own may
// read it (see [AdmitLogin]): a connection reads it before it works as a role.
func makeRoleNames(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS role_names (suffix text NOT NULL, one boolean PRIMARY KEY DEFAULT true CHECK (one))")
	if err != nil {
		return fmt.Errorf("make the table of role names: %w", err)
	}
	return nil
}

// databaseRole is a role as a user finds it.
type databaseRole struct {
	Name      string
	Exists    bool
	Usable    bool // the user can SET ROLE to it
	Grantable bool // the user can grant it to itself
	Separate  bool // since PostgreSQL 16 SET is a right beside membership
}

// findRoles returns the three roles with that suffix, as the user finds them; "" is the user of
// the connection. A user that does not exist can do nothing.
func findRoles(ctx context.Context, tx pgx.Tx, suffix, user string) ([]databaseRole, error) {
	names := make([]string, len(plainRoles))
	for i, name := range plainRoles {
		names[i] = name + suffix
	}
	var version int
	if err := tx.QueryRow(ctx, "SELECT current_setting('server_version_num')::integer").Scan(&version); err != nil {
		return nil, fmt.Errorf("read the version of PostgreSQL: %w", err)
	}
	right := "MEMBER"
	if version >= 160000 {
		right = "SET"
	}
	rows, err := tx.Query(ctx, `
		SELECT name, r.oid IS NOT NULL,
			coalesce(pg_has_role(u.oid, r.oid, $2), false),
			coalesce(pg_has_role(u.oid, r.oid, 'MEMBER WITH ADMIN OPTION'), false),
			$2 = 'SET'
		FROM unnest($1::text[]) WITH ORDINALITY AS n(name, place) LEFT JOIN pg_roles AS r ON r.rolname = n.name
			LEFT JOIN pg_roles AS u ON u.rolname = coalesce(nullif($3, ''), current_user)
		ORDER BY place`, names, right, user)
	if err != nil {
		return nil, fmt.Errorf("look for the roles: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[databaseRole])
	if err != nil {
		return nil, fmt.Errorf("look for the roles: %w", err)
	}
	return found, nil
}

// chooseSuffix returns the empty suffix for a database that was migrated before suffixes
// were recorded, and where no role of another owner has a plain name. Otherwise the suffix
// names the database.
func chooseSuffix(ctx context.Context, tx pgx.Tx) (string, error) {
	var migrated bool
	var database, number string
	err := tx.QueryRow(ctx, `SELECT to_regclass('public.accounts') IS NOT NULL, datname, oid::text
		FROM pg_database WHERE datname = current_database()`).Scan(&migrated, &database, &number)
	if err != nil || migrated {
		return "", err
	}
	return freeSuffix(ctx, tx, database, number)
}

// freeSuffix returns a suffix whose roles belong to no other owner.
func freeSuffix(ctx context.Context, tx pgx.Tx, database, number string) (string, error) {
	found, err := findRoles(ctx, tx, "", "")
	if err != nil {
		return "", err
	}
	for _, role := range found {
		if role.foreign() {
			if !plainSuffix.MatchString(database) || len("_"+database) > longestSuffix {
				database = "d" + number
			}
			return "_" + database, nil
		}
	}
	return "", nil
}

// foreign reports that the role belongs to the owner of another database.
func (r databaseRole) foreign() bool { return r.Exists && !r.Usable && !r.Grantable }

// prepare makes the role unless it exists, and lets the user work as it.
func (r databaseRole) prepare(ctx context.Context, tx pgx.Tx) error {
	for _, statement := range r.statements("CURRENT_USER") {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// statements are what is left to do for the role.
func (r databaseRole) statements(user string) (needed []string) {
	if !r.Exists {
		needed = append(needed, "CREATE ROLE "+r.Name+" NOLOGIN")
	}
	switch {
	case r.Usable:
	case r.Separate:
		needed = append(needed, "GRANT "+r.Name+" TO "+user+" WITH SET TRUE")
	default:
		needed = append(needed, "GRANT "+r.Name+" TO "+user)
	}
	return needed
}

// refusedRoles names the statements that an administrator runs when the user may not.
func refusedRoles(conn *pgx.Conn, roles []databaseRole, err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != "42501" {
		return err
	}
	user := pgx.Identifier{conn.Config().User}.Sanitize()
	var statements []string
	for _, role := range roles {
		statements = append(statements, role.statements(user)...)
	}
	return fmt.Errorf("the user %s of the database may not prepare the roles that the server works as; "+
		"let an administrator of PostgreSQL run, once (tollkeeper migrate --print-roles prints it):\n%s;\n%w", user, strings.Join(statements, ";\n"), err)
}

// withSuffix is files in which every role name has the suffix.
func withSuffix(files fs.FS, suffix string) fs.FS {
	if suffix == "" {
		return files
	}
	return suffixed{files, suffix}
}

type suffixed struct {
	fs.FS
	suffix string
}

// Open reads a file and adds the suffix to the role names in it. Directories stay as they are.
func (s suffixed) Open(name string) (fs.File, error) {
	file, err := s.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil || info.IsDir() {
		return file, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return suffixedFile{file, bytes.NewReader(plainRole.ReplaceAll(text, []byte("${0}"+s.suffix)))}, nil
}

type suffixedFile struct {
	fs.File
	text *bytes.Reader
}

// Read reads the changed text.
func (f suffixedFile) Read(b []byte) (int, error) { return f.text.Read(b) }
