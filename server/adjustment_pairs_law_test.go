package server_test

import (
	"fmt"
	"strings"

	"tollkeeper/domain/money"
)

// pairLine is what a line of a document charged.
type pairLine struct {
	name       string
	dated      string // the day of the invoice
	start, end string // the days that it is for
	advance    bool
	partial    bool           // on the partial invoice of a threshold
	next       bool           // of the plan that follows
	each       *money.Decimal // of usage: what a unit costs
	amount     money.Decimal
	credited   money.Decimal // by credit notes of the service
}

// left is what the line charged after credit notes.
func (l pairLine) left() money.Decimal { return l.amount.Sub(l.credited) }

func pairSum(lines []pairLine) (sum money.Decimal) {
	for _, l := range lines {
		sum = sum.Add(l.left())
	}
	return sum
}

// pairTerm is an adjustment while it is in force: from a day, "" for always, until a day, "" for ever.
type pairTerm struct {
	value      string
	start, end string
	coupon     bool
}

// pairTerms are the terms of an adjustment in a window around a day.
func pairTerms(a pairAdjustment, window int, day string) []pairTerm {
	value := func(k int) string {
		if tiers, ok := a.values[k].(list); ok {
			return fmt.Sprint(tiers[1].(object)["percentage"])
		}
		return fmt.Sprint(a.values[k])
	}
	t := pairTerm{value: value(0), coupon: pairWindows[window].coupon}
	after := t
	switch pairWindows[window].name {
	case "that begins inside", "by a coupon that begins inside":
		t.start = day
	case "that ends inside":
		t.end = day
	case "that changes inside":
		t.end = day
		after.value, after.start = value(1), day
		return []pairTerm{t, after}
	case "by a coupon that begins and ends inside":
		t.start, t.end = day, day[:5]+map[string]string{"01": "02", "02": "03"}[day[5:7]]+day[7:]
	}
	return []pairTerm{t}
}

// pairLaw is what documents come to under an adjustment by price models 6.7, from the lines of the same history
// without it. cents is how much roundings may make of it.
type pairLaw struct {
	pairAdjustment
	terms  []pairTerm
	onward bool // the plan that follows has the adjustment for ever
	prices int
	ends   string // the day on which the first plan ends, or ""
}

// end is the day on which the whole period ends, and days are its days.
func (l pairLaw) end() (end string, days int64) {
	if pairPrices[l.prices].inParts {
		return "2025-04-01", 90
	}
	return "2025-02-01", 31
}

// want adds up what the plans come to, each of which is a period of its own (price models 6.7.3).
func (l pairLaw) want(lines []pairLine) (sum money.Decimal, cents int64) {
	end, _ := l.end()
	cents = 1
	of := map[bool][]pairLine{}
	for _, line := range lines {
		of[line.next] = append(of[line.next], line)
	}
	first := [2]string{"2025-01-01", end}
	if l.ends != "" {
		first[1] = l.ends
	}
	for next, lines := range of {
		in := first
		if next {
			in = [2]string{l.ends, end}
		}
		added, more := l.plan(lines, in, next)
		sum, cents = sum.Add(added), cents+more
	}
	return sum, cents
}

