package store

// What fuzz tests look at directly.
var (
	Cursor     = cursor
	ReadCursor = readCursor
)

// MigrateWith migrates with other files than those of this version.
var (
	MigrateWith = migrateWith
	Schema      = schema
)
