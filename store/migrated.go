package store

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

// CheckMigrated fails where the database has not the migrations and functions of this version,
// or of a later one. It is for a server whose login may not migrate.
func (s *Store) CheckMigrated(ctx context.Context) error {
	return s.Shared(ctx, func(db *gorm.DB) error {
		var version int64
		var suffix string
		err := db.Raw("SELECT max(version_id), (SELECT suffix FROM role_names) FROM goose_db_version WHERE is_applied").Row().Scan(&version, &suffix)
		if err != nil {
			return fmt.Errorf("read the version of the database: %w", err)
		}
		files := withSuffix(schema, suffix)
		newest, err := newestMigration(files)
		if err != nil || version > newest {
			return err
		}
		if version < newest {
			return fmt.Errorf("the database has migration %d, and this version needs %d", version, newest)
		}
		functions, err := readFunctions(files)
		if err != nil {
			return err
		}
		for _, file := range functions {
			var same bool
			err := db.Raw("SELECT EXISTS (SELECT FROM applied_functions WHERE file = ? AND checksum = ?)", file.name, file.checksum[:]).Row().Scan(&same)
			if err != nil {
				return fmt.Errorf("read which functions are applied: %w", err)
			}
			if !same {
				return fmt.Errorf("the database has another text of %s than this version", file.name)
			}
		}
		return nil
	})
}

// newestMigration is the number of the last of the files.
func newestMigration(files fs.FS) (number int64, err error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("read the migrations: %w", err)
		}
		number = max(number, n)
	}
	return number, nil
}
