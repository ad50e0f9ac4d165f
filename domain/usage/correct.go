package usage

import (
	"slices"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// correctionWindow is the time in which the corrections of a customer's events are
// counted together, each kind by itself (semantics 2.5.3).
const correctionWindow = 100 * 24 * time.Hour

// Amend gives an event another name and other properties. Its timestamp and customer
// must be those it has; the customer may be named by id or by alias.
func Amend(tx *store.Tx, key string, to event.Inline) error {
	next, err := to.Read()
	if err != nil {
		return err
	}
	e, err := event.Lock(tx, key)
	if err != nil {
		return err
	}
	if e.Deprecated {
		return fault.Refused("a deprecated event cannot be amended")
	}
	buyer, err := lockCustomer(tx, e)
	if err != nil {
		return err
	}
	if err := stays(e, buyer, to, next); err != nil {
		return err
	}
	if err := correctable(tx, e, event.CorrectionAmended, buyer); err != nil {
		return err
	}
	if err := remember(tx, e); err != nil {
		return err
	}
	if err := e.Amend(tx, buyer.ID, next); err != nil {
		return err
	}
	return Invalidate(tx, e.Subject, e.Timestamp)
}

// Deprecate takes an event out of the count, for ever. An event that was taken out
// before stays as it is.
func Deprecate(tx *store.Tx, key string) error {
	e, err := event.Lock(tx, key)
	if err != nil || e.Deprecated {
		return err
	}
	buyer, err := lockCustomer(tx, e)
	if err != nil {
		return err
	}
	if err := correctable(tx, e, event.CorrectionDeprecated, buyer); err != nil {
		return err
	}
	if err := e.Deprecate(tx, buyer.ID); err != nil {
		return err
	}
	return Invalidate(tx, e.Subject, e.Timestamp)
}

// lockCustomer returns the customer that the event names, and has the corrections of
// that customer's events wait for each other, since they are limited together.
func lockCustomer(tx *store.Tx, e event.Stored) (buyer customer.Customer, err error) {
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

// stays refuses another timestamp and another customer than the event has. What was
// sent reads as next.
func stays(e event.Stored, buyer customer.Customer, sent event.Inline, next event.Event) error {
	var timestampErr, customerErr error
	if !next.Timestamp.Equal(e.Timestamp) {
		timestampErr = fault.Bad("timestamp", "must be that of the event")
	}
	if !slices.Contains(event.Subjects(buyer.ID, buyer.ExternalCustomerID), next.Subject) {
		field := "external_customer_id"
		if sent.CustomerID != nil {
			field = "customer_id"
		}
		customerErr = fault.Bad(field, "must name the customer of the event")
	}
	return fault.Join(customerErr, timestampErr)
}

// correctable refuses an event that may not be changed (semantics 2.5.3).
func correctable(tx *store.Tx, e event.Stored, kind event.CorrectionKind, buyer customer.Customer) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	if err := inOpenPeriod(tx, e, buyer, settings.GracePeriod()); err != nil {
		return err
	}
	made, err := event.CountCorrections(tx, kind, buyer.ID, tx.Now.Add(-correctionWindow))
	if err != nil {
		return err
	}
	if made >= int64(settings.CorrectionsPerCustomer) {
		return fault.Refused("at most %d events of a customer can be %s in 100 days; use a backfill", settings.CorrectionsPerCustomer, kind)
	}
	return nil
}

// inOpenPeriod refuses an event that is in no billing period of a subscription of the
// customer, or of its parent, which has begun and whose grace period is not over.
func inOpenPeriod(tx *store.Tx, e event.Stored, buyer customer.Customer, grace time.Duration) error {
	all, err := subscription.OfCustomer(tx, buyer.ID)
	if err != nil {
		return err
	}
	if buyer.ParentID != nil {
		above, err := subscription.OfCustomer(tx, *buyer.ParentID)
		if err != nil {
			return err
		}
		all = append(all, slices.DeleteFunc(above, func(t subscription.Terms) bool { return !t.Counts(buyer.ID) })...)
	}
	for _, t := range all {
		billed, ok := t.BillingPeriod(e.Timestamp)
		if ok && !tx.Now.Before(billed.Start) && tx.Now.Before(billed.End.Add(grace)) {
			return nil
		}
	}
	return fault.Refused("the event is neither in the current billing period of its customer's subscription nor in one whose grace period still runs")
}
