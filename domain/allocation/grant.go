package allocation

import (
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Grant is that a period of an allocation price was granted.
type Grant struct {
	store.Record
	SubscriptionID string
	IntervalID     string
	StartAt        time.Time // of the period
	BlockID        string    // of the credits
}

// TableName is the table of grants.
func (Grant) TableName() string { return "allocation_grants" }

// share is a period of a price that is to be granted.
type share struct {
	subscription.PriceInterval
	Period period.Period
	End    time.Time     // of the period, had the price not ended before
	Amount money.Decimal // what it grants; 0 where it takes the place of one that granted as much
}

// shareOf is the share of an allowance.
func shareOf(t subscription.Terms, a subscription.Allowance) share {
	return share{a.Interval, a.Period, a.Cycle.End, t.Granted(a)}
}

// shares are the periods of all allocation prices that have begun by an instant, by
// price, and when the next one begins; nil: none does.
func shares(t subscription.Terms, by time.Time) (begun []share, next *time.Time) {
	for _, i := range t.Intervals {
		if i.Price.Allocation == nil {
			continue
		}
		piece, ok := t.FirstPeriod(i)
		for ; ok && !piece.Start.After(by); piece, ok = t.PeriodOf(i, piece.End) {
			if a, periodic := t.AllowanceAt(i, piece.Start); periodic {
				begun = append(begun, shareOf(t, a))
				continue
			}
			begun = append(begun, share{i, piece, piece.End, i.QuantityAt(piece.Start)})
		}
		if ok && (next == nil || piece.Start.Before(*next)) {
			next = &piece.Start
		}
	}
	return begun, next
}

// give adds the credits of a share to the customer's.
func (s share) give(tx *store.Tx, t subscription.Terms) (g Grant, err error) {
	what := *s.Price.Allocation
	effective := s.effective(t)
	entry, err := credit.Add(tx, t.Customer, credit.Grant{
		Currency: what.Currency, Amount: s.Amount, EffectiveAt: &effective, ExpiresAt: s.expires(t),
		PerUnitCostBasis: s.costBasis(), Filters: itemFilters(what.Filters),
		Source: credit.SourceAllocation, OriginID: &s.PriceID,
	})
	if err != nil {
		return g, err
	}
	g = Grant{Record: tx.Record("grant"), SubscriptionID: t.ID, IntervalID: s.ID, StartAt: s.Period.Start, BlockID: entry.BlockID}
	return g, tx.Create(&g).Error
}

// effective is the midnight from which on the credits pay.
func (s share) effective(t subscription.Terms) time.Time {
	loc := t.Customer.Location()
	return period.DateOf(s.Period.Start, loc).In(loc)
}

// last is the share of the price that took the place of others in the period, the last of them:
// what is left of the credits lasts as that says.
func (s share) last(t subscription.Terms) share {
	a, periodic := t.AllowanceAt(s.PriceInterval, s.Period.Start)
	for periodic {
		next, replaced := t.ReplacedBy(a)
		if !replaced {
			break
		}
		a, s = next, shareOf(t, next)
	}
	return s
}

// expires is when the credits do: as the price says, and no later than the subscription
// is on the plan, or where the price ends within the period without another in its place;
// nil for never.
func (s share) expires(t subscription.Terms) *time.Time {
	s = s.last(t)
	at := s.lasts(t.Customer.Location())
	if s.EndAt != nil && s.EndAt.Before(s.End) && !s.Price.Length().OneTime() {
		at = sooner(at, s.EndAt)
	}
	return sooner(sooner(at, t.EndAt), t.PlanIntervalOf(s.PriceInterval).EndAt)
}

// lasts is when the credits expire if the price goes on for the whole period; nil for never.
func (s share) lasts(loc *time.Location) *time.Time {
	what := *s.Price.Allocation
	switch {
	case what.ExpiresAtEndOfCadence:
		return &s.End
	case what.CustomExpiration != nil:
		from := period.DateOf(s.Period.Start, loc)
		last := from.AddDays(what.CustomExpiration.Days)
		if months := what.CustomExpiration.Months; months > 0 {
			last = from.AddMonths(months, from.Day)
		}
		end := last.In(loc)
		return &end
	}
	return nil
}

// sooner is the earlier of two instants, of which nil is never.
func sooner(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

// costBasis is what one credit costs, as the price says it.
func (s share) costBasis() *string {
	unit, ok := s.Price.Model().(rating.Unit)
	if !ok {
		return nil
	}
	return &unit.UnitAmount.Text
}

func itemFilters(filters []rating.Filter) []credit.ItemFilter {
	items := make([]credit.ItemFilter, len(filters))
	for k, f := range filters {
		items[k] = credit.ItemFilter{Operator: credit.Operator(f.Operator), ItemIDs: f.Values}
	}
	return items
}
