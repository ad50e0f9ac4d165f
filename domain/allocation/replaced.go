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
	GrantID   string
	ReducedAt time.Time     // when that price began
	Amount    money.Decimal // in credits, 0 or more: no more than was unspent then
}

// TableName is the table of what was taken back.
func (Reduction) TableName() string { return "allocation_reductions" }

// Owed is what is to be taken back of a grant and was not yet.
type Owed struct {
	Grant Grant
	Terms subscription.Taking
}

// OwedTakings are those of a subscription that are due by now, by time.
func OwedTakings(tx *store.Tx, t subscription.Terms) (owed []Owed, err error) {
	begun, _ := shares(t, tx.Now)
	if len(begun) < 2 { // none takes the place of another
		return nil, nil
	}
	given, err := grantsOf(tx, t.ID)
	if err != nil || len(given) == 0 {
		return nil, err
	}
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
			if _, is := done[g.ID][taking.At.UnixMicro()]; !is && !taking.At.After(tx.Now) {
				owed = append(owed, Owed{g, taking})
			}
		}
	}
	slices.SortStableFunc(owed, func(x, y Owed) int { return cmp.Or(x.Terms.At.Compare(y.Terms.At)) })
	return owed, nil
}

// Take takes back what is owed of what the block has left. The ledger is locked and up to date.
func (o Owed) Take(tx *store.Tx, ledger *credit.Ledger) error {
	taken, err := credit.TakeBack(tx, ledger, o.Grant.BlockID, o.Terms.Amount)
	if err != nil {
		return err
	}
	return tx.Create(&Reduction{Record: tx.Record("reduction"), GrantID: o.Grant.ID, ReducedAt: o.Terms.At, Amount: taken}).Error
}

// Reduced is what was taken back of a grant, and the days of its period that were left then.
type Reduced struct {
	Amount money.Decimal // in credits
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
		if amount, is := done[given[shareOf(t, a).key()].ID][taking.At.UnixMicro()]; is {
			all = append(all, Reduced{amount, days(taking.At, a.Cycle.End, loc), days(a.Period.Start, a.Cycle.End, loc)})
		}
	}
	return all, nil
}

// takingsOf are the credits that were taken back of the grants of a subscription, by grant and
// time in microseconds.
func takingsOf(tx *store.Tx, subscriptionID string) (map[string]map[int64]money.Decimal, error) {
	var rows []Reduction
	err := tx.Where("grant_id IN (SELECT id FROM allocation_grants WHERE account_id = ? AND subscription_id = ?)", tx.AccountID, subscriptionID).
		Find(&rows).Error
	done := map[string]map[int64]money.Decimal{}
	for _, row := range rows {
		if done[row.GrantID] == nil {
			done[row.GrantID] = map[int64]money.Decimal{}
		}
		done[row.GrantID][row.ReducedAt.UnixMicro()] = row.Amount
	}
	return done, err
}
