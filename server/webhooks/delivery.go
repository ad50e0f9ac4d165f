package webhooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/webhook"
	"tollkeeper/server/background"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

const (
	answerWithin = 5 * time.Second        // for a receiver to answer (semantics 13.1.2)
	pollEvery    = 250 * time.Millisecond // the database, for deliveries that are due
	recordTries  = 3                      // to record an attempt: a message whose attempt is not recorded is sent again
	mostAttempts = 8                      // at one endpoint at once
	countEvery   = 5 * time.Second        // what is still to be sent
	forgetEvery  = 10 * time.Minute       // deliveries that are old
)

// Deliverer sends the messages that are due. Endpoints are independent: none waits for
// another. Several servers may run a deliverer at once.
type Deliverer struct {
	store  *store.Store
	log    *slog.Logger
	runner *background.Runner
	watch  Watch
	now    func() time.Time // real time
	public *http.Client     // calls public addresses and the networks of the operator
	inside *http.Client     // calls only the networks of the operator

	mu   sync.Mutex
	busy map[webhook.Due]bool // endpoints that this deliverer works on
	work sync.WaitGroup
}

// Config is what a deliverer needs from outside.
type Config struct {
	Store    *store.Store
	Log      *slog.Logger
	Runner   *background.Runner
	Networks []netip.Prefix // that may be called beside public addresses
	Watch    Watch

	Options
}

// Watch is told of deliveries. Both functions are required.
type Watch struct {
	Attempted func(result string)           // of an attempt: delivered, retried, or failed when it was the last
	Waiting   func(backlog webhook.Backlog) // now and then
}

// Options are for specs. The zero value is that of production.
type Options struct {
	Now      func() time.Time // the real time of attempts; time.Now when nil
	Resolver *net.Resolver    // of the names of receivers; the system's when nil
}

// NewDeliverer makes a deliverer. It does nothing until Run is called.
func NewDeliverer(cfg Config) *Deliverer {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Deliverer{
		store:  cfg.Store,
		log:    cfg.Log,
		runner: cfg.Runner,
		watch:  cfg.Watch,
		now:    cfg.Now,
		public: allowlist{networks: cfg.Networks}.client(cfg.Resolver),
		inside: allowlist{networks: cfg.Networks, only: true}.client(cfg.Resolver),
		busy:   map[webhook.Due]bool{},
	}
}

// Run delivers until ctx ends, then waits for the attempts that have begun.
func (d *Deliverer) Run(ctx context.Context) {
	ctx = store.For(ctx, store.Background)
	defer d.work.Wait()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	var counted, forgotten time.Time
	for {
		d.runner.Run(ctx, background.Unit{Work: "look for webhooks to deliver"}, func() error { return d.Begin(ctx) })
		if now := d.now(); now.Sub(counted) > countEvery {
			counted = now
			d.Count(ctx)
		}
		if now := d.now(); now.Sub(forgotten) > forgetEvery {
			forgotten = now
			d.Forget(ctx, now)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Finish delivers all that is due now, and waits for that.
func (d *Deliverer) Finish(ctx context.Context) error {
	err := d.Begin(ctx)
	d.work.Wait()
	return err
}

// Begin starts to work on each endpoint that has deliveries due and is not worked on yet.
func (d *Deliverer) Begin(ctx context.Context) error {
	due, err := webhook.AllDue(ctx, d.store, d.now())
	if err != nil {
		return err
	}
	for _, endpoint := range due {
		if d.lock(endpoint) {
			d.work.Go(func() {
				defer d.unlock(endpoint)
				d.runner.Run(ctx, background.Unit{Work: "deliver webhooks", Of: endpoint.EndpointID}, func() error {
					return d.serve(store.WithAccount(ctx, endpoint.AccountID), endpoint.EndpointID)
				})
			})
		}
	}
	return nil
}

func (d *Deliverer) lock(endpoint webhook.Due) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	locked := d.busy[endpoint]
	d.busy[endpoint] = true
	return !locked
}

func (d *Deliverer) unlock(endpoint webhook.Due) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.busy, endpoint)
}

