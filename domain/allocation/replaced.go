package allocation

import (
	"cmp"
	"slices"
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Reduction is what was taken back of a grant, as a price that grants less took the place of
// another in the middle of a period.
type Reduction struct {
	store.Record
	GrantID    string
	IntervalID *string       // of that price; nil: of a version that did not note it
	ReducedAt  time.Time     // when it began
	Amount     money.Decimal // in credits, 0 or more: no more than was unspent then
}

// TableName is the table of what was taken back.
func (Reduction) TableName() string { return "allocation_reductions" }

// Owed is what is to be taken back of a grant and was not yet, or was for another price or as of
// another time, since the terms changed.
type Owed struct {
	Grant Grant
	Terms subscription.Taking
	Taken *Reduction // what was taken back for that by now; nil: nothing was
}

// OwedTakings are those of a subscription that are due by now, by time. Those of a later time
// are right once the earlier ones were taken.
func OwedTakings(tx *store.Tx, t subscription.Terms) (owed []Owed, err error) {
	begun, _ := shares(t, tx.Now)
	if len(begun) < 2 { // none takes the place of another
		return nil, nil
	}
	given, err := grantsOf(tx, t.ID)
	if err != nil || len(given) == 0 {
		return nil, err
	}
	return owedOf(tx, t, begun, given)
}

// owedOf are the takings that are due by now of what was given of the shares that have begun, by time.
func owedOf(tx *store.Tx, t subscription.Terms, begun []share, given map[key]Grant) (owed []Owed, err error) {
	done, err := takingsOf(tx, t.ID)
	if err != nil {
		return nil, err
	}
	for _, s := range begun {
		g, known := given[s.key()]
		a, periodic := t.AllowanceAt(s.PriceInterval, s.Period.Start)
		if !known || !periodic {
			continue
		}
		takings := t.TakenBack(a)
		stale := staleReductions(done[g.ID], takings)
		for _, taking := range takings {
			if taking.At.After(tx.Now) {
				continue
			}
			switch taken, is := done[g.ID][taking.At.UnixMicro()]; {
			case !is && len(stale) > 0: // credits are taken back once, whenever that turns out to be due
				owed = append(owed, Owed{g, taking, &stale[0]})
				stale = stale[1:]
			case !is:
				owed = append(owed, Owed{g, taking, nil})
			case taken.IntervalID != nil && *taken.IntervalID != taking.By:
				owed = append(owed, Owed{g, taking, &taken})
			}
		}
	}
	slices.SortStableFunc(owed, func(x, y Owed) int { return cmp.Or(x.Terms.At.Compare(y.Terms.At)) })
	return owed, nil
}

// staleReductions are what was taken back of a grant at times at which the terms do not have it taken
// any more, by time.
func staleReductions(done map[int64]Reduction, takings []subscription.Taking) (stale []Reduction) {
	for at, taken := range done {
		if !slices.ContainsFunc(takings, func(t subscription.Taking) bool { return t.At.UnixMicro() == at }) {
			stale = append(stale, taken)
		}
	}
	slices.SortFunc(stale, func(x, y Reduction) int { return x.ReducedAt.Compare(y.ReducedAt) })
	return stale
}

// Take takes back what is owed of what the block has left, but for what was taken before and what a
// later price, whose grant is made, would have to grant again. The ledger is locked and up to date.
// What could not be taken counts as granted in the terms from then on.
func (o Owed) Take(tx *store.Tx, t *subscription.Terms, ledger *credit.Ledger) error {
	amount := o.Terms.Amount
	if o.Taken != nil {
		amount = amount.Sub(o.Taken.Amount)
	}
	most, bounded, err := o.most(tx, *t)
	if err != nil {
		return err
	}
	if bounded {
		amount = money.Min(amount, most)
	}
	taken, err := credit.TakeBack(tx, ledger, o.Grant.BlockID, amount)
	if err != nil {
		return err
	}
	return o.record(tx, t, taken)
}

// most is how much may be taken back so that the grants that were made for later prices hold; false
// where none was made.
func (o Owed) most(tx *store.Tx, t subscription.Terms) (most money.Decimal, bounded bool, err error) {
	given, err := grantsOf(tx, t.ID)
	if err != nil {
		return most, false, err
	}
	granted := func(a subscription.Allowance) (amount money.Decimal) {
		g, known := given[shareOf(t, a).key()]
		if !known || err != nil {
			return amount
		}
		var block credit.Block
		if block, err = credit.FindBlock(tx, g.BlockID); fault.Is(err, fault.KindMissing) {
			err = nil
		}
		return block.InitialBalance
	}
	most, bounded = t.MostTakenBack(o.Terms, granted)
	return most, bounded, err
}

// TakeNothing notes that nothing could be taken back: the block was deleted, with what it had left.
func (o Owed) TakeNothing(tx *store.Tx, t *subscription.Terms) error {
	return o.record(tx, t, money.Decimal{})
}

// record notes what was taken back, beside what was before.
func (o Owed) record(tx *store.Tx, t *subscription.Terms, taken money.Decimal) error {
	var err error
	if o.Taken == nil {
		err = tx.Create(&Reduction{
			Record: tx.Record("reduction"), GrantID: o.Grant.ID, IntervalID: &o.Terms.By, ReducedAt: o.Terms.At, Amount: taken,
		}).Error
	} else {
		o.Taken.Amount = o.Taken.Amount.Add(taken)
		err = tx.Model(o.Taken).Select("amount").Updates(o.Taken).Error
	}
	if err != nil {
		return err
	}
	return t.NoteTakenBack(tx, o.Terms.By, taken)
}

// Pass notes for the present price, and its time, what was taken back for another one or as of another
// time.
func (o Owed) Pass(tx *store.Tx, t *subscription.Terms) error {
	noted := o.Taken.IntervalID != nil && *o.Taken.IntervalID == o.Terms.By
	o.Taken.IntervalID, o.Taken.ReducedAt = &o.Terms.By, o.Terms.At
	if err := tx.Model(o.Taken).Select("interval_id", "reduced_at").Updates(o.Taken).Error; err != nil || noted {
		return err
	}
	return t.NoteTakenBack(tx, o.Terms.By, o.Taken.Amount)
}

// Reduced is what was taken back of a grant, and the days of its period that were left then.
type Reduced struct {
	Asked  money.Decimal // in credits, above 0: what was to be taken
	Amount money.Decimal // in credits, 0 or more: no more than was asked
	Days   period.Period // whole local days, that on which the other price began included
	Whole  period.Period // the period in whole local days
}

// Reductions are what was taken back of the grant of the period of a price that began at an
// instant, by time.
func Reductions(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, start time.Time) (all []Reduced, err error) {
	a, periodic := t.AllowanceAt(i, start)
	if !periodic {
		return nil, nil
	}
	if _, replaced := t.ReplacedBy(a); !replaced {
		return nil, nil
	}
	given, err := grantsOf(tx, t.ID)
	if err != nil {
		return nil, err
	}
	done, err := takingsOf(tx, t.ID)
	if err != nil {
		return nil, err
	}
	loc := t.Customer.Location()
	for _, taking := range t.TakenBack(a) {
		if taken, is := done[given[shareOf(t, a).key()].ID][taking.At.UnixMicro()]; is {
			all = append(all, Reduced{taking.Amount, taken.Amount, days(taking.At, a.Cycle.End, loc), days(a.Period.Start, a.Cycle.End, loc)})
		}
	}
	return all, nil
}

// takingsOf are what was taken back of the grants of a subscription, by grant and
// time in microseconds.
func takingsOf(tx *store.Tx, subscriptionID string) (map[string]map[int64]Reduction, error) {
	var rows []Reduction
	err := tx.Where("grant_id IN (SELECT id FROM allocation_grants WHERE account_id = ? AND subscription_id = ?)", tx.AccountID, subscriptionID).
		Find(&rows).Error
	done := map[string]map[int64]Reduction{}
	for _, row := range rows {
		if done[row.GrantID] == nil {
			done[row.GrantID] = map[int64]Reduction{}
		}
		done[row.GrantID][row.ReducedAt.UnixMicro()] = row
	}
	return done, err
}

// TakenBack is what was taken back of a grant by now, as prices began that grant less. In credits.
func (g Grant) TakenBack(tx *store.Tx) (sum money.Decimal, err error) {
	var rows []Reduction
	err = tx.Where("grant_id = ?", g.ID).Find(&rows).Error
	for _, row := range rows {
		sum = sum.Add(row.Amount)
	}
	return sum, err
}
