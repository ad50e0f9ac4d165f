package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// CheckEncoding fails where the database cannot keep every text: it takes UTF-8 alone, which is what
// clients send. Others refuse letters that they lack, or keep bytes that later are no text.
func CheckEncoding(ctx context.Context, url string) error {
	conn, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var encoding, database string
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_encoding'), current_database()").Scan(&encoding, &database); err != nil {
		return fmt.Errorf("read the encoding of the database: %w", err)
	}
	if encoding == "UTF8" {
		return nil
	}
	return fmt.Errorf("the database %q has the encoding %s and must have UTF8: make another one with CREATE DATABASE %s ENCODING 'UTF8' TEMPLATE template0, "+
		"with LOCALE 'C' where PostgreSQL says that the locale does not match, and name it in the URL",
		database, encoding, pgx.Identifier{database + "_utf8"}.Sanitize())
}

// CheckSchema fails where a database is not migrated yet and the login may not make its tables, which
// are in the schema public, whatever the search path is.
func CheckSchema(ctx context.Context, url string) error {
	conn, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var migrated, exists, allowed bool
	var login string
	err = conn.QueryRow(ctx, `SELECT to_regclass('public.accounts') IS NOT NULL, n.oid IS NOT NULL,
			coalesce(has_schema_privilege(n.oid, 'USAGE') AND has_schema_privilege(n.oid, 'CREATE'), false), current_user
		FROM (SELECT to_regnamespace('public')::oid AS oid) AS n`).Scan(&migrated, &exists, &allowed, &login)
	if err != nil {
		return fmt.Errorf("look at the schema public: %w", err)
	}
	login = pgx.Identifier{login}.Sanitize()
	switch {
	case migrated, allowed:
		return nil
	case !exists:
		return fmt.Errorf("the database has no schema public, where the tables are made: let its owner run CREATE SCHEMA public AUTHORIZATION %s", login)
	}
	return fmt.Errorf("%s may not make tables in the schema public: let the owner of the database or an administrator run GRANT USAGE, CREATE ON SCHEMA public TO %s",
		login, login)
}
