package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/webhook"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

const (
	deliverWithin = 5 * time.Second        // for a receiver to answer (semantics 13.1.2)
	lookPause     = 250 * time.Millisecond // between looks for what is due
	atOnce        = 8                      // attempts at one endpoint
	forgetEvery   = 10 * time.Minute
)

// Deliveries send what was announced. Each endpoint that has something due is worked on by
// itself, so that none waits for another. Several servers may run them at once.
type Deliveries struct {
	server *Server
	now    func() time.Time // real time
	open   *http.Client     // calls whatever is within reach
	inside *http.Client     // calls nothing but the networks of the operator

	mu   sync.Mutex
	busy map[webhook.Due]bool // endpoints that are worked on here
	work sync.WaitGroup
}

// DeliveryConfig is what deliveries need beside the server. The zero value is that of a
// server in earnest.
type DeliveryConfig struct {
	Now      func() time.Time // the real time by which attempts are made; time.Now when nil
	Resolver *net.Resolver    // of receivers' names; the system's when nil
}

// Deliveries makes deliveries of the server's messages.
func (s *Server) Deliveries(cfg DeliveryConfig) *Deliveries {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Deliveries{
		server: s,
		now:    cfg.Now,
		open:   reach{networks: s.networks}.client(cfg.Resolver),
		inside: reach{networks: s.networks, only: true}.client(cfg.Resolver),
		busy:   map[webhook.Due]bool{},
	}
}

// Run delivers until ctx ends, then lets attempts that are under way come to their end.
func (d *Deliveries) Run(ctx context.Context) {
	defer d.work.Wait()
	ticker := time.NewTicker(lookPause)
	defer ticker.Stop()
	var forgotten time.Time
	for {
		d.server.runner.Run(ctx, background.Unit{Work: "look for webhooks to deliver"}, func() error { return d.Begin(ctx) })
		if now := d.now(); now.Sub(forgotten) > forgetEvery {
			forgotten = now
			d.forget(ctx, now)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Finish does all that is due by now, and waits for it.
func (d *Deliveries) Finish(ctx context.Context) error {
	err := d.Begin(ctx)
	d.work.Wait()
	return err
}

// Begin starts to work on each endpoint that has something due and is not worked on yet.
func (d *Deliveries) Begin(ctx context.Context) error {
	due, err := webhook.AllDue(ctx, d.server.store, d.now())
	if err != nil {
		return err
	}
	for _, endpoint := range due {
		if d.take(endpoint) {
			d.work.Go(func() {
				defer d.leave(endpoint)
				d.server.runner.Run(ctx, background.Unit{Work: "deliver webhooks", Of: endpoint.EndpointID}, func() error {
					return d.serve(store.WithAccount(ctx, endpoint.AccountID), endpoint.EndpointID)
				})
			})
		}
	}
	return nil
}

func (d *Deliveries) take(endpoint webhook.Due) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	taken := d.busy[endpoint]
	d.busy[endpoint] = true
	return !taken
}

func (d *Deliveries) leave(endpoint webhook.Due) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.busy, endpoint)
}

// serve sends what is due to an endpoint, in order, and no more than a few at a time.
func (d *Deliveries) serve(ctx context.Context, endpointID string) (err error) {
	var attempts sync.WaitGroup
	panicked := make(chan error, atOnce) // room for one of each attempt under way
	defer func() {
		attempts.Wait()
		if err == nil && len(panicked) > 0 {
			err = <-panicked
		}
	}()
	room := make(chan struct{}, atOnce)
	for len(panicked) == 0 {
		select {
		case <-ctx.Done():
			return nil
		case room <- struct{}{}:
		}
		var sending webhook.Sending
		found := false
		err := d.server.store.Update(ctx, func(tx *store.Tx) (err error) {
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
				d.server.runner.LogError(ctx, "deliver to "+endpointID, err)
			}
		})
	}
	return nil
}

// attempt makes one request and records what came of it, also when the server is ending.
func (d *Deliveries) attempt(ctx context.Context, sending webhook.Sending) error {
	ctx = context.WithoutCancel(ctx)
	answer := d.send(ctx, sending)
	disabled := false
	err := d.server.store.Update(ctx, func(tx *store.Tx) (err error) {
		disabled, err = webhook.Record(tx, sending, answer)
		return err
	})
	if err != nil {
		return fmt.Errorf("record an attempt at %s: %w", sending.Delivery.ID, err)
	}
	if disabled {
		d.server.log.Warn("a webhook endpoint is disabled", "endpoint", sending.Endpoint.ID, "status", *answer.Status)
	}
	return nil
}

// send asks the receiver to take the message.
func (d *Deliveries) send(ctx context.Context, sending webhook.Sending) (answer webhook.Answer) {
	answer.At = d.now().UTC().Truncate(time.Microsecond)
	fail := func(reason string) webhook.Answer {
		answer.Error = &reason
		return answer
	}
	ctx, cancel := context.WithTimeout(ctx, deliverWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, sending.Endpoint.URL, strings.NewReader(sending.Body))
	if err != nil {
		return fail("the URL cannot be called")
	}
	timestamp := timestampToWire(answer.At)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Tollkeeper")
	request.Header.Set(timestampHeader, timestamp)
	request.Header.Set(signatureHeader, signature(sending.Endpoint.Secret, timestamp, sending.Body))
	client := d.open
	if request.URL.Scheme == "http" && !sending.Test {
		client = d.inside
	}
	response, err := client.Do(request)
	if err != nil {
		return fail(whyNot(err))
	}
	_, _ = io.CopyN(io.Discard, response.Body, answerHead) // so that the connection can be used again
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

// whyNot says why there was no answer, and nothing of what lies behind a receiver.
func whyNot(err error) string {
	var unknown *net.DNSError
	switch {
	case errors.Is(err, errUnreachable):
		return errUnreachable.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer within " + deliverWithin.String()
	case errors.As(err, &unknown):
		return "the name cannot be resolved"
	}
	return "no connection, or it was lost"
}

// retryAfter reads how long a receiver wants to be left alone: seconds, or until a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return at.Sub(now)
	}
	return 0
}

// forget deletes messages that are old.
func (d *Deliveries) forget(ctx context.Context, now time.Time) {
	d.server.runner.Run(ctx, background.Unit{Work: "forget old webhooks"}, func() error {
		for more := true; more && ctx.Err() == nil; {
			err := d.server.store.Shared(ctx, func(db *gorm.DB) (err error) {
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
