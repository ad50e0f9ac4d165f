package reference

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// Line is a line of an invoice in a real currency, before adjustments.
type Line struct {
	Price    Price
	Subtotal *big.Rat // rounded to Places
	Places   int      // digits after the point of the minor unit
	Days     Days
	Before   *Before // of a line that is charged to date; nil: no earlier invoice charged it

	// Of a line that was rated, for usage discounts; ModelType is empty for others.
	ModelType string
	Config    json.RawMessage
	Usage     Usage
}

// Before is what earlier invoices charged of a line that is charged to date. A discount of an
// amount or by tiers, a minimum or a maximum that several lines share works on what they add.
type Before struct {
	Subtotal *big.Rat
	Added    map[string]*big.Rat // by each adjustment, by its id
	Shared   map[string]bool     // those that worked on several lines
	Until    int                 // the day of the billing period up to which it was charged, exclusive
}

// Price is what filters of adjustments look at.
type Price struct {
	ID        string
	ItemID    string
	Currency  string
	Unit      bool   // Currency is a custom pricing unit
	Type      string // "usage", "fixed" or "composite"
	InAdvance bool
}

// Days are the days of a billing period that a line is for, counted from the start of the
// period; To is exclusive. The zero value is all of it.
type Days struct{ From, To, Of int }

// Adjustment changes what lines come to.
type Adjustment struct {
	ID      string
	Kind    string           // adjustment_type of the contract
	Value   *big.Rat         // units, an amount or a fraction from 0 to 1; nil with tiers
	Tiers   []PercentTier    // of tiered_percentage_discount
	Filters []Filter         // all must hold; none matches every price
	Invoice bool             // is_invoice_level
	Applies func(k int) bool // whether it is in force for line k; nil: for all
}

// PercentTier is a band of spend and the fraction of it that is taken off.
type PercentTier struct {
	From       *big.Rat // exclusive
	To         *big.Rat // inclusive; nil: no end
	Percentage *big.Rat // from 0 to 1
}

// Filter selects prices.
type Filter struct {
	Field    string // price_id, item_id, price_type, currency or pricing_unit_id
	Operator string // includes or excludes
	Values   []string
}