// serve sends what is due to an endpoint, in order, and mostAttempts at a time.
func (d *Deliverer) serve(ctx context.Context, endpointID string) (err error) {
	var attempts sync.WaitGroup
	panicked := make(chan error, mostAttempts) // room for one of each attempt under way
	defer func() {
		attempts.Wait()
		if err == nil && len(panicked) > 0 {
			err = <-panicked
		}
	}()
	room := make(chan struct{}, mostAttempts)
	for len(panicked) == 0 {
		select {
		case <-ctx.Done():
			return nil
		case room <- struct{}{}:
		}
		var sending webhook.Sending
		found := false
		err := d.store.Update(ctx, func(tx *store.Tx) (err error) {
			sending, found, err = webhook.Claim(tx, endpointID, d.now())
			return err
		})
		if err != nil || !found {
			return err
		}
		attempts.Go(func() {
			defer func() { <-room }()
			err := fault.Recovered(func() error { return d.attempt(ctx, sending) })
			if p := (*fault.Panic)(nil); errors.As(err, &p) {
				panicked <- err // the claim ends by itself
			} else if err != nil {
				d.runner.LogError(ctx, "deliver to "+endpointID, err)
			}
		})
	}
	return nil
}

// attempt makes one request and records its outcome, also while the server is ending.
func (d *Deliverer) attempt(ctx context.Context, sending webhook.Sending) error {
	ctx = context.WithoutCancel(ctx)
	answer := d.send(ctx, sending)
	var recorded webhook.Recorded
	var err error
	for range recordTries {
		err = d.store.Update(ctx, func(tx *store.Tx) (err error) {
			recorded, err = webhook.Record(tx, sending, answer)
			return err
		})
		if !errors.Is(err, store.ErrBusy) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("record an attempt at %s: %w", sending.Delivery.ID, err)
	}
	switch {
	case answer.Error == nil:
		d.watch.Attempted("delivered")
	case recorded.Status == webhook.StatusFailed:
		d.watch.Attempted("failed")
	case recorded.Status == webhook.StatusPending:
		d.watch.Attempted("retried")
	}
	if recorded.Disabled {
		d.log.Warn("a webhook endpoint is disabled", "endpoint", sending.Endpoint.ID, "status", *answer.Status)
	}
	return nil
}

// send asks the receiver to take the message.
func (d *Deliverer) send(ctx context.Context, sending webhook.Sending) (answer webhook.Answer) {
	answer.At = d.now().UTC().Truncate(time.Microsecond)
	fail := func(reason string) webhook.Answer {
		answer.Error = &reason
		return answer
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, sending.Endpoint.URL, strings.NewReader(sending.Body))
	if err != nil {
		return fail("the URL cannot be called")
	}
	timestamp := formatTimestamp(answer.At)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Tollkeeper")
	request.Header.Set(timestampHeader, timestamp)
	request.Header.Set(signatureHeader, Signature(sending.Endpoint.Secret, timestamp, sending.Body))
	client := d.public
	if request.URL.Scheme == "http" && !sending.Test {
		client = d.inside
	}
	response, err := client.Do(request)
	if err != nil {
		return fail(failureReason(err))
	}
	_, _ = io.CopyN(io.Discard, response.Body, readBytes) // so that the connection can be used again
	_ = response.Body.Close()
	answer.Status = &response.StatusCode
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return answer
	}
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
		answer.RetryAfter = retryAfter(response.Header.Get("Retry-After"), answer.At)
	}
	return fail(fmt.Sprintf("answered %d", response.StatusCode))
}

// failureReason says why there was no answer. It discloses nothing about the receiver's network, nor about
// this server's: a name that resolves to an address that is not public gets the same reason as an unknown name.
func failureReason(err error) string {
	var unknown *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer within " + answerWithin.String()
	case errors.Is(err, errUnreachable), errors.As(err, &unknown):
		return errUnreachable.Error()
	}
	return "no connection, or it was lost"
}

// retryAfter reads for how long a receiver asks not to be called: seconds, or until a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return at.Sub(now)
	}
	return 0
}

// Count counts what is still to be sent, also by other servers.
func (d *Deliverer) Count(ctx context.Context) {
	d.runner.Run(ctx, background.Unit{Work: "count webhooks"}, func() error {
		backlog, err := webhook.CountBacklog(ctx, d.store)
		if err == nil {
			d.watch.Waiting(backlog)
		}
		return err
	})
}

// Forget deletes messages that are old at an instant of real time.
func (d *Deliverer) Forget(ctx context.Context, now time.Time) {
	d.runner.Run(ctx, background.Unit{Work: "forget old webhooks"}, func() error {
		for more := true; more && ctx.Err() == nil; {
			err := d.store.Shared(ctx, func(db *gorm.DB) (err error) {
				more, err = webhook.Forget(db, now)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
