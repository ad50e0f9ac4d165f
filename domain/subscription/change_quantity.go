package subscription

import (
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// QuantityOption says when a fixed fee gets another quantity.
type QuantityOption string

// The options, as the wire spells them.
const (
	QuantityImmediate QuantityOption = "immediate"
	QuantityUpcoming  QuantityOption = "upcoming_invoice"
	QuantityDated     QuantityOption = "effective_date"
)

// NewQuantity is what a client asks for.
type NewQuantity struct {
	PriceID  string
	Quantity money.Decimal
	Option   QuantityOption // "": immediate, or with a date on that
	Date     *period.Date   // local; with QuantityDated only
}

// Place is when and to which interval of the price the change comes: now, at the local
// midnight of its date, or where the next cycle of its invoices begins. It may not reach
// back behind the current cycle.
func (in NewQuantity) Place(t Terms, now time.Time) (PriceInterval, time.Time, error) {
	if in.Option == "" {
		in.Option = QuantityImmediate
		if in.Date != nil {
			in.Option = QuantityDated
		}
	}
	if err := in.check(); err != nil {
		return PriceInterval{}, now, err
	}
	if t.Status(now) == StatusEnded {
		return PriceInterval{}, now, fault.Refused("the subscription has ended")
	}
	at := now
	if in.Option == QuantityDated {
		at = in.Date.In(t.Customer.Location())
	}
	i, err := t.fee(in.PriceID, at)
	if err == nil && i.Price.Allocation != nil {
		err = fault.Refused("the quantity of an allocation price is what it grants, and cannot change")
	}
	if err != nil {
		return i, at, err
	}
	if in.Option == QuantityUpcoming {
		if _, part := t.cycleOf(i, i.Price.InvoicingLength(), now); part.End.After(i.StartAt) {
			at = part.End
		}
	}
	if at.Before(i.StartAt) && in.Option != QuantityDated {
		at = i.StartAt
	}
	current, running := t.PeriodOf(i, now)
	switch {
	case i.EndAt != nil && !at.Before(*i.EndAt):
		return i, at, fault.Refused("the price ends before it would get another quantity")
	case at.Before(i.StartAt):
		return i, at, fault.Bad("effective_date", "must not be before the start of the price")
	case running && at.Before(current.Start):
		return i, at, fault.Bad("effective_date", "must not be before the current billing period of the price")
	}
	for _, change := range i.Transitions {
		if change.Reached(now) && shown(change.EffectiveAt).After(at) && !change.Resumes {
			return i, at, fault.Bad("effective_date", "must not be before a change of the quantity that has taken effect")
		}
	}
	return i, at, nil
}

func (in NewQuantity) check() error {
	var quantityErr, dateErr error
	if in.Quantity.Sign() < 0 {
		quantityErr = fault.Bad("quantity", "must not be negative")
	}
	switch dated := in.Option == QuantityDated; {
	case dated && in.Date == nil:
		dateErr = fault.Bad("effective_date", "is required with change_option %s", QuantityDated)
	case !dated && in.Date != nil:
		dateErr = fault.Bad("effective_date", "must not be given unless change_option is %s", QuantityDated)
	}
	return fault.Join(quantityErr, dateErr)
}

// fee is the interval in which a fixed fee is in force at an instant, else the next one,
// else the last one.
func (t Terms) fee(priceID string, at time.Time) (found PriceInterval, err error) {
	for _, i := range t.Intervals {
		if i.PriceID != priceID {
			continue
		}
		if !i.Price.Fixed() {
			return i, fault.Bad("price_id", "must be a fixed fee")
		}
		if found.ID == "" || found.EndAt != nil && !at.Before(*found.EndAt) {
			found = i
		}
	}
	if found.ID == "" {
		err = fault.NotPartOf("price_id", "must be a price of the subscription")
	}
	return found, err
}

// ChangeQuantity gives a fixed fee another quantity from an instant on. A change of that
// very instant that lies ahead gives way.
func ChangeQuantity(tx *store.Tx, i PriceInterval, quantity money.Decimal, at time.Time) error {
	err := tx.Where("interval_id = ? AND effective_at = ?", i.ID, at).Delete(&Transition{}).Error
	if err != nil {
		return err
	}
	return tx.Create(&Transition{Record: tx.Record("qty"), IntervalID: i.ID, EffectiveAt: at, Quantity: &quantity}).Error
}

// UnscheduleQuantities takes back the changes of a fixed fee's quantity that lie ahead.
func UnscheduleQuantities(tx *store.Tx, t Terms, priceID string) error {
	if _, err := t.fee(priceID, tx.Now); err != nil {
		return err
	}
	var ids []string
	for _, i := range t.Intervals {
		for _, change := range i.Transitions {
			if i.PriceID == priceID && !change.Resumes && !change.Reached(tx.Now) {
				ids = append(ids, change.ID)
			}
		}
	}
	if len(ids) == 0 {
		return fault.Refused("no change of the quantity lies ahead")
	}
	return tx.Where("id IN ?", ids).Delete(&Transition{}).Error
}

// Spell is a time for which a fixed fee has one quantity.
type Spell struct {
	Quantity money.Decimal
	Start    time.Time
	End      *time.Time // exclusive; nil: open
}

// Spells are the quantities of a fixed fee, by time.
func (i PriceInterval) Spells() []Spell {
	spells := []Spell{{Quantity: i.QuantityAt(i.StartAt), Start: i.StartAt, End: i.EndAt}}
	for _, change := range i.Changes() {
		at, last := shown(change.EffectiveAt), &spells[len(spells)-1]
		switch {
		case i.EndAt != nil && !at.Before(*i.EndAt):
		case !at.After(last.Start):
			last.Quantity = *change.Quantity
		case !change.Quantity.Equal(last.Quantity):
			last.End = &at
			spells = append(spells, Spell{Quantity: *change.Quantity, Start: at, End: i.EndAt})
		}
	}
	return spells
}

// Changes are the transitions that change the quantity, with instants as they are shown.
func (i PriceInterval) Changes() (changes []Transition) {
	for _, change := range i.Transitions {
		if !change.Resumes {
			change.EffectiveAt = shown(change.EffectiveAt)
			changes = append(changes, change)
		}
	}
	return changes
}

// Reached reports whether the change has taken effect by now.
func (c Transition) Reached(now time.Time) bool { return !shown(c.EffectiveAt).After(now) }

// shown is an instant without the microseconds by which changes follow each other that
// were made at one.
func shown(at time.Time) time.Time { return at.Truncate(time.Millisecond) }
