package license

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// Reset is the content of the notification that the licenses of a subscription have new credits, in
// all units and of all types for which a period begins (semantics 17.1.5).
type Reset struct {
	Period period.Period
	Grants []Grant
}

// Grant is the credits that each license of a type gets for a period.
type Grant struct {
	TypeID string
	Unit   money.Currency
	Amount money.Decimal
}

// SyncGrants announces the periods that began by now and were not announced yet, if there are
// licenses to have something of them, and notes when the next begins. The first period of
// a price is not told: nothing was there to be reset.
func SyncGrants(tx *store.Tx, t *subscription.Terms) error {
	begun, next := renewals(*t, tx.Now)
	if len(begun) > 0 {
		given, err := typesGiven(tx, t.ID)
		if err != nil {
			return err
		}
		for _, r := range begun {
			r.Grants = slices.DeleteFunc(r.Grants, func(g Grant) bool { return !slices.Contains(given, g.TypeID) })
			if len(r.Grants) > 0 {
				webhook.Announce(tx, webhook.SubscriptionLicenseAllocationReset, t.ID, r)
			}
		}
	}
	if next == nil && t.NextResetAt == nil {
		return nil
	}
	return t.SetNextReset(tx, next)
}

// renewals returns the periods that began since the next one to be notified, that one included, and
// when the next period begins; nil: none does.
func renewals(t subscription.Terms, now time.Time) (begun []Reset, next *time.Time) {
	from := now
	if t.NextResetAt != nil && t.NextResetAt.Before(now) {
		from = *t.NextResetAt
	}
	for _, i := range t.Intervals {
		if len(i.Price.LicenseAllocations) == 0 {
			continue
		}
		at := from
		if i.StartAt.After(at) {
			at = i.StartAt
		}
		for piece, ok := t.PeriodOf(i, at); ok; piece, ok = t.PeriodOf(i, piece.End) {
			first := piece.Start.Equal(i.StartAt)
			if !first && piece.Start.After(now) {
				if next == nil || piece.Start.Before(*next) {
					next = &piece.Start
				}
				break
			}
			if !first && t.NextResetAt != nil && !piece.Start.Before(*t.NextResetAt) {
				begun = with(begun, piece, i)
			}
		}
	}
	return begun, next
}

// with adds what a price grants in a period to the resets of that period.
func with(resets []Reset, in period.Period, i subscription.PriceInterval) []Reset {
	at := slices.IndexFunc(resets, func(r Reset) bool { return r.Period.Equal(in) })
	if at < 0 {
		resets, at = append(resets, Reset{Period: in}), len(resets)
	}
	for _, a := range i.Price.LicenseAllocations {
		resets[at].Grants = append(resets[at].Grants, Grant{TypeID: *i.Price.LicenseTypeID, Unit: a.Currency, Amount: a.Amount})
	}
	return resets
}

// typesGiven are the types of which a subscription has licenses that are active now.
func typesGiven(tx *store.Tx, subscriptionID string) (ids []string, err error) {
	err = inState(tx, StatusActive).Model(&License{}).Where("subscription_id = ?", subscriptionID).
		Distinct().Pluck("license_type_id", &ids).Error
	return ids, err
}

// NextReset returns the earliest instant, at or before by, at which licenses are granted
// again what they have for themselves.
func NextReset(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return subscription.NextReset(tx, by)
}

// ResetNext announces the new credits of the subscription whose notification is due longest. It
// reports false when none is due, or other transactions have locked all that are.
func ResetNext(tx *store.Tx) (more bool, err error) {
	t, found, err := subscription.LockResetting(tx)
	if err != nil || !found {
		return false, err
	}
	return true, SyncGrants(tx, &t)
}
