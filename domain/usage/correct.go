package usage

import (
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Correction is what an event was before it was changed.
type Correction struct {
	store.Record
	Kind           CorrectionKind
	IdempotencyKey string
	EventSeq       int64
	CustomerID     string // against whose limit it counts
	EventName      string // as it was
	Properties     string // likewise, as JSON
}

// TableName is what the table of corrections is called.
func (Correction) TableName() string { return "event_corrections" }

// CorrectionKind is what was done to an event.
type CorrectionKind string

// The ways to correct an event.
const (
	CorrectionAmended    CorrectionKind = "amended"
	CorrectionDeprecated CorrectionKind = "deprecated"
)

// correctionWindow is the time in which the corrections of a customer's events are
// counted together, each kind by itself (semantics 2.5.3).
const correctionWindow = 100 * 24 * time.Hour

// Amend gives an event another name and other properties. Its timestamp and customer
// must be those it has; the customer may be named by id or by alias.
func Amend(tx *store.Tx, key string, to SentEvent) error {
	next, err := to.read()
	if err != nil {
		return err
	}
	event, err := lockStored(tx, key)
	if err != nil {
		return err
	}
	if event.Deprecated {
		return fault.Refused("a deprecated event cannot be amended")
	}
	buyer, err := event.lockCustomer(tx)
	if err != nil {
		return err
	}
	if err := event.staysWith(buyer, next); err != nil {
		return err
	}
	if err := event.correct(tx, CorrectionAmended, buyer); err != nil {
		return err
	}
	return event.update(tx, "event_name = ?, properties = ?::jsonb", next.Name, next.Properties)
}

// Deprecate takes an event out of the count, for ever. An event that was taken out
// before stays as it is.
func Deprecate(tx *store.Tx, key string) error {
	event, err := lockStored(tx, key)
	if err != nil || event.Deprecated {
		return err
	}
	buyer, err := event.lockCustomer(tx)
	if err != nil {
		return err
	}
	if err := event.correct(tx, CorrectionDeprecated, buyer); err != nil {
		return err
	}
	return event.update(tx, "deprecated = true")
}

// lockCustomer returns the customer that the event names, and has the corrections of
// that customer's events wait for each other, since they are limited together.
func (e Stored) lockCustomer(tx *store.Tx) (buyer customer.Customer, err error) {
	id, alias := e.Reference()
	if alias != nil {
		buyer, err = customer.FindByExternalID(tx, *alias)
		id = &buyer.ID
	}
	if err == nil {
		buyer, err = customer.Lock(tx, *id)
	}
	if fault.Is(err, fault.KindMissing) {
		err = fault.Refused("the customer of the event does not exist")
	}
	return buyer, err
}

// staysWith refuses another timestamp and another customer.
func (e Stored) staysWith(buyer customer.Customer, next Event) error {
	var timestampErr, customerErr error
	if !next.Timestamp.Equal(e.Timestamp) {
		timestampErr = fault.Bad("timestamp", "must be that of the event")
	}
	if !slices.Contains(Subjects(buyer.ID, buyer.ExternalCustomerID), next.Subject) {
		field := "external_customer_id"
		if next.customerID != "" {
			field = "customer_id"
		}
		customerErr = fault.Bad(field, "must name the customer of the event")
	}
	return fault.Join(customerErr, timestampErr)
}

// correct keeps what the event is, if it may be changed (semantics 2.5.3).
func (e Stored) correct(tx *store.Tx, kind CorrectionKind, buyer customer.Customer) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	if err := e.inOpenPeriod(tx, buyer, settings.GracePeriod()); err != nil {
		return err
	}
	var made int64
	err = tx.Model(&Correction{}).
		Where("kind = ? AND customer_id = ? AND created_at > ?", kind, buyer.ID, tx.Now.Add(-correctionWindow)).Count(&made).Error
	if err != nil {
		return fmt.Errorf("count corrections: %w", err)
	}
	if made >= int64(settings.CorrectionsPerCustomer) {
		return fault.Refused("at most %d events of a customer can be %s in 100 days; use a backfill", settings.CorrectionsPerCustomer, kind)
	}
	return tx.Create(&Correction{
		Record: tx.Record("correction"), Kind: kind, IdempotencyKey: e.Key, EventSeq: e.seq, CustomerID: buyer.ID,
		EventName: e.Name, Properties: e.Properties,
	}).Error
}

// inOpenPeriod refuses an event that is in no billing period of the customer's
// subscriptions which has begun and whose grace period is not over.
func (e Stored) inOpenPeriod(tx *store.Tx, buyer customer.Customer, grace time.Duration) error {
	all, err := subscription.OfCustomer(tx, buyer.ID)
	if err != nil {
		return err
	}
	for _, t := range all {
		billed, ok := t.BillingPeriod(e.Timestamp)
		if ok && !tx.Now.Before(billed.Start) && tx.Now.Before(billed.End.Add(grace)) {
			return nil
		}
	}
	return fault.Refused("the event is neither in the current billing period of its customer's subscription nor in one whose grace period still runs")
}

// update changes the row in place, and what was kept of its hour with it.
func (e Stored) update(tx *store.Tx, set string, args ...any) error {
	args = append(args, tx.AccountID, e.seq, e.Timestamp)
	err := tx.Exec("UPDATE events SET "+set+` WHERE account_id = ? AND seq = ? AND "timestamp" = ?`, args...).Error
	if err != nil {
		return fmt.Errorf("change an event: %w", err)
	}
	return Reopen(tx, e.Subject, e.Timestamp)
}
