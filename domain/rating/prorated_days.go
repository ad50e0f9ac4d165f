package rating

import (
	"cmp"
	"slices"

	"tollkeeper/domain/period"
)

// Days is the part of its billing period that a line is for, in days counted from
// the start of that period. The zero value is all of it.
type Days struct{ From, To, Of int } // To is exclusive

// proratedDays is how much of a billing period lines are for: those in arrears if there
// are any, else those in advance (price models 6.2). Lines that follow each other
// fill the period together; of periods of different lengths the fullest counts.
func proratedDays(on []*running, added bool) (fullest period.Fraction) {
	var arrears, advance []Days
	for _, line := range on {
		days := line.Days
		if days.Of == 0 {
			days = Days{From: 0, To: 1, Of: 1}
		}
		if added && line.Earlier != nil {
			days.From = max(days.From, line.Earlier.Until)
		}
		if line.Price.InAdvance {
			advance = append(advance, days)
		} else {
			arrears = append(arrears, days)
		}
	}
	if arrears == nil {
		arrears = advance
	}
	slices.SortFunc(arrears, func(a, b Days) int { return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.From, b.From)) })

	var filled period.Fraction
	upTo := 0 // the day of the period up to which it is counted
	for k, days := range arrears {
		if k == 0 || days.Of != arrears[k-1].Of {
			filled, upTo = period.Fraction{Whole: days.Of}, 0
		}
		filled.Part += max(days.To-max(days.From, upTo), 0)
		upTo = max(upTo, days.To)
		if k == 0 || filled.Part*fullest.Whole > fullest.Part*filled.Whole {
			fullest = filled
		}
	}
	return fullest
}
