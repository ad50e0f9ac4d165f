package reference

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// Line is a line of a document in a real currency, before adjustments.
type Line struct {
	Row      string // the price that it charges; "": a row of its own
	Price    Price
	Subtotal *big.Rat // rounded to Places; to date, where Before says what was charged
	Places   int      // digits after the point of the minor unit
	Before   *Billed  // of a line that is charged to date; nil: no earlier document charged it

	// How it was rated, for usage discounts; ModelType is "" if it was not.
	ModelType string
	Config    json.RawMessage
	Usage     Usage
	Quantity  *big.Rat // used; nil: that of Usage
}

// Billed is what earlier documents charged: of a line to date, or what one of them added to a row.
type Billed struct {
	Row      string
	Quantity *big.Rat // to date; nil: not known
	Subtotal *big.Rat
	Effects  []Effect
}

// Effect is what an adjustment added.
type Effect struct {
	ID     string
	Kind   string // adjustment_type of the contract
	Amount *big.Rat
	Left   *big.Rat // of a usage discount: the units that are still charged, to date; nil: not known
}

// Adjustment changes what lines come to, over one of its periods.
type Adjustment struct {
	ID      string
	Kind    string           // adjustment_type of the contract
	Value   *big.Rat         // units, an amount or a fraction from 0 to 1; nil with tiers
	Tiers   []PercentTier    // of tiered_percentage_discount
	Filters []Filter         // all must hold; none matches every price
	Invoice bool             // is_invoice_level
	Applies func(k int) bool // whether line k belongs to the period; nil: all do

	Share   *big.Rat         // f: the part of a full billing period that the period is; nil: all of it
	Earlier func(e int) bool // whether the earlier line e belongs to the period; nil: none does
	Also    []string         // other adjustments whose effects count as its own

	// Of a usage discount, what line k took the place of in the period: lines, and earlier lines. Units that it, or
	// one of Instead, took off those are free no more (price models 6.7.8). Nil: no line took a place.
	Replaced func(k int) (lines, earlier []int)
	Instead  []string
}

// PercentTier is a band of spend and the fraction of it that is taken off.
type PercentTier struct {
	From       *big.Rat // exclusive
	To         *big.Rat // inclusive; nil: no end
	Percentage *big.Rat // from 0 to 1
}

// Adjust returns what each adjustment adds to each line, to date, by adjustment and line: below 0 for
// discounts and maximums (price models 6.4). Over a period it adds what it comes to on all lines to date,
// less what it did on earlier documents (price models 6.7). A last row has what stays of adjustments that
// work on a line no more. Adjustments are in order of creation. A kind or filter that it does not know is
// ErrNotCovered.
func Adjust(lines []Line, earlier []Billed, adjustments []Adjustment) ([][]*big.Rat, error) {
	d := document{lines: lines, earlier: earlier, added: make([][]*big.Rat, len(adjustments)+1)}
	for i := range d.added {
		for range lines {
			d.added[i] = append(d.added[i], new(big.Rat))
		}
	}
	for _, l := range lines {
		now := l.Subtotal
		if l.Before != nil {
			now = minus(now, l.Before.Subtotal)
		}
		d.now, d.units, d.free = append(d.now, now), append(d.units, new(big.Rat)), append(d.free, map[string]*big.Rat{})
	}
	for _, a := range adjustments {
		if stepOf[a.Kind] == 0 {
			return nil, fmt.Errorf("adjustment %q: %w", a.Kind, ErrNotCovered)
		}
		on, err := d.linesOf(a)
		if err != nil {
			return nil, err
		}
		d.on = append(d.on, on)
	}
	for k, l := range lines { // what stays: see price models 6.7.10
		if l.Before == nil {
			continue
		}
		for _, e := range l.Before.Effects {
			if stepOf[e.Kind] > 0 && !d.works(e.ID, adjustments, k) {
				d.added[len(adjustments)][k] = plus(d.added[len(adjustments)][k], e.Amount)
			}
		}
	}
	// Steps of 6.3; inside one first those of single prices.
	for step := 1; step <= 5; step++ {
		for _, invoice := range []bool{false, true} {
			for i, a := range adjustments {
				if a.Invoice != invoice || stepOf[a.Kind] != step || len(d.on[i]) == 0 {
					continue
				}
				if err := d.work(i, a, adjustments); err != nil {
					return nil, err
				}
			}
		}
	}
	return d.added, nil
}

