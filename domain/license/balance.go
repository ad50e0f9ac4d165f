package license

import (
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
// what was used by its end. An allowance of nothing has none.
func Balances(tx *store.Tx, t subscription.Terms, typeID string, frame period.Period) (all []Balance, err error) {
	kind, err := catalog.FindLicenseType(tx, typeID)
	if err != nil {
		return nil, err
	}
	book, err := BookOf(tx, t, kind, frame, nil)
	if err != nil {
		return nil, err
	}
	drawn := map[string][]money.Decimal{} // by license, of each allowance
	for _, l := range book.Licenses {
		drawn[l.ID] = make([]money.Decimal, len(book.Allowances))
	}
	for _, d := range book.Draws {
		if d.Allowance >= 0 {
			of := drawn[d.License.ID]
			of[d.Allowance] = of[d.Allowance].Add(d.Own)
		}
	}
	for k, a := range book.Allowances {
		for _, l := range book.Licenses {
			if l.overlaps(a.Period) && a.Amount.Sign() > 0 {
				all = append(all, Balance{License: l, Allowance: a, Drawn: drawn[l.ID][k]})
			}
		}
	}
	return all, nil
}
