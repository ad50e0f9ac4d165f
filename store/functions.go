package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
)

// functionFile holds CREATE OR REPLACE statements of functions, and the rights to them.
type functionFile struct {
	name     string
	text     string
	checksum [sha256.Size]byte // of the text
}

// functionFiles are in the order of their names.
type functionFiles []functionFile

// readFunctions reads functions/*.sql.
func readFunctions(files fs.FS) (functionFiles, error) {
	names, err := fs.Glob(files, "functions/*.sql")
	if err != nil {
		return nil, fmt.Errorf("read the functions: %w", err)
	}
	read := make(functionFiles, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the functions: %w", err)
		}
		read[i] = functionFile{name: name, text: string(text), checksum: sha256.Sum256(text)}
	}
	return read, nil
}

// applyNew applies the files that were never applied, before the migrations: the triggers of
// these name functions. The tables that the functions work on may not exist yet, so
// PostgreSQL does not check their texts here.
func (f functionFiles) applyNew(ctx context.Context, db *sql.DB) error {
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			CREATE TABLE IF NOT EXISTS applied_functions (
				file       text COLLATE "C" PRIMARY KEY,
				checksum   bytea NOT NULL, -- SHA-256 of its text
				applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
			);
			SET LOCAL check_function_bodies = off`)
		if err != nil {
			return fmt.Errorf("make the table of functions: %w", err)
		}
		for _, file := range f {
			known, err := file.exists(ctx, tx, `SELECT FROM applied_functions WHERE file = $1`, file.name)
			if err != nil {
				return err
			}
			if !known {
				if err := file.apply(ctx, tx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// applyChanged applies the files whose text has changed, after the migrations: the new texts
// may need what these make.
func (f functionFiles) applyChanged(ctx context.Context, db *sql.DB) error {
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		for _, file := range f {
			same, err := file.exists(ctx, tx, `SELECT FROM applied_functions WHERE file = $1 AND checksum = $2`, file.name, file.checksum[:])
			if err != nil {
				return err
			}
			if !same {
				if err := file.apply(ctx, tx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (f functionFile) exists(ctx context.Context, tx *sql.Tx, query string, args ...any) (exists bool, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT EXISTS ("+query+")", args...).Scan(&exists); err != nil {
		return false, fmt.Errorf("read which functions are applied: %w", err)
	}
	return exists, nil
}

func (f functionFile) apply(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, f.text); err != nil {
		return fmt.Errorf("apply %s: %w", f.name, err)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO applied_functions (file, checksum) VALUES ($1, $2)
		ON CONFLICT (file) DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at`, f.name, f.checksum[:])
	if err != nil {
		return fmt.Errorf("note that %s is applied: %w", f.name, err)
	}
	return nil
}

func inTransaction(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
