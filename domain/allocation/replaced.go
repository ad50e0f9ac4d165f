package allocation

import (
	"cmp"
	"slices"
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Reduction records the credits that were taken back from a grant because, in the middle of a
// period, a price that grants less replaced its price.
type Reduction struct {
	store.Record
	GrantID    string
	IntervalID *string       // of the replacing price; nil: not recorded, by an older release
	ReducedAt  time.Time     // when the replacing price began
	Amount     money.Decimal // in credits, 0 or more: at most what was unspent then
}

// TableName names the table of reductions.
func (Reduction) TableName() string { return "allocation_reductions" }

// Owed is a reduction of a grant that is still to be made. Or it was made for another price or
// as of another time, before the terms changed.
type Owed struct {
	Grant Grant
	Terms subscription.Taking
	Taken *Reduction // the reduction made already; nil: none was made
}

// OwedTakings returns the reductions that a subscription owes by now, in order of time. Make those
// of the earliest instant and ask again: they change the amounts of later ones.
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

// owedOf returns the reductions owed by now, in order of time, of the grants given for shares that
// have begun.
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

// staleReductions returns, in order of time, the reductions of a grant that the terms do not ask
// for any more at their time.
func staleReductions(done map[int64]Reduction, takings []subscription.Taking) (stale []Reduction) {
	for at, taken := range done {
		if !slices.ContainsFunc(takings, func(t subscription.Taking) bool { return t.At.UnixMicro() == at }) {
			stale = append(stale, taken)
		}
	}
	slices.SortFunc(stale, func(x, y Reduction) int { return x.ReducedAt.Compare(y.ReducedAt) })
	return stale
}

// Take takes the owed credits back from the balance of the grant's block, as far as it goes: less
// what was taken already, and no more than leaves the grants of later prices as they were made.
// The ledger is locked and up to date. In the terms, the rest counts as granted from then on.
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

// most returns how much may be taken back so that the grants of later prices stay as they were
// made, and false where there are none.
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

// TakeNothing records a reduction of 0, because the block was deleted with its balance.
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

// Pass assigns an existing reduction to the price, and the time, for which the terms ask for it
// now.
func (o Owed) Pass(tx *store.Tx, t *subscription.Terms) error {
	noted := o.Taken.IntervalID != nil && *o.Taken.IntervalID == o.Terms.By
	o.Taken.IntervalID, o.Taken.ReducedAt = &o.Terms.By, o.Terms.At
	if err := tx.Model(o.Taken).Select("interval_id", "reduced_at").Updates(o.Taken).Error; err != nil || noted {
		return err
	}
	return t.NoteTakenBack(tx, o.Terms.By, o.Taken.Amount)
}

// Reduced is a reduction of a grant with the days that were left of the period.
type Reduced struct {
	Asked  money.Decimal // in credits, above 0: the amount to take back
	Amount money.Decimal // in credits, from 0 to Asked: the amount taken back
	Days   period.Period // whole local days from the day, included, on which the other price began
	Whole  period.Period // the period in whole local days
}

// Reductions returns, in order of time, the reductions of the grant of a price for the period that
// began at start.
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

// takingsOf returns the reductions of a subscription's grants by the id of the grant and the
// instant in Unix microseconds.
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

// TakenBack returns the sum of the reductions of a grant, in credits.
func (g Grant) TakenBack(tx *store.Tx) (sum money.Decimal, err error) {
	var rows []Reduction
	err = tx.Where("grant_id = ?", g.ID).Find(&rows).Error
	for _, row := range rows {
		sum = sum.Add(row.Amount)
	}
	return sum, err
}
