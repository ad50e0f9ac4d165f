package server

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tollkeeper/store"
)

// outage is a reason why a request that is right could not be served now: the same request
// may succeed later.
type outage int

const (
	noOutage outage = iota
	busy            // no connection or lock became free in time, or others were faster each time
	away            // the database does not answer, or takes nothing
)

// retryAfter is what the client is told, in seconds.
func (o outage) retryAfter() string {
	if o == away {
		return "2"
	}
	return "1"
}

// outageOf tells whether a failure is an outage. A statement that took longer than its
// deadline is none: the same again would take as long.
func outageOf(err error) outage {
	if errors.Is(err, store.ErrBusy) || errors.Is(err, errOverloaded) {
		return busy
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case strings.HasPrefix(pg.Code, "08"), // connection
			strings.HasPrefix(pg.Code, "53"),  // too many connections, disk or memory full
			strings.HasPrefix(pg.Code, "57P"): // shutting down, starting up
			return away
		case pg.Code == "40001", pg.Code == "40P01", pg.Code == "55P03", pg.Code == "25P03":
			return busy
		}
		return noOutage
	}
	var network net.Error
	var connect *pgconn.ConnectError
	switch {
	case errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &connect):
		return busy
	case errors.As(err, &network), errors.As(err, &connect), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, io.ErrUnexpectedEOF), pgconn.SafeToRetry(err):
		return away
	}
	return noOutage
}

// transient reports a failure that may be over the next time.
func transient(err error) bool { return outageOf(err) != noOutage || store.TimedOut(err) }

// reportEvery is how often outages of requests are logged.
const reportEvery = time.Second

// outages logs what ends requests during an outage once in a while, not once a request.
type outages struct {
	mu     sync.Mutex
	last   time.Time // real time
	silent int       // requests since then that were not logged
}

// report logs an outage of a request, with how many others there were since the last line.
func (o *outages) report(ctx context.Context, log *slog.Logger, now time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.last) < reportEvery {
		o.silent++
		return
	}
	log.LogAttrs(ctx, slog.LevelError, "requests cannot be served", requestAttr(ctx), slog.Int("others_since_last", o.silent), slog.Any("error", err))
	o.last, o.silent = now, 0
}
