package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Outage is a reason why a transaction could not be done now: the same may succeed later.
type Outage int

// Outages.
const (
	NoOutage Outage = iota
	Busy            // no connection or lock became free in time, or others were faster each time
	Away            // the database does not answer, or takes nothing
)

// OutageOf reports whether a failure is an outage. A statement that took longer than its
// deadline is not: the same statement would take as long again.
func OutageOf(err error) Outage {
	if errors.Is(err, ErrBusy) {
		return Busy
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case strings.HasPrefix(pg.Code, "08"), // connection
			strings.HasPrefix(pg.Code, "53"),  // too many connections, disk or memory full
			strings.HasPrefix(pg.Code, "57P"): // shutting down, starting up
			return Away
		case pg.Code == "40001", pg.Code == "40P01", pg.Code == "55P03", pg.Code == "25P03":
			return Busy
		}
		return NoOutage
	}
	// An error of a file has an error number of the system in it, which is a net.Error by its methods alone.
	var path *fs.PathError
	var link *os.LinkError
	if errors.As(err, &path) || errors.As(err, &link) {
		return NoOutage
	}
	var network net.Error
	var connect *pgconn.ConnectError
	switch {
	case errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &connect):
		return Busy
	case errors.As(err, &network), errors.As(err, &connect), errors.Is(err, driver.ErrBadConn), errors.Is(err, pgconn.ErrConnClosed), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, io.ErrUnexpectedEOF), pgconn.SafeToRetry(err):
		return Away
	}
	return NoOutage
}