// stepOf is the step in which a kind works.
var stepOf = map[string]int{
	"usage_discount": 1, "amount_discount": 2, "percentage_discount": 3, "tiered_percentage_discount": 3, "minimum": 4, "maximum": 5,
}

// document is what Adjust works on.
type document struct {
	lines   []Line
	earlier []Billed
	on      [][]int               // by adjustment, the lines that it works on
	now     []*big.Rat            // what the document adds by each line, after the adjustments so far
	units   []*big.Rat            // that usage discounts took off
	free    []map[string]*big.Rat // these, by adjustment
	added   [][]*big.Rat          // the result
}

// linesOf are the lines of one currency that an adjustment works on.
func (d document) linesOf(a Adjustment) (on []int, err error) {
	for k, l := range d.lines {
		matches, err := Matches(a.Filters, l.Price)
		if err != nil {
			return nil, err
		}
		rated := a.Kind != "usage_discount" || l.ModelType != "" && l.Price.Type != "composite"
		if matches && rated && (a.Applies == nil || a.Applies(k)) && (len(on) == 0 || d.lines[on[0]].Price.Currency == l.Price.Currency) {
			on = append(on, k)
		}
	}
	return on, nil
}

// means reports whether an effect is one of the adjustment.
func (a Adjustment) means(id string) bool {
	for _, other := range a.Also {
		if other == id {
			return true
		}
	}
	return a.ID == id
}

// works reports whether an adjustment still works on a line.
func (d document) works(id string, adjustments []Adjustment, line int) bool {
	for i, a := range adjustments {
		for _, k := range d.on[i] {
			if k == line && a.means(id) {
				return true
			}
		}
	}
	return false
}

// billed is an earlier line as the adjustments before one left it, and what that one did there.
func (d document) billed(e int, before Adjustment, place int, adjustments []Adjustment) (amount, did *big.Rat) {
	amount, did = d.earlier[e].Subtotal, new(big.Rat)
	for _, effect := range d.earlier[e].Effects {
		if before.means(effect.ID) {
			did = plus(did, effect.Amount)
			continue
		}
		earlierStep := stepOf[effect.Kind] < stepOf[before.Kind]
		if stepOf[effect.Kind] == stepOf[before.Kind] {
			earlierStep = true // of one that works on the line no more, or was made before
			for i, other := range adjustments {
				if other.means(effect.ID) && other.Earlier != nil && other.Earlier(e) && len(d.on[i]) > 0 {
					earlierStep = !other.Invoice && before.Invoice || other.Invoice == before.Invoice && i < place
				}
			}
		}
		if earlierStep && stepOf[effect.Kind] > 0 {
			amount = plus(amount, effect.Amount)
		}
	}
	return amount, did
}

