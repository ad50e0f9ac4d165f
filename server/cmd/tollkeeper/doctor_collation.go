package main

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// examineCollation tells of a database whose system sorts text by other rules than the one that built its indexes, as after an
// upgrade of the operating system or of the image. Such an index misses rows, and lets a unique value in twice.
func examineCollation(ctx context.Context, url string) []finding {
	const subject = "collation"
	var name string
	var made, here *string // nil: of a collation without versions, as C is
	err := asked(ctx, url, "SELECT datname, datcollversion, pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = current_database()",
		nil, &name, &made, &here)
	if err != nil {
		return []finding{wrong(subject, "%v", err)}
	}
	if made == nil || here != nil && *made == *here {
		return nil
	}
	sorts := "none"
	if here != nil {
		sorts = *here
	}
	quoted := pgx.Identifier{name}.Sanitize()
	return []finding{wrong(subject, "the indexes were built where text is sorted by version %s of the collation, and this system has version %s: "+
		"as the owner, run REINDEX DATABASE %s, then ALTER DATABASE %s REFRESH COLLATION VERSION", *made, sorts, quoted, quoted)}
}
