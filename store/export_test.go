package store

// What fuzz tests look at directly.
var (
	Cursor     = cursor
	ReadCursor = readCursor
)
