package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// The connections of a server need a login that may work as the three roles of the database,
// and nothing else. Migrations, and what an operator does at the command line, need the login of
// the owner. One login may be both; then a statement that is slipped into a connection of the
// server can RESET ROLE and has all rights of the owner.

// ErrNotOwner reports that the login of the connections does not own the database.
var ErrNotOwner = errors.New("the login of the connections does not own the database")

// AsOwner is Shared as the login of the connections. It is for what an operator does, with the
// login of the owner of the database: row-level security does not bind the owner. With another
// login the error is [ErrNotOwner], and nothing is done.
func (s *Store) AsOwner(ctx context.Context, fn func(db *gorm.DB) error) error {
	return s.Shared(ctx, func(db *gorm.DB) error {
		var owner bool
		if err := db.Raw("SELECT " + ownsTables).Row().Scan(&owner); err != nil {
			return fmt.Errorf("look whose the database is: %w", err)
		}
		if !owner {
			return ErrNotOwner
		}
		if err := db.Exec("SET LOCAL ROLE NONE").Error; err != nil {
			return fmt.Errorf("work as the owner: %w", err)
		}
		return fn(db)
	})
}

// ownsTables tells whether the login has the rights of the owner of the tables: it is the owner,
// a member of the owner, or a superuser. Without tables it becomes the owner by making them.
const ownsTables = `coalesce((SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class
	WHERE oid = to_regclass('public.accounts')), true)`

// Login is the user of a URL, as its database knows it.
type Login struct {
	Name   string
	Owner  bool     // it has the rights of the owner of the tables
	Excess []string // rights that the login of a server does not need, in words
}

// ReadLogin returns the login of a URL.
func ReadLogin(ctx context.Context, url string) (l Login, err error) {
	conn, err := connect(ctx, url)
	if err != nil {
		return l, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, `
		SELECT session_user, `+ownsTables+`, array_remove(ARRAY[
			CASE WHEN rolsuper THEN 'is a superuser' END,
			CASE WHEN rolcreaterole THEN 'makes roles' END,
			CASE WHEN rolcreatedb THEN 'makes databases' END,
			CASE WHEN rolreplication THEN 'replicates' END,
			CASE WHEN rolbypassrls THEN 'bypasses row-level security' END,
			CASE WHEN EXISTS (SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = r.oid AND deptype = 'o')
				THEN 'owns objects' END,
			(SELECT 'is a member of ' || string_agg(g.rolname, ', ' ORDER BY g.rolname) FROM pg_auth_members AS m JOIN pg_roles AS g ON g.oid = m.roleid
				WHERE m.member = r.oid AND g.rolname !~ $1)], NULL)
		FROM pg_roles AS r WHERE rolname = session_user`, "^("+strings.Join(plainRoles, "|")+")").Scan(&l.Name, &l.Owner, &l.Excess)
	if err != nil {
		return l, fmt.Errorf("look at the login: %w", err)
	}
	return l, nil
}

// loginOf is the name of the login of a URL, also where it does not exist or may not connect yet.
func loginOf(ctx context.Context, url string) (name string, err error) {
	config, err := configure(url)
	if err != nil {
		return "", err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return config.User, nil
	}
	if err != nil {
		return "", fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, "SELECT session_user").Scan(&name) // a pooler may have another name for it
	return name, err
}

// ErrOtherDatabase reports that the logins of owner and server are in different databases.
var ErrOtherDatabase = errors.New("the logins of owner and server are in different databases")

// CheckSameDatabase fails with [ErrOtherDatabase] where two URLs lead to different databases. A
// URL whose login cannot connect yet says nothing, and is no failure.
func CheckSameDatabase(ctx context.Context, owner, url string) error {
	first, err := databaseOf(ctx, owner)
	if err != nil {
		return err
	}
	second, err := databaseOf(ctx, url)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code != "3D000" { // which is that there is no such database
		return nil
	}
	if err == nil && first != second {
		err = ErrOtherDatabase
	}
	return err
}

