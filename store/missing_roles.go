package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// MissingRoles returns the statements that make the roles of the database, and let the owner and
// the server's login, if that is another one, work as them, as far as that is not done. An
// administrator of the cluster may run them where the owner may not. It changes nothing.
func MissingRoles(ctx context.Context, owner, url string) (statements []string, err error) {
	conn, err := connect(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin a transaction: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	suffix, err := wantedSuffix(ctx, tx)
	if err != nil {
		return nil, err
	}
	found, err := findRoles(ctx, tx, suffix, "")
	if err != nil {
		return nil, err
	}
	user := pgx.Identifier{conn.Config().User}.Sanitize()
	for _, role := range found {
		statements = append(statements, role.statements(user)...)
	}
	if url == owner {
		return statements, nil
	}
	login, err := loginOf(ctx, url)
	if err != nil {
		return nil, err
	}
	more, err := loginStatements(ctx, tx, suffix, login)
	return append(statements, more...), err
}

// wantedSuffix returns the recorded suffix of the role names, or the one that will be recorded.
func wantedSuffix(ctx context.Context, tx pgx.Tx) (suffix string, err error) {
	var named bool
	if err := tx.QueryRow(ctx, "SELECT to_regclass('public.role_names') IS NOT NULL").Scan(&named); err != nil {
		return "", fmt.Errorf("look for the role names: %w", err)
	}
	err = pgx.ErrNoRows
	if named {
		err = tx.QueryRow(ctx, "SELECT suffix FROM role_names").Scan(&suffix)
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		suffix, err = chooseSuffix(ctx, tx)
	case err == nil:
		suffix, err = leaveForeignRoles(ctx, tx, suffix)
	}
	if err != nil {
		return "", fmt.Errorf("read the role names: %w", err)
	}
	return suffix, nil
}
