package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Rights of the server's roles are made by migrations and functions, and recorded after them in
// the table role_rights (migration 0021). A dump that was restored without them, or for roles
// of other names, gets them back from there before anything else is applied.

// presentRights are the rights that the catalog has for the roles with the suffix $1, and the
// functions that PUBLIC may not execute.
const presentRights = `
	SELECT substr(r.rolname, 1, length(r.rolname) - length($1)) AS role, kind, object, privilege_type AS privilege
	FROM (
		SELECT 'SCHEMA' AS kind, nspname::text AS object, nspacl AS acl FROM pg_namespace WHERE nspname = 'public'
		UNION ALL
		SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, oid::regclass::text, relacl FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
		UNION ALL
		SELECT 'FUNCTION', oid::regprocedure::text, proacl FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	) AS o CROSS JOIN LATERAL aclexplode(acl) AS a JOIN pg_roles AS r ON r.oid = a.grantee
	WHERE r.rolname IN ('tollkeeper_app' || $1, 'tollkeeper_metric' || $1, 'tollkeeper_aggregator' || $1)
	UNION
	SELECT 'PUBLIC', 'FUNCTION', oid::regprocedure::text, 'EXECUTE' FROM pg_proc
	WHERE pronamespace = 'public'::regnamespace AND proacl IS NOT NULL
		AND NOT EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0)`

// restoreRights grants the recorded rights that are missing, and takes back those that PUBLIC
// must not have. Objects that are gone need none.
func restoreRights(ctx context.Context, db *sql.DB, suffix string) error {
	if kept, err := keepsRights(ctx, db); err != nil || !kept {
		return err
	}
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		var statements sql.NullString
		err := tx.QueryRowContext(ctx, `
			SELECT string_agg(CASE role
				WHEN 'PUBLIC' THEN format('REVOKE %s ON %s %s FROM PUBLIC', privilege, kind, object)
				ELSE format('GRANT %s ON %s %s TO %I', privilege, kind, object, role || $1) END, '; ')
			FROM (SELECT role, kind, object, privilege FROM role_rights EXCEPT (`+presentRights+`)) AS missing
			WHERE CASE kind WHEN 'SCHEMA' THEN to_regnamespace(object)::oid
				WHEN 'FUNCTION' THEN to_regprocedure(object)::oid ELSE to_regclass(object)::oid END IS NOT NULL`, suffix).Scan(&statements)
		if err != nil || !statements.Valid {
			return wrapRights(err)
		}
		_, err = tx.ExecContext(ctx, statements.String)
		return wrapRights(err)
	})
}

// recordRights writes down the rights as they are. Nothing is written when they are recorded.
func recordRights(ctx context.Context, db *sql.DB, suffix string) error {
	if kept, err := keepsRights(ctx, db); err != nil || !kept {
		return err
	}
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		for _, statement := range []string{
			`DELETE FROM role_rights WHERE (role, kind, object, privilege) NOT IN (` + presentRights + `)`,
			`INSERT INTO role_rights (role, kind, object, privilege) (` + presentRights + `) ON CONFLICT DO NOTHING`,
		} {
			if _, err := tx.ExecContext(ctx, statement, suffix); err != nil {
				return fmt.Errorf("record the rights of roles: %w", err)
			}
		}
		return nil
	})
}

// keepsRights reports whether the database has the table of rights.
func keepsRights(ctx context.Context, db *sql.DB) (kept bool, err error) {
	err = db.QueryRowContext(ctx, "SELECT to_regclass('public.role_rights') IS NOT NULL").Scan(&kept)
	return kept, wrapRights(err)
}

func wrapRights(err error) error {
	if err != nil {
		return fmt.Errorf("restore the rights of roles: %w", err)
	}
	return nil
}

// leaveForeignRoles returns the recorded suffix, unless the database was restored from a dump in a
// cluster where a role of that name is another owner's. Then the role loses what reading the
// dump granted to it, and the suffix is another one.
func leaveForeignRoles(ctx context.Context, tx pgx.Tx, suffix string) (string, error) {
	var numbered, restored bool
	var database, number string
	err := tx.QueryRow(ctx, `SELECT to_regclass('public.event_numbering') IS NOT NULL, datname, oid::text
		FROM pg_database WHERE datname = current_database()`).Scan(&numbered, &database, &number)
	if err != nil || !numbered {
		return suffix, err
	}
	if err := tx.QueryRow(ctx, "SELECT event_numbering_copied()").Scan(&restored); err != nil || !restored {
		return suffix, err
	}
	found, err := findRoles(ctx, tx, suffix, "")
	if err != nil || !slices.ContainsFunc(found, databaseRole.foreign) {
		return suffix, err
	}
	for _, role := range found {
		if !role.Exists {
			continue
		}
		for _, objects := range []string{"ALL TABLES IN SCHEMA public", "ALL SEQUENCES IN SCHEMA public", "ALL FUNCTIONS IN SCHEMA public", "SCHEMA public"} {
			if _, err := tx.Exec(ctx, "REVOKE ALL ON "+objects+" FROM "+role.Name); err != nil {
				return "", fmt.Errorf("take rights from %s: %w", role.Name, err)
			}
		}
	}
	return freeSuffix(ctx, tx, database, number)
}
