package server

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

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