// Adjust returns what each adjustment adds to each line, by adjustment and line: below 0
// for discounts and maximums (price models 6.4). Where lines are charged
// to date, a last row has what shared ones that are in force no more added on earlier invoices. Adjustments are in order of creation. A
// kind or filter that it does not know is ErrNotCovered.
func Adjust(lines []Line, adjustments []Adjustment) ([][]*big.Rat, error) {
	running := make([]*big.Rat, len(lines))
	units := make([]*big.Rat, len(lines)) // that usage discounts took off
	for k, l := range lines {
		running[k], units[k] = l.Subtotal, new(big.Rat)
	}
	rows := len(adjustments)
	for _, l := range lines {
		if l.Before != nil {
			rows = len(adjustments) + 1
		}
	}
	added := make([][]*big.Rat, rows)
	for i := range added {
		added[i] = make([]*big.Rat, len(lines))
		for k := range added[i] {
			added[i][k] = new(big.Rat)
		}
	}
	charged := make([]*big.Rat, len(lines)) // by earlier invoices, of running
	for k, l := range lines {
		charged[k] = new(big.Rat)
		if l.Before == nil {
			continue
		}
		kept, err := l.Before.kept(k, l, adjustments)
		if err != nil {
			return nil, err
		}
		added[len(adjustments)][k] = kept
		running[k], charged[k] = plus(running[k], kept), plus(l.Before.Subtotal, kept)
	}
	// Steps of 6.3; inside one first those of single prices.
	for _, step := range []map[string]bool{
		{"usage_discount": true}, {"amount_discount": true}, {"percentage_discount": true, "tiered_percentage_discount": true},
		{"minimum": true}, {"maximum": true},
	} {
		for _, invoice := range []bool{false, true} {
			for i, a := range adjustments {
				if a.Invoice != invoice || !step[a.Kind] {
					continue
				}
				if err := a.work(lines, running, charged, units, added[i]); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, a := range adjustments {
		switch a.Kind {
		case "usage_discount", "amount_discount", "percentage_discount", "tiered_percentage_discount", "minimum", "maximum":
		default:
			return nil, fmt.Errorf("adjustment %q: %w", a.Kind, ErrNotCovered)
		}
	}
	return added, nil
}

// kept is what shared adjustments added on earlier invoices that are in force no more.
func (b *Before) kept(k int, l Line, adjustments []Adjustment) (*big.Rat, error) {
	kept := new(big.Rat)
	for id := range b.Shared {
		inForce := false
		for _, a := range adjustments {
			matches, err := Matches(a.Filters, l.Price)
			if err != nil {
				return nil, err
			}
			inForce = inForce || a.ID == id && matches && (a.Applies == nil || a.Applies(k))
		}
		if !inForce {
			kept = plus(kept, b.Added[id])
		}
	}
	return kept, nil
}

// byAddition reports whether the adjustment works on what lines add to earlier invoices.
func (a Adjustment) byAddition(lines []Line, on []int) bool {
	if a.Kind == "usage_discount" || a.Kind == "percentage_discount" {
		return false
	}
	for _, k := range on {
		if b := lines[k].Before; b != nil && (len(on) > 1 || b.Shared[a.ID]) {
			return true
		}
	}
	return false
}

// work applies the adjustment once to the matching lines of each currency.
func (a Adjustment) work(lines []Line, running, charged, units, added []*big.Rat) error {
	matching := map[string][]int{}
	var currencies []string
	for k, l := range lines {
		matches, err := Matches(a.Filters, l.Price)
		if err != nil {
			return err
		}
		if !matches || a.Applies != nil && !a.Applies(k) {
			continue
		}
		if matching[l.Price.Currency] == nil {
			currencies = append(currencies, l.Price.Currency)
		}
		matching[l.Price.Currency] = append(matching[l.Price.Currency], k)
	}
	for _, currency := range currencies {
		on := matching[currency]
		base, of := running, lines
		byAddition := a.byAddition(lines, on)
		if byAddition {
			base, of = make([]*big.Rat, len(lines)), append([]Line{}, lines...)
			for _, k := range on {
				base[k] = minus(running[k], charged[k])
				if b := lines[k].Before; b != nil && of[k].Days.From < b.Until {
					of[k].Days.From = b.Until
				}
			}
		}
		amounts, err := a.amounts(of, on, base, units)
		if err != nil {
			return err
		}
		for n, k := range on {
			added[k] = amounts[n]
			if b := lines[k].Before; b != nil && b.Added[a.ID] != nil {
				charged[k] = plus(charged[k], b.Added[a.ID])
				if byAddition {
					added[k] = plus(added[k], b.Added[a.ID])
				}
			}
			running[k] = plus(running[k], added[k])
		}
	}
	return nil
}

// amounts are what the adjustment adds to lines of one currency.
func (a Adjustment) amounts(lines []Line, on []int, running, units []*big.Rat) ([]*big.Rat, error) {
	places := lines[on[0]].Places
	all, above := new(big.Rat), new(big.Rat) // the running amounts, and those above 0
	weights := make([]*big.Rat, len(on))
	for n, k := range on {
		all = plus(all, running[k])
		weights[n] = positive(running[k])
		above = plus(above, weights[n])
	}
	share := func(amount *big.Rat) []*big.Rat { return Split(amount, weights, places) }
	inPart := func() *big.Rat { return Round(times(a.Value, served(lines, on)), places) }
	none := new(big.Rat)

	switch a.Kind {
	case "usage_discount":
		amounts := make([]*big.Rat, len(on))
		for n, k := range on {
			amounts[n] = none
			l := lines[k]
			if l.ModelType == "" || l.Price.Type == "composite" {
				continue
			}
			units[k] = plus(units[k], a.Value)
			left, err := Rate(l.ModelType, l.Config, l.Usage.Less(units[k]))
			if err != nil {
				return nil, err
			}
			amounts[n] = minus(Round(left, places), running[k])
		}
		return amounts, nil
	case "amount_discount":
		return share(minus(none, least(inPart(), above))), nil
	case "percentage_discount":
		amounts := make([]*big.Rat, len(on))
		for n, k := range on {
			amounts[n] = minus(none, Round(times(running[k], a.Value), places))
		}
		return amounts, nil
	case "tiered_percentage_discount":
		off := new(big.Rat)
		for _, t := range a.Tiers {
			spend := positive(minus(all, t.From))
			if t.To != nil {
				spend = least(spend, minus(t.To, t.From))
			}
			off = plus(off, times(spend, t.Percentage))
		}
		return share(minus(none, Round(off, places))), nil
	case "minimum":
		return share(positive(minus(inPart(), all))), nil
	default: // maximum
		return share(minus(none, positive(minus(all, inPart())))), nil
	}
}

// served is f of an adjustment: how much of a billing period its lines are for. Those in
// arrears count, and those in advance where there are none in arrears (price models 6.2).
// Lines of one period fill it together; of periods of several lengths the fullest counts.
func served(lines []Line, on []int) *big.Rat {
	for _, inAdvance := range []bool{false, true} {
		days := map[int]map[int]bool{} // by length of the period
		for _, k := range on {
			l := lines[k]
			if l.Price.InAdvance != inAdvance {
				continue
			}
			if l.Days.Of == 0 {
				return one
			}
			if days[l.Days.Of] == nil {
				days[l.Days.Of] = map[int]bool{}
			}
			for d := l.Days.From; d < l.Days.To; d++ {
				days[l.Days.Of][d] = true
			}
		}
		if len(days) > 0 {
			fullest := new(big.Rat)
			for of, in := range days {
				fullest = greatest(fullest, big.NewRat(int64(len(in)), int64(of)))
			}
			return fullest
		}
	}
	return one
}

// Less is the usage less some units. No quantity falls below 0, and one below 0 stays.
// Groups lose them in proportion to what they have, spans lose all of them on each day
// (price models 6.2).
func (u Usage) Less(units *big.Rat) Usage {
	fewer := func(q *big.Rat) *big.Rat {
		if q == nil || q.Sign() <= 0 {
			return q
		}
		return positive(minus(q, units))
	}
	u.Quantity, u.Matching = fewer(u.Quantity), fewer(u.Matching)
	spans := append(u.Spans[:0:0], u.Spans...)
	for k, span := range spans {
		spans[k].Quantity = fewer(span.Quantity)
	}
	u.Spans = spans
	above := new(big.Rat)
	for _, g := range u.Groups {
		above = plus(above, positive(g.Quantity))
	}
	groups := append(u.Groups[:0:0], u.Groups...)
	for k, g := range groups {
		if g.Quantity.Sign() > 0 {
			groups[k].Quantity = times(g.Quantity, over(fewer(above), above))
		}
	}
	u.Groups = groups
	return u
}

// Matches reports whether all filters hold for a price; none hold for every price.
func Matches(filters []Filter, p Price) (bool, error) {
	for _, f := range filters {
		found := false
		for _, v := range f.Values {
			has, err := p.has(f.Field, v)
			if err != nil {
				return false, err
			}
			found = found || has
		}
		if found != (f.Operator == "includes") {
			return false, nil
		}
	}
	return true, nil
}

// has reports whether the price has the value in a field of a filter (price models 6.1).
func (p Price) has(field, value string) (bool, error) {
	switch field {
	case "price_id":
		return p.ID == value, nil
	case "item_id":
		return p.ItemID == value, nil
	case "currency":
		return p.Currency == value, nil
	case "pricing_unit_id":
		return p.Unit && p.Currency == value, nil
	case "price_type":
		switch value {
		case "usage", "fixed":
			return p.Type == value, nil
		case "fixed_in_advance":
			return p.Type == "fixed" && p.InAdvance, nil
		case "fixed_in_arrears":
			return p.Type == "fixed" && !p.InAdvance, nil
		case "in_arrears":
			return !p.InAdvance, nil
		}
	}
	return false, fmt.Errorf("filter of %s %q: %w", field, value, ErrNotCovered)
}