// plan is what the documents of a plan come to in its part of the period.
func (l pairLaw) plan(lines []pairLine, in [2]string, next bool) (sum money.Decimal, cents int64) {
	_, whole := l.end()
	part := func(days int64) money.Decimal { return money.FromInt(days).Quo(money.FromInt(whole)) }
	sum = pairSum(lines)
	// apply applies an adjustment, which at the opening of the period, when its end was not known, had that value.
	apply := func(value, opening string, f money.Decimal, covers func(pairLine) bool) {
		var covered, full []pairLine
		served := false // a document bills what was served
		for _, line := range lines {
			if covers(line) {
				covered = append(covered, line)
				served = served || !line.advance
				line.credited = money.Decimal{}
				full = append(full, line)
			}
		}
		if len(covered) == 0 {
			return
		}
		made := l.makes(covered, value, f)
		if l.ends == in[1] && !served {
			// Each fee is given back by days for good (price models 6.7.16).
			made = l.makes(full, opening, money.FromInt(1)).Mul(part(daysShared(in, pairTerm{})))
			cents += int64(len(covered))
		}
		sum = sum.Sub(pairSum(covered)).Add(made)
	}
	terms := l.terms
	switch {
	case next && l.onward:
		terms = []pairTerm{{value: terms[0].value}}
	case next:
		terms = nil
	}
	if l.body["adjustment_type"] == "minimum" {
		// By days in force; minimums that follow each other are one (price models 6.7.12).
		end, _ := l.end()
		apply(l.byDays(terms, in), l.byDays(terms, [2]string{in[0], end}), money.FromInt(1), func(line pairLine) bool {
			for _, t := range terms {
				if (t.start == "" || line.end > t.start) && (t.end == "" || line.start < t.end) {
					return true
				}
			}
			return false
		})
		return sum, cents
	}
	modes := map[bool]bool{}
	for _, line := range lines {
		if line.name != "Added" {
			modes[line.advance] = true
		}
	}
	// covers reports whether the dates of a term give it a line (semantics 6.3.7).
	covers := func(t pairTerm, line pairLine) bool {
		from, until := t.start < line.end, t.end == "" || line.end <= t.end
		if line.advance {
			from, until = t.start <= line.start, t.end == "" || line.start < t.end
		}
		if t.coupon && l.body["adjustment_type"] == "amount_discount" && len(modes) == 2 { // price models 6.7.10
			from, until = t.start < in[1], t.end == "" || in[1] <= t.end
		}
		bought := line.name != "Added" || !t.coupon || t.start > "2025-01-16"
		return from && until && bought // a coupon is for the prices that there are (semantics 15.1.3)
	}
	if l.body["adjustment_type"] == "maximum" && len(terms) > 1 { // that follow each other are one, by days (price models 6.7.12)
		end, _ := l.end()
		apply(l.byDays(terms, in), l.byDays(terms, [2]string{in[0], end}), money.FromInt(1), func(line pairLine) bool {
			return covers(terms[0], line) || covers(terms[1], line)
		})
		return sum, cents
	}
	for _, t := range terms {
		apply(t.value, t.value, part(daysShared(in, pairTerm{})), func(line pairLine) bool { return covers(t, line) })
	}
	return sum, cents
}

// byDays is the amount of terms that are one: the sum of their values by the days that they have of a part of the
// period.
func (l pairLaw) byDays(terms []pairTerm, in [2]string) string {
	_, whole := l.end()
	var sum money.Decimal
	for _, t := range terms {
		sum = sum.Add(money.Must(t.value).Mul(money.FromInt(daysShared(in, t))))
	}
	return sum.Quo(money.FromInt(whole)).Round(2).String()
}

// daysShared are the days that a term has of a part of the period.
func daysShared(in [2]string, t pairTerm) int64 {
	start, end := in[0], in[1]
	if t.start > start {
		start = t.start
	}
	if t.end != "" && t.end < end {
		end = t.end
	}
	if start >= end {
		return 0
	}
	return int64(instant(end+"T00:00:00Z").Sub(instant(start+"T00:00:00Z")).Hours()) / 24
}

func (l pairLine) String() string {
	text := fmt.Sprintf("%s: %s %s to %s: %s", l.dated, l.name, l.start, l.end, l.amount.StringFixed(2))
	if !l.credited.IsZero() {
		text += " less " + l.credited.StringFixed(2)
	}
	return text
}

func pairText(lines []pairLine) string {
	texts := make([]string, len(lines))
	for k, l := range lines {
		texts[k] = l.String()
	}
	return strings.Join(texts, "; ")
}