// databaseOf tells a database apart from those of other clusters too.
func databaseOf(ctx context.Context, url string) (identity string, err error) {
	conn, err := connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, "SELECT extract(epoch FROM pg_postmaster_start_time()) || ' ' || current_database()").Scan(&identity)
	return identity, err
}

// AdmitLogin lets the login of one URL work as the roles of a migrated database, whose owner's
// URL is the other. Where create is set, a login that does not exist is made, without a
// password. Nothing is done for the owner itself.
func AdmitLogin(ctx context.Context, owner, url string, create bool) error {
	login, err := loginOf(ctx, url)
	if err != nil {
		return err
	}
	conn, err := connect(ctx, owner)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for range attempts {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return admit(ctx, tx, login, create) })
		if !raced(err) {
			break
		}
	}
	return err
}

func admit(ctx context.Context, tx pgx.Tx, login string, create bool) error {
	if err := lockRoles(ctx, tx); err != nil {
		return err
	}
	suffix, err := wantedSuffix(ctx, tx)
	if err != nil {
		return err
	}
	needed, err := loginStatements(ctx, tx, suffix, login)
	if err != nil || len(needed) == 0 {
		return err
	}
	if strings.HasPrefix(needed[0], "CREATE ROLE") && !create {
		return refusedLogin(login, needed, nil)
	}
	for _, statement := range needed {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return refusedLogin(login, needed, fmt.Errorf("%s: %w", statement, err))
		}
	}
	return nil
}

// refusedLogin names the statements that an administrator runs where the owner may not.
func refusedLogin(login string, needed []string, err error) error {
	var pg *pgconn.PgError
	if err != nil && (!errors.As(err, &pg) || pg.Code != "42501") {
		return err
	}
	text := fmt.Sprintf("the login %q of the server lacks rights; let an administrator of PostgreSQL run, once (tollkeeper migrate --print-roles prints it):\n%s",
		login, strings.Join(needed, ";\n"))
	if err == nil {
		return errors.New(text)
	}
	return fmt.Errorf("%s;\n%w", text, err)
}

// loginStatements are what is left to do for a login that is not the owner: that it exists, may
// connect, finds the tables, reads the names of the roles, and may SET ROLE to each of them. It
// inherits none of their rights.
func loginStatements(ctx context.Context, tx pgx.Tx, suffix, login string) (needed []string, err error) {
	var exists, connects, finds, reads bool
	var database string
	err = tx.QueryRow(ctx, `
		SELECT r.oid IS NOT NULL, current_database(),
			coalesce(has_database_privilege(r.oid, current_database(), 'CONNECT'), has_database_privilege('public', current_database(), 'CONNECT')),
			coalesce(has_schema_privilege(r.oid, 'public', 'USAGE'), has_schema_privilege('public', 'public', 'USAGE')),
			to_regclass('public.role_names') IS NULL OR coalesce(has_table_privilege(r.oid, to_regclass('public.role_names'), 'SELECT'), false)
		FROM (SELECT) AS one LEFT JOIN pg_roles AS r ON r.rolname = $1`, login).Scan(&exists, &database, &connects, &finds, &reads)
	if err != nil {
		return nil, fmt.Errorf("look for the login: %w", err)
	}
	name := pgx.Identifier{login}.Sanitize()
	if !exists {
		needed = append(needed, "CREATE ROLE "+name+" LOGIN NOINHERIT")
	}
	if !connects {
		needed = append(needed, "GRANT CONNECT ON DATABASE "+pgx.Identifier{database}.Sanitize()+" TO "+name)
	}
	if !finds {
		needed = append(needed, "GRANT USAGE ON SCHEMA public TO "+name)
	}
	if !reads {
		needed = append(needed, "GRANT SELECT ON role_names TO "+name)
	}
	roles, err := findRoles(ctx, tx, suffix, login)
	for _, role := range roles {
		switch {
		case role.Usable:
		case role.Separate:
			needed = append(needed, "GRANT "+role.Name+" TO "+name+" WITH INHERIT FALSE, SET TRUE")
		default:
			needed = append(needed, "GRANT "+role.Name+" TO "+name)
		}
	}
	return needed, err
}
