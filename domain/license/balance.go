package license

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Balance is what a license has drawn on an allowance of its own.
type Balance struct {
	License   License
	Allowance Allowance
	Drawn     money.Decimal // never more than the amount of the allowance
}

// sharePlaces is more digits than a percentage has that a share is compared with.
const sharePlaces = 20

// Share is the percentage of the allowance that is drawn: cut, not rounded, so that none is
// reached before it is.
func (b Balance) Share() money.Decimal {
	return b.Drawn.Mul(money.FromInt(100)).Quo(b.Allowance.Amount).Trunc(sharePlaces)
}

// Balances are those of all licenses of a type in the periods that a frame touches, from
// what was used by its end: of allowances that follow each other one, of all of their time. An
// allowance of nothing has none, and one that follows another has none before it begins.
func Balances(tx *store.Tx, t subscription.Terms, typeID string, frame period.Period) (all []Balance, err error) {
	kind, err := catalog.FindLicenseType(tx, typeID)
	if err != nil {
		return nil, err
	}
	book, err := BookOf(tx, t, kind, frame, nil)
	if err != nil {
		return nil, err
	}
	book.tell()
	for k, a := range book.Allowances {
		if book.goesOn(k, tx.Now) {
			continue
		}
		chain := book.upTo(k)
		a.Period.Start = book.Allowances[chain[len(chain)-1]].Period.Start
		a.Period.End = book.endOf(k)
		for _, l := range book.Licenses {
			granted := book.granted(l)
			b := Balance{License: l, Allowance: a}
			b.Allowance.Amount = money.Decimal{}
			for _, j := range chain {
				b.Allowance.Amount = b.Allowance.Amount.Add(granted[j])
			}
			for _, d := range book.drawn[l.ID] {
				if slices.Contains(chain, d.Allowance) {
					b.Drawn = b.Drawn.Add(d.Own)
				}
			}
			if b.Allowance.Amount.Sign() > 0 {
				all = append(all, b)
			}
		}
	}
	return all, nil
}

// upTo are the places of an allowance and of those that it follows, the oldest last.
func (b Book) upTo(k int) (chain []int) {
	for ; k >= 0; k = follows(b.Allowances, k) {
		chain = append(chain, k)
	}
	return chain
}

// goesOn reports whether another allowance follows one by an instant.
func (b Book) goesOn(k int, by time.Time) bool {
	for next, a := range b.Allowances {
		if follows(b.Allowances, next) == k && !a.Period.Start.After(by) {
			return true
		}
	}
	return false
}

// endOf is when the last allowance ends that follows one.
func (b Book) endOf(k int) time.Time {
	for next := range b.Allowances {
		if follows(b.Allowances, next) == k {
			return b.endOf(next)
		}
	}
	return b.Allowances[k].Period.End
}
