package backfill

import (
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewBackfill is what a client asks for.
type NewBackfill struct {
	CustomerID         *string // whose events: at most one of the two; neither: everybody's
	ExternalCustomerID *string
	TimeframeStart     time.Time  // inclusive
	TimeframeEnd       time.Time  // exclusive
	CloseTime          *time.Time // nil: a day from now
	Replaces           bool
	DeprecationFilter  *string // nil: all existing events are replaced
}

// openFor is how long a backfill stays open unless the client says otherwise.
const openFor = 24 * time.Hour

// Create opens a backfill. It is refused while another one is at work on what it is
// about (semantics 3.1.4).
func Create(tx *store.Tx, in NewBackfill) (Backfill, error) {
	if err := in.check(tx.Now); err != nil {
		return Backfill{}, err
	}
	settings, err := account.InTurn(tx)
	if err != nil {
		return Backfill{}, err
	}
	if longest := settings.BackfillLength(); in.TimeframeEnd.Sub(in.TimeframeStart) > longest {
		return Backfill{}, fault.Refused("the timeframe of a backfill must not be longer than %s", longest)
	}
	if err := event.RefuseDropped(tx, period.Period{Start: in.TimeframeStart, End: in.TimeframeEnd}); err != nil {
		return Backfill{}, err
	}
	b := Backfill{
		Record:            tx.Record("backfill"),
		TimeframeStart:    in.TimeframeStart,
		TimeframeEnd:      in.TimeframeEnd,
		Replaces:          in.Replaces,
		DeprecationFilter: in.DeprecationFilter,
		CloseTime:         tx.Now.Add(openFor),
		Status:            StatusPending,
	}
	if in.CloseTime != nil {
		b.CloseTime = *in.CloseTime
	}
	if b.CustomerID, err = in.customer(tx); err != nil {
		return Backfill{}, err
	}
	return b, apart(tx.Create(&b).Error)
}

// check judges the request by itself.
func (in NewBackfill) check(now time.Time) error {
	var faults []error
	refuse := func(field, reason string, args ...any) { faults = append(faults, fault.Bad(field, reason, args...)) }
	if !in.TimeframeStart.Before(in.TimeframeEnd) {
		refuse("timeframe_end", "must be after timeframe_start")
	}
	if in.CloseTime != nil && in.CloseTime.Before(now) {
		refuse("close_time", "must not be in the past")
	}
	if in.CustomerID != nil && in.ExternalCustomerID != nil {
		refuse("customer_id", "must not be given together with external_customer_id")
	}
	if in.DeprecationFilter != nil {
		if !in.Replaces {
			refuse("deprecation_filter", "goes with replace_existing_events only")
		} else if _, err := metric.ParseCondition(*in.DeprecationFilter); err != nil {
			refuse("deprecation_filter", "%v", err)
		}
	}
	return fault.Join(faults...)
}

// customer is the id of whom it is about, nil for all.
func (in NewBackfill) customer(tx *store.Tx) (*string, error) {
	var of customer.Customer
	var err error
	switch {
	case in.CustomerID != nil:
		of, err = customer.Find(tx, *in.CustomerID)
	case in.ExternalCustomerID != nil:
		of, err = customer.FindByExternalID(tx, *in.ExternalCustomerID)
	default:
		return nil, nil
	}
	return &of.ID, err
}

// apart turns the database's refusal of an overlap into a fault.
func apart(err error) error {
	if store.Excluded(err, "backfills_overlap") {
		return fault.Refused("another backfill of overlapping timeframe and scope is at work")
	}
	return err
}
