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
}

// Use is what a license, or whoever bears its name, used of one price over a time that is
// part of no two allowances of a unit, nor of two licenses of the name.
type Use struct {
	ExternalID string
	IntervalID string // the price interval
	Unit       money.Currency
	Credits    money.Decimal // what it comes to at the rate of the price
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
	used := map[string][]money.Decimal{} // by license, under each allowance
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
			if used[d.License.ID] == nil {
				used[d.License.ID] = make([]money.Decimal, len(allowances))
			}
			before := used[d.License.ID][d.Allowance]
			after := before.Add(use.Credits)
			used[d.License.ID][d.Allowance] = after
			a := allowances[d.Allowance]
			d.Own = a.own(after).Sub(a.own(before))
			d.WrittenOff = a.writtenOff(after).Sub(a.writtenOff(before))
			d.Shared = use.Credits.Sub(d.Own).Sub(d.WrittenOff)
		}
		draws[k] = d
	}
	return draws
}

// own is what is drawn on the allowance by a license that has used so much under it.
func (a Allowance) own(used money.Decimal) money.Decimal {
	return money.Max(money.Min(used, a.Amount), money.Decimal{})
}

// writtenOff is what such a license used beyond it and nobody pays for.
func (a Allowance) writtenOff(used money.Decimal) money.Decimal {
	if !a.WritesOff {
		return money.Decimal{}
	}
	return money.Max(used.Sub(a.Amount), money.Decimal{})
}
