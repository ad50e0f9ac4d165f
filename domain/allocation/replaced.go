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

// Owed is what is to be taken back of a grant and was not yet, or was for a price that another
// one that begins at the same instant has replaced since.
type Owed struct {
	Grant Grant
	Terms subscription.Taking
	Taken *Reduction // nil: it is to be taken
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
		for _, taking := range t.TakenBack(a) {
			if taking.At.After(tx.Now) {
				continue
			}
			switch taken, is := done[g.ID][taking.At.UnixMicro()]; {
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

// Take takes back what is owed of what the block has left. The ledger is locked and up to date.
// What could not be taken counts as granted in the terms from then on.
func (o Owed) Take(tx *store.Tx, t *subscription.Terms, ledger *credit.Ledger) error {
	taken, err := credit.TakeBack(tx, ledger, o.Grant.BlockID, o.Terms.Amount)
	if err != nil {
		return err
	}
	return o.record(tx, t, taken)
}

// TakeNothing notes that nothing could be taken back: the block was deleted, with what it had left.
func (o Owed) TakeNothing(tx *store.Tx, t *subscription.Terms) error {
	return o.record(tx, t, money.Decimal{})
}

func (o Owed) record(tx *store.Tx, t *subscription.Terms, taken money.Decimal) error {
	err := tx.Create(&Reduction{
		Record: tx.Record("reduction"), GrantID: o.Grant.ID, IntervalID: &o.Terms.By, ReducedAt: o.Terms.At, Amount: taken,
	}).Error
	if err != nil {
		return err
	}
	return t.NoteTakenBack(tx, o.Terms.By, taken)
}

// Pass notes for the present price what was taken back as another one began at the same instant.
func (o Owed) Pass(tx *store.Tx, t *subscription.Terms) error {
	o.Taken.IntervalID = &o.Terms.By
	if err := tx.Model(o.Taken).Select("interval_id").Updates(o.Taken).Error; err != nil {
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