// work applies an adjustment.
func (d *document) work(i int, a Adjustment, adjustments []Adjustment) error {
	on, places := d.on[i], d.lines[d.on[i][0]].Places
	rows, order := map[string]*big.Rat{}, []string{}
	into := func(row string, amount *big.Rat) {
		if rows[row] == nil {
			rows[row], order = new(big.Rat), append(order, row)
		}
		rows[row] = plus(rows[row], amount)
	}
	for _, k := range on {
		row := d.lines[k].Row
		if row == "" {
			row = fmt.Sprint("line ", k)
		}
		into(row, d.now[k])
	}
	did, ofRow := new(big.Rat), map[string]*big.Rat{}
	charged := make([]*big.Rat, len(on)) // of each line, with what the earlier ones have that it works on
	for n, k := range on {
		charged[n] = d.now[k]
	}
	for e := range d.earlier {
		if a.Earlier == nil || !a.Earlier(e) {
			continue
		}
		amount, effect := d.billed(e, a, i, adjustments)
		row := d.earlier[e].Row
		into(row, amount)
		for n, k := range on {
			if row == d.lines[k].Row {
				charged[n] = plus(charged[n], amount)
			}
		}
		if ofRow[row] == nil {
			ofRow[row] = new(big.Rat)
		}
		did, ofRow[row] = plus(did, effect), plus(ofRow[row], effect)
	}
	all, above := new(big.Rat), new(big.Rat)
	for _, row := range order {
		all, above = plus(all, rows[row]), plus(above, positive(rows[row]))
	}

	effects := make([]*big.Rat, len(on)) // on the document
	switch a.Kind {
	case "usage_discount":
		for n, k := range on {
			l := d.lines[k]
			dearer, err := d.less(k)
			if err != nil {
				return err
			}
			units := d.unitsFree(a, k)
			d.free[k][a.ID] = least(units, positive(minus(l.used(), d.units[k])))
			d.units[k] = plus(d.units[k], units)
			left, err := d.less(k)
			if err != nil {
				return err
			}
			effects[n] = minus(left, dearer)
			if l.Before != nil { // no more than what it works on came to (price models 6.7.10)
				if most := positive(charged[n]); plus(effects[n], most).Sign() < 0 {
					effects[n] = minus(new(big.Rat), most)
				}
				effects[n] = minus(effects[n], a.of(l.Before))
			}
		}
	case "percentage_discount":
		for n, k := range on {
			effects[n] = minus(new(big.Rat), Round(times(d.now[k], a.Value), places))
			if d.lines[k].Before != nil && effects[n].Sign() > 0 { // it gives back what it took off, no more
				gave := new(big.Rat)
				if ofRow[d.lines[k].Row] != nil {
					gave = positive(minus(gave, ofRow[d.lines[k].Row]))
				}
				effects[n] = least(effects[n], gave)
			}
		}
	default:
		effects = d.shareOut(minus(a.over(all, above, places), did), on, a.Kind == "minimum")
	}
	for n, k := range on {
		d.now[k] = plus(d.now[k], effects[n])
		if d.added[i][k] = effects[n]; d.lines[k].Before != nil {
			d.added[i][k] = plus(effects[n], a.of(d.lines[k].Before))
		}
	}
	return nil
}

// of is what the adjustment did to a line on earlier documents.
func (a Adjustment) of(b *Billed) *big.Rat {
	sum := new(big.Rat)
	for _, e := range b.Effects {
		if a.means(e.ID) {
			sum = plus(sum, e.Amount)
		}
	}
	return sum
}

// over is what the adjustment comes to over the sum of the rows of a period, of which above is the part above 0.
func (a Adjustment) over(all, above *big.Rat, places int) *big.Rat {
	value := a.Value
	if a.Share != nil && value != nil {
		value = times(value, a.Share)
	}
	none := new(big.Rat)
	switch a.Kind {
	case "amount_discount":
		return minus(none, least(Round(value, places), above))
	case "tiered_percentage_discount":
		off := new(big.Rat)
		for _, t := range a.Tiers {
			spend := positive(minus(all, t.From))
			if t.To != nil {
				spend = least(spend, minus(t.To, t.From))
			}
			off = plus(off, times(spend, t.Percentage))
		}
		return minus(none, Round(off, places))
	case "minimum":
		return positive(minus(Round(value, places), all))
	default: // maximum
		return minus(none, positive(minus(all, Round(value, places))))
	}
}

// shareOut splits an effect over lines. What a discount or maximum gives back fills lines below 0 first.
func (d document) shareOut(effect *big.Rat, on []int, minimum bool) []*big.Rat {
	places := d.lines[on[0]].Places
	weights, missing, lack := make([]*big.Rat, len(on)), make([]*big.Rat, len(on)), new(big.Rat)
	for n, k := range on {
		weights[n], missing[n] = positive(d.now[k]), positive(minus(new(big.Rat), d.now[k]))
		lack = plus(lack, missing[n])
	}
	fill := new(big.Rat)
	if effect.Sign() > 0 && !minimum {
		fill = least(effect, lack)
	}
	if fill.Sign() == 0 {
		return Split(effect, weights, places)
	}
	shares := Split(fill, missing, places)
	for n, more := range Split(minus(effect, fill), weights, places) {
		shares[n] = plus(shares[n], more)
	}
	return shares
}
