package license

import (
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Allowance is credits that every license may draw on that is active at some time of a
// period.
type Allowance struct {
	Period    period.Period
	Unit      money.Currency
	Amount    money.Decimal // for each license
	WritesOff bool          // what a license uses beyond it costs nothing
	Of        string        // names what it is a part of: see follows; "": of nothing
}

// follows is the place of the allowance that another one takes the place of within a period of
// the cadence, as its price replaced the other price; -1: none. Of the new one a license has
// what it did not draw on the old one: it is granted the difference alone.
func follows(allowances []Allowance, k int) int {
	for j := k - 1; j >= 0 && allowances[k].Of != ""; j-- {
		if allowances[j].Of == allowances[k].Of && allowances[j].Unit == allowances[k].Unit {
			return j
		}
	}
	return -1
}

// Use is what a license, or one of the same external id, used of one price over a time that is
// part of no two allowances of a unit, nor of two licenses of the name.
type Use struct {
	ExternalID string
	IntervalID string // the price interval
	Unit       money.Currency
	Credits    money.Decimal // the cost at the rate of the price
	Time       period.Period
}

// Draw is a use and where it was taken from. The last three sum to its credits.
type Draw struct {
	Use
	License   *License // nil: none of the name was active
	Allowance int      // that Own was drawn on; -1: none

	Own        money.Decimal // from the license's own credits
	Shared     money.Decimal // left to the credits of the customer
	WrittenOff money.Decimal
}

// DrawOn takes uses, in their order, from the credits of the licenses that were active
// (semantics 17.1.4). Credits that are not used are never carried over. Usage below zero,
// which takes back some of before, gives back what was drawn last first.
func DrawOn(allowances []Allowance, licenses []License, uses []Use) []Draw {
	byName := map[string][]License{}
	for _, l := range licenses {
		byName[l.ExternalID] = append(byName[l.ExternalID], l)
	}
	accounts := map[string][]*account{}    // by license, of each allowance; nil: nothing was used yet
	before := make([]int, len(allowances)) // the one that each follows
	for k := range allowances {
		before[k] = follows(allowances, k)
	}
	draws := make([]Draw, len(uses))
	for k, use := range uses {
		d := Draw{Use: use, Allowance: -1, Shared: use.Credits}
		named := byName[use.ExternalID]
		at := slices.IndexFunc(named, func(l License) bool { return l.Status(use.Time.Start) == StatusActive })
		if at >= 0 {
			d.License = &named[at]
			d.Allowance = slices.IndexFunc(allowances, func(a Allowance) bool {
				return a.Unit == use.Unit && a.Period.Contains(use.Time.Start)
			})
		}
		if d.Allowance >= 0 {
			of := accounts[d.License.ID]
			if of == nil {
				of = make([]*account, len(allowances))
				accounts[d.License.ID] = of
			}
			a := accountOf(allowances, before, of, d.Allowance)
			was := *a
			a.used = a.used.Add(use.Credits)
			d.Own = a.own().Sub(was.own())
			if allowances[d.Allowance].WritesOff {
				d.WrittenOff = a.writtenOff().Sub(was.writtenOff())
			}
			d.Shared = use.Credits.Sub(d.Own).Sub(d.WrittenOff)
		}
		draws[k] = d
	}
	return draws
}

// account is what a license has used under an allowance, and how much of that it may draw. Under
// one that follows another it begins with what was drawn before, which is not taken back.
type account struct{ used, most money.Decimal }

// accountOf is the account of a license, which has some by now, under an allowance.
func accountOf(allowances []Allowance, before []int, of []*account, k int) *account {
	if of[k] == nil {
		of[k] = &account{most: allowances[k].Amount}
		if j := before[k]; j >= 0 {
			old := accountOf(allowances, before, of, j)
			of[k].used = old.own()
			of[k].most = money.Max(of[k].most, of[k].used)
		}
	}
	return of[k]
}

// own is what is drawn on the allowance.
func (a account) own() money.Decimal { return money.Max(money.Min(a.used, a.most), money.Decimal{}) }

// writtenOff is what was used beyond it and is not charged, if the allowance writes it off.
func (a account) writtenOff() money.Decimal { return money.Max(a.used.Sub(a.most), money.Decimal{}) }
