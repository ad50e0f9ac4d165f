package allocation

import (
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Sync brings the grants of a subscription, which is locked, into line with its terms:
// every period that has begun is granted, once, and credits expire where they should by
// now. It notes when the next period begins.
func Sync(tx *store.Tx, t *subscription.Terms) error {
	begun, next := shares(*t, tx.Now)
	given, err := grantsOf(tx, t.ID)
	if err != nil {
		return err
	}
	for _, s := range begun {
		if _, known := given[s.key()]; known || s.Amount.Sign() == 0 {
			continue
		}
		if err := s.give(tx, *t); err != nil {
			return err
		}
	}
	if err := bound(tx, *t, begun, given); err != nil {
		return err
	}
	if next == nil && t.NextGrantAt == nil {
		return nil
	}
	return t.SetNextGrant(tx, next)
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
	for _, g := range given { // their periods were taken back
		expiry[g.BlockID] = &g.StartAt
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

// GrantNext grants what the subscription is owed whose period began first. It reports
// false when none is owed anything, or others are at work on all that are.
func GrantNext(tx *store.Tx) (more bool, err error) {
	t, found, err := subscription.LockGranting(tx)
	if err != nil || !found {
		return false, err
	}
	return true, Sync(tx, &t)
}
