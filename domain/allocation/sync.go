package allocation

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Sync brings the grants of a subscription, which is locked, into line with its terms:
// every period that has begun is granted, once, and credits expire where they should by
// now. It notes when the next period begins.
//
// What a price grants follows from what could be taken back as prices before it took the place
// of others. As long as that is still owed of the time before, held says so, and what begins
// later is granted after it alone.
func Sync(tx *store.Tx, t *subscription.Terms) (held bool, err error) {
	begun, next := shares(*t, tx.Now)
	given, err := grantsOf(tx, t.ID)
	if err != nil {
		return false, err
	}
	inTime := slices.Clone(begun)
	slices.SortStableFunc(inTime, func(a, b share) int { return a.Period.Start.Compare(b.Period.Start) })
	added := map[key]bool{}
	for _, s := range inTime {
		if !beginsWithin(*t, s) && (given[s.key()].ID != "" || s.Amount.Sign() == 0) {
			continue
		}
		if held, err = owedBefore(tx, *t, begun, given, s.Period.Start); held || err != nil {
			break
		}
		if g, known := given[s.key()]; known {
			var misfits bool
			if misfits, err = s.misfits(tx, g); err != nil {
				break
			}
			if !misfits {
				continue
			}
			if err = g.withdraw(tx); err != nil {
				break
			}
			delete(given, s.key())
		}
		if s.Amount.Sign() == 0 {
			continue
		}
		if given[s.key()], err = s.give(tx, *t); err != nil {
			return false, err
		}
		added[s.key()] = true
	}
	if err != nil {
		return false, err
	}
	maps.DeleteFunc(given, func(k key, _ Grant) bool { return added[k] })
	if err := bound(tx, *t, begun, given); err != nil {
		return false, err
	}
	if next == nil && t.NextGrantAt == nil {
		return held, nil
	}
	return held, t.SetNextGrant(tx, next)
}

// beginsWithin reports whether a share begins with its price in the middle of a period, so that it may take the
// place of another.
func beginsWithin(t subscription.Terms, s share) bool {
	a, periodic := t.AllowanceAt(s.PriceInterval, s.Period.Start)
	return periodic && a.Cycle.Start.Before(a.Period.Start)
}

// owedBefore reports whether credits are to be taken back, and were not yet, as a price began
// before an instant.
func owedBefore(tx *store.Tx, t subscription.Terms, begun []share, given map[key]Grant, at time.Time) (bool, error) {
	if len(given) == 0 {
		return false, nil
	}
	owed, err := owedOf(tx, t, begun, given)
	return len(owed) > 0 && owed[0].Terms.At.Before(at), err
}

// bound lets the credits that were granted before expire when they should.
func bound(tx *store.Tx, t subscription.Terms, begun []share, given map[key]Grant) error {
	if len(given) == 0 {
		return nil
	}
	expiry := map[string]*time.Time{}
	for _, s := range begun {
		if g, known := given[s.key()]; known {
			expiry[g.BlockID] = s.expires(t)
			delete(given, s.key())
		}
	}
	for _, g := range given { // their periods were taken back, with the day on which they began
		expiry[g.BlockID] = new(time.Time) // so they expire as they take effect
	}
	return credit.LimitExpiry(tx, expiry)
}

// key tells a period of a price.
type key struct {
	interval string
	start    int64 // in microseconds
}

func (s share) key() key { return key{s.ID, s.Period.Start.UnixMicro()} }

// grantsOf are the grants of a subscription.
func grantsOf(tx *store.Tx, subscriptionID string) (map[key]Grant, error) {
	var rows []Grant
	err := tx.Where("subscription_id = ?", subscriptionID).Find(&rows).Error
	given := make(map[key]Grant, len(rows))
	for _, g := range rows {
		given[key{g.IntervalID, g.StartAt.UnixMicro()}] = g
	}
	return given, err
}

// NextDue returns the earliest instant, at or before by, at which a period begins that is
// to be granted.
func NextDue(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return subscription.NextGrant(tx, by)
}
