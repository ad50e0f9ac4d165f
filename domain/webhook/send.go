package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// Lease is how long a server has for an attempt. One that died is taken over then.
const Lease = time.Minute

// Due is an endpoint of an account that has something to be sent.
type Due struct{ AccountID, EndpointID string }

// AllDue returns the endpoints of all accounts that have something to be sent by now,
// which is real time.
func AllDue(ctx context.Context, st *store.Store, now time.Time) (due []Due, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT account_id, endpoint_id FROM webhooks_due(?)", now).Scan(&due).Error
	})
	return due, err
}

// Sending is an attempt that one server makes, and no other meanwhile.
type Sending struct {
	Delivery Delivery
	Endpoint Endpoint // as it is now
	Body     string
	Test     bool // of a test account
}

// Claim takes the delivery to an endpoint that has been due longest, first attempts in
// the order in which their messages were written. Found is false when there is none, or
// others are at work on all.
func Claim(tx *store.Tx, endpointID string, now time.Time) (s Sending, found bool, err error) {
	s.Endpoint, err = findEndpoint(tx.Where("enabled"), endpointID)
	if err != nil {
		return s, false, ignoreMissing(err)
	}
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
		Where("endpoint_id = ? AND status = ? AND next_attempt_at <= ?", endpointID, StatusPending, now).
		Where("claimed_until IS NULL OR claimed_until <= ?", now).
		Order("next_attempt_at, seq").Take(&s.Delivery).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("claim a delivery: %w", err)
	}
	until := now.Add(Lease).Truncate(time.Microsecond)
	s.Delivery.ClaimedUntil = &until
	if err := s.Delivery.save(tx, "claimed_until"); err != nil {
		return s, false, err
	}
	settings, err := account.Of(tx)
	if err != nil {
		return s, false, err
	}
	s.Test = settings.Test()
	bodies, err := Bodies(tx, []Delivery{s.Delivery})
	s.Body = bodies[s.Delivery.MessageID]
	return s, true, err
}

func (d *Delivery) save(tx *store.Tx, columns ...string) error {
	return tx.Model(d).Select(columns).Updates(d).Error
}

// Answer is what came of an attempt.
type Answer struct {
	Attempt
	RetryAfter time.Duration // what the endpoint asked for; 0: nothing
}

const gone = 410 // the status of HTTP by which an endpoint ends itself

// Recorded is what an attempt led to.
type Recorded struct {
	Status   Status // of the delivery now; "" when it is there no longer
	Disabled bool   // since this answer the endpoint is sent nothing more
}

// Record puts what came of an attempt on record, and plans the next one if that failed.
func Record(tx *store.Tx, s Sending, answer Answer) (r Recorded, err error) {
	d, err := findDelivery(tx.Clauses(clause.Locking{Strength: "UPDATE"}), s.Delivery.ID)
	if err != nil {
		return Recorded{}, ignoreMissing(err) // the endpoint was removed
	}
	d.Attempts = append(d.Attempts, answer.Attempt)
	d.LastAttemptAt, d.LastStatus = &answer.At, answer.Status
	d.Tries++
	mine := d.ClaimedUntil != nil && d.ClaimedUntil.Equal(*s.Delivery.ClaimedUntil)
	switch {
	case answer.Error == nil:
		d.Status, d.NextAttemptAt, d.ClaimedUntil = StatusDelivered, nil, nil
	case !mine || d.Status != StatusPending:
		// It took too long, and another server is at it or has done it.
	default:
		d.ClaimedUntil = nil
		if err := d.reschedule(tx, answer); err != nil {
			return Recorded{}, err
		}
	}
	r.Status = d.Status
	err = d.save(tx, "attempts", "tries", "last_attempt_at", "last_status", "status", "next_attempt_at", "claimed_until")
	if err != nil || answer.Status == nil {
		return r, err
	}
	switch {
	case *answer.Status == gone:
		r.Disabled, err = disable(tx, d.EndpointID)
	case *answer.Status >= 500:
		r.Disabled, err = disableHopeless(tx, d.EndpointID, answer.At)
	}
	return r, err
}

// reschedule plans the next attempt after one that failed.
func (d *Delivery) reschedule(tx *store.Tx, failed Answer) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	wait, again := after(settings.WebhookWaits(), d.Tries, failed.RetryAfter)
	if !again || failed.Status != nil && *failed.Status == gone {
		d.Status, d.NextAttemptAt = StatusFailed, nil
		return nil
	}
	next := failed.At.Add(wait)
	d.NextAttemptAt = &next
	return nil
}
