package alerting

import (
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/alert"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NextEvaluation returns the earliest instant, at or before by, at which a subscription is to be
// looked at for its alerts.
func NextEvaluation(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return alert.NextDue(tx, by)
}

// EvaluateNext looks at the subscription or the balances that were to be looked at first, and
// when there are none at which events came in since. It reports false when there is nothing
// to do, or other servers are doing it.
func EvaluateNext(tx *store.Tx) (more bool, err error) {
	due, found, err := alert.TakeDue(tx)
	switch {
	case err != nil:
		return false, err
	case !found:
		return alert.ScanNewEvents(tx)
	case due.CustomerID != nil:
		return true, billing.BurnDown(tx, *due.CustomerID) // which tells alerts of what moves
	}
	terms, err := subscription.Lock(tx, *due.SubscriptionID) // so it does not change from one reading to the next
	if fault.Is(err, fault.KindMissing) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return true, evaluate(tx, terms)
}

// retryAfter is when a subscription is looked at again whose usage could not be read.
const retryAfter = 10 * time.Minute

// evaluate compares the costs of a subscription with its alerts, and says when to do so again
// if no request changes it. A metric that takes too long holds up neither other subscriptions
// nor the account's invoices.
func evaluate(tx *store.Tx, t subscription.Terms) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	err = tx.Try(func(tx *store.Tx) error {
		for _, p := range open(t, tx.Now, settings.GracePeriod()) {
			if err := evaluateAt(tx, t, p); err != nil {
				return err
			}
		}
		return nil
	})
	if fault.Is(err, fault.KindRefused) {
		return alert.RescheduleAt(tx, t.ID, tx.Now.Add(retryAfter))
	}
	if err != nil {
		return err
	}
	if turn, more := nextTurn(t, tx.Now); more {
		return alert.RescheduleAt(tx, t.ID, turn)
	}
	return nil
}

// evaluateAt compares the costs of one billing period with the alerts that are on.
func evaluateAt(tx *store.Tx, t subscription.Terms, in period.Period) error {
	alerts, err := alert.On(tx, t.ID, latest(t, in, tx.Now))
	if err != nil {
		return err
	}
	for _, a := range alerts {
		if a.Type == alert.LicenseReached {
			if err := evaluateLicenses(tx, t, in, a); err != nil {
				return err
			}
			continue
		}
		readings, err := read(tx, t, in, a)
		if err != nil {
			return err
		}
		if len(readings) > alert.MostGroups {
			if err := a.DisableForGroups(tx, t.ID, len(readings)); err != nil {
				return err
			}
			continue
		}
		if err := a.Fire(tx, t.ID, in, readings); err != nil {
			return err
		}
	}
	return nil
}

// latest is the plan interval that a period ends in, or that it has reached by now.
func latest(t subscription.Terms, in period.Period, now time.Time) subscription.PlanInterval {
	if now.Before(in.End) {
		return t.PlanInterval(now)
	}
	return t.PlanInterval(in.End.Add(-time.Microsecond))
}

// open are the billing periods for which events may still come in: the one of now, and
// those that have ended less than the grace period ago (semantics 12.2.5). What a
// subscription costs on another plan is counted from zero.
func open(t subscription.Terms, now time.Time, grace time.Duration) (periods []period.Period) {
	at := now
	if t.Status(now) == subscription.StatusEnded {
		at = t.EndAt.Add(-time.Microsecond)
	}
	for {
		p, ok := t.BillingPeriod(at)
		if !ok {
			return periods
		}
		s := t.PlanInterval(at)
		if origin := t.Origin(s); origin.StartAt.After(p.Start) {
			p.Start = origin.StartAt
		}
		if s.EndAt != nil && s.EndAt.Before(p.End) {
			p.End = *s.EndAt
		}
		if !now.Before(p.End.Add(grace)) {
			return periods
		}
		periods = append(periods, p)
		at = p.Start.Add(-time.Microsecond)
	}
}

// nextTurn is the first instant after another at which the costs of a subscription may
// change by itself: a billing period begins, or a price, a quantity, a discount or a plan
// begins or ends.
func nextTurn(t subscription.Terms, after time.Time) (next time.Time, found bool) {
	earlier := func(at time.Time) {
		if at.After(after) && (!found || at.Before(next)) {
			next, found = at, true
		}
	}
	until := func(at *time.Time) {
		if at != nil {
			earlier(*at)
		}
	}
	earlier(t.StartAt)
	if current, ok := t.BillingPeriod(after); ok {
		earlier(current.End)
	}
	for _, s := range t.PlanIntervals {
		earlier(s.StartAt)
	}
	for _, i := range t.Intervals {
		earlier(i.StartAt)
		until(i.EndAt)
		for _, change := range i.Transitions {
			earlier(change.EffectiveAt)
		}
	}
	for _, a := range t.Adjustments {
		earlier(a.StartAt)
		until(a.EndAt)
	}
	return next, found
}
