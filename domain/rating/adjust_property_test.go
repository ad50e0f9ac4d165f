package rating_test

import (
	"fmt"
	"math/big"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

// A ledger is a second calculation of adjustments: whole cents in fractions, one step
// after the other, and shares given out cent by cent.
type ledger struct {
	lines []rating.Line
	cents []*big.Rat
}

func newLedger(lines []rating.Line) *ledger {
	b := &ledger{lines: lines}
	for _, line := range lines {
		b.cents = append(b.cents, inCents(line.Subtotal))
	}
	return b
}

func inCents(d money.Decimal) *big.Rat { return product(rat(d.String()), big.NewRat(100, 1)) }

// adjust applies all adjustments, kind by kind and level by level.
func (b *ledger) adjust(works []rating.Work) {
	for _, step := range [][]rating.AdjustmentKind{
		{rating.AmountDiscount}, {rating.PercentageDiscount, rating.TieredPercentageDiscount}, {rating.Minimum}, {rating.Maximum},
	} {
		for _, invoiceLevel := range []bool{false, true} {
			for _, w := range works {
				if slices.Contains(step, w.Kind) && w.InvoiceLevel == invoiceLevel && len(w.Lines) > 0 {
					b.apply(w)
				}
			}
		}
	}
}

func (b *ledger) apply(a rating.Work) {
	on := a.Lines
	value := halfAway(product(inCents(a.Value), big.NewRat(int64(a.Fraction.Part), int64(a.Fraction.Whole))))
	sum, spent := new(big.Rat), new(big.Rat)
	for _, k := range on {
		sum.Add(sum, b.cents[k])
		if b.cents[k].Sign() > 0 {
			spent.Add(spent, b.cents[k])
		}
	}
	switch a.Kind {
	case rating.AmountDiscount:
		if value.Cmp(spent) > 0 {
			value = spent
		}
		b.share(value, on, -1)
	case rating.PercentageDiscount:
		for _, k := range on {
			b.cents[k] = difference(b.cents[k], halfAway(product(b.cents[k], rat(a.Value.String()))))
		}
	case rating.TieredPercentageDiscount: // what lies above each bound, at what the rate changes there
		off, before := new(big.Rat), new(big.Rat)
		for _, t := range a.Tiers {
			if above := difference(sum, inCents(t.LowerBound)); above.Sign() > 0 {
				off.Add(off, product(above, difference(rat(t.Percentage.String()), before)))
			}
			before = rat(t.Percentage.String())
		}
		b.share(halfAway(off), on, -1)
	case rating.Minimum:
		if short := difference(value, sum); short.Sign() > 0 {
			b.share(short, on, 1)
		}
	case rating.Maximum:
		if over := difference(sum, value); over.Sign() > 0 {
			b.share(over, on, -1)
		}
	}
}

// share gives out whole cents: first what is surely due to each line, then one at a
// time to the line that is owed most.
func (b *ledger) share(cents *big.Rat, on []int, sign int64) {
	weights, sum := map[int]*big.Rat{}, new(big.Rat)
	for _, k := range on {
		weights[k] = charged(money.Must(b.cents[k].FloatString(0)))
		sum.Add(sum, weights[k])
	}
	if sum.Sign() == 0 {
		for _, k := range on {
			weights[k] = big.NewRat(1, 1)
		}
		sum.SetInt64(int64(len(on)))
	}
	given, left := map[int]*big.Rat{}, new(big.Rat).Set(cents)
	owed := map[int]*big.Rat{}
	for _, k := range on {
		due := product(cents, new(big.Rat).Quo(weights[k], sum))
		given[k] = new(big.Rat).SetInt(new(big.Int).Quo(due.Num(), due.Denom()))
		owed[k] = difference(due, given[k])
		left.Sub(left, given[k])
	}
	one := big.NewRat(1, 1)
	for left.Sign() > 0 {
		most := on[0]
		for _, k := range on {
			if owed[k].Cmp(owed[most]) > 0 {
				most = k
			}
		}
		given[most].Add(given[most], one)
		owed[most].Sub(owed[most], one)
		left.Sub(left, one)
	}
	for _, k := range on {
		b.cents[k] = new(big.Rat).Add(b.cents[k], product(given[k], big.NewRat(sign, 1)))
	}
}

// halfAway rounds to a whole number, halves away from zero.
func halfAway(r *big.Rat) *big.Rat {
	whole, ok := new(big.Int).SetString(r.FloatString(0), 10)
	if !ok {
		panic("not a number: " + r.String())
	}
	return new(big.Rat).SetInt(whole)
}

func drawLines(t *rapid.T, least string) []rating.Line {
	lines := make([]rating.Line, rapid.IntRange(1, 6).Draw(t, "lines"))
	for k := range lines {
		lines[k] = rating.Line{
			Price: rating.Priced{
				PriceID: fmt.Sprintf("p%d", k), Currency: "USD", Usage: true, InAdvance: rapid.Bool().Draw(t, "in advance"),
			},
			Subtotal: money.Must(rapid.OneOf(
				rapid.StringMatching(least+`[0-9]{1,3}\.[0-9]{2}`), rapid.Just("0"), rapid.StringMatching(`[0-9]{1,20}\.[0-9]{2}`),
			).Draw(t, "subtotal")),
		}
	}
	return lines
}

// drawWorks puts adjustments to work on all lines that they match, each for a part of a billing period.
func drawWorks(t *rapid.T, lines []rating.Line, adjustments []rating.Adjustment) []rating.Work {
	works := make([]rating.Work, len(adjustments))
	for i, a := range adjustments {
		whole := rapid.IntRange(1, 31).Draw(t, "days")
		works[i] = rating.Work{Adjustment: a, Fraction: period.Fraction{Part: rapid.IntRange(0, whole).Draw(t, "of them"), Whole: whole}}
		for k, line := range lines {
			if a.WorksOn(line) {
				works[i].Lines = append(works[i].Lines, k)
			}
		}
	}
	return works
}

// drawAdjustments draws some of those kinds, for all lines or one.
func drawAdjustments(t *rapid.T, kinds ...rating.AdjustmentKind) []rating.Adjustment {
	adjustments := make([]rating.Adjustment, rapid.IntRange(1, 5).Draw(t, "adjustments"))
	for i := range adjustments {
		a := of(rapid.SampledFrom(kinds).Draw(t, "kind"), "0")
		switch a.Kind {
		case rating.PercentageDiscount:
			a.Value = drawPercentage(t)
		case rating.TieredPercentageDiscount:
			a.Tiers = []rating.PercentageTier{{Percentage: drawPercentage(t)}}
			for _, bound := range append(drawBounds(t), "500") {
				end := a.Tiers[len(a.Tiers)-1].LowerBound.Add(money.Must(bound))
				a.Tiers[len(a.Tiers)-1].UpperBound = &end
				a.Tiers = append(a.Tiers, rating.PercentageTier{LowerBound: end, Percentage: drawPercentage(t)})
			}
		default:
			a.Value = money.Must(rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{1,3})?`).Draw(t, "value"))
		}
		a.InvoiceLevel = rapid.Bool().Draw(t, "invoice level")
		if rapid.Bool().Draw(t, "one price") {
			a.Filters = only(fmt.Sprintf("p%d", rapid.IntRange(0, 6).Draw(t, "price")), a).Filters
		}
		a.ID = fmt.Sprintf("adj%d", i)
		adjustments[i] = a
	}
	return adjustments
}

func drawPercentage(t *rapid.T) money.Decimal {
	return money.Must(rapid.StringMatching(`0(\.[0-9]{1,4})?|1`).Draw(t, "percentage"))
}

// adding are all kinds that work on amounts.
var adding = []rating.AdjustmentKind{
	rating.AmountDiscount, rating.PercentageDiscount, rating.TieredPercentageDiscount, rating.Minimum, rating.Maximum,
}

func totalOf(adjusted []rating.Adjusted) (sum money.Decimal) {
	for _, line := range adjusted {
		sum = sum.Add(line.Subtotal)
	}
	return sum
}

// always declares a property of adjustments.
func always(sentence string, check func(t *rapid.T)) bool {
	return Describe("adjusted lines", func() {
		It(sentence, func() { rapid.Check(GinkgoT(), check) })
	})
}

var (
	_ = always("equal the whole cents, shared out one by one", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		works := drawWorks(t, lines, drawAdjustments(t, adding...))
		book := newLedger(lines)
		book.adjust(works)
		for k, line := range rating.AdjustPeriods(lines, nil, works) {
			if inCents(line.Subtotal).Cmp(book.cents[k]) != 0 {
				t.Fatalf("line %d is %s, want %s cents", k, line.Subtotal, book.cents[k].FloatString(2))
			}
		}
	})

	_ = always("add up to the cent, and what was split is whole", func(t *rapid.T) {
		lines, adjustments := drawLines(t, "-?"), drawAdjustments(t, adding...)
		shared, whole := map[string]money.Decimal{}, map[string]rating.Applied{}
		for k, line := range rating.Adjust(lines, adjustments, nil) {
			sum := lines[k].Subtotal
			for _, applied := range line.Applied {
				if !applied.Before.Equal(sum) {
					t.Fatalf("line %d is %s before %s, which says %s", k, sum, applied.AdjustmentID, applied.Before)
				}
				if applied.Amount.Places() > 2 {
					t.Fatalf("%s is added to line %d", applied.Amount, k)
				}
				sum = sum.Add(applied.Amount)
				shared[applied.AdjustmentID] = shared[applied.AdjustmentID].Add(applied.Amount)
				whole[applied.AdjustmentID] = applied
			}
			if !sum.Equal(line.Subtotal) {
				t.Fatalf("line %d adds up to %s and says %s", k, sum, line.Subtotal)
			}
		}
		for id, sum := range shared {
			if !sum.Equal(whole[id].Whole) {
				t.Fatalf("shares of %s add up to %s of %s", id, sum, whole[id].Whole)
			}
		}
	})

	_ = always("reach a minimum and keep to a maximum", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		kind := rapid.SampledFrom([]rating.AdjustmentKind{rating.Minimum, rating.Maximum}).Draw(t, "kind")
		a := of(kind, rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{1,3})?`).Draw(t, "value"))
		adjusted := rating.Adjust(lines, []rating.Adjustment{a}, nil)
		limit, sum := adjusted[0].Applied[0].Value, totalOf(adjusted)
		if side := sum.Cmp(limit); kind == rating.Minimum && side < 0 || kind == rating.Maximum && side > 0 {
			t.Fatalf("%s of %s, and the lines add up to %s", kind, limit, sum)
		}
	})

	_ = always("do not depend on the order of creation across kinds", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		first := drawAdjustments(t, rating.AmountDiscount)
		second := drawAdjustments(t, rating.PercentageDiscount, rating.TieredPercentageDiscount)
		third := drawAdjustments(t, rating.Minimum)
		want := rating.Adjust(lines, slices.Concat(first, second, third), nil)
		var mixed []rating.Adjustment
		for _, kind := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
			mixed = append(mixed, [][]rating.Adjustment{first, second, third}[kind]...)
		}
		for k, line := range rating.Adjust(lines, mixed, nil) {
			if !line.Subtotal.Equal(want[k].Subtotal) {
				t.Fatalf("line %d is %s or %s", k, line.Subtotal, want[k].Subtotal)
			}
		}
	})

	_ = always("keep their sign under percentages", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		for k, line := range rating.Adjust(lines, drawAdjustments(t, rating.PercentageDiscount, rating.TieredPercentageDiscount), nil) {
			if lines[k].Subtotal.Sign()*line.Subtotal.Sign() < 0 || line.Subtotal.Abs().Cmp(lines[k].Subtotal.Abs()) > 0 {
				t.Fatalf("%s becomes %s", lines[k].Subtotal, line.Subtotal)
			}
		}
	})

	_ = always("do not fall below zero by amounts and maximums", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		for k, line := range rating.Adjust(lines, drawAdjustments(t, rating.AmountDiscount, rating.Maximum), nil) {
			before := lines[k].Subtotal
			if before.Sign() <= 0 && !line.Subtotal.Equal(before) || before.Sign() > 0 && (line.Subtotal.Sign() < 0 || line.Subtotal.Cmp(before) > 0) {
				t.Fatalf("%s becomes %s", before, line.Subtotal)
			}
		}
	})

	_ = always("cost under a usage discount what the units that are left cost", func(t *rapid.T) {
		s := rapid.OneOf(rapid.Custom(drawTiered), rapid.Custom(drawBulk), rapid.Custom(drawPackage), rapid.Custom(drawMatrix)).Draw(t, "sample")
		u := s.fullUsage(t, model(s.modelType, s.config))
		units := drawQuantity(t).Abs()
		line := used(s.modelType, s.config, u)
		got := rating.Adjust([]rating.Line{line}, []rating.Adjustment{of(rating.UsageDiscount, units.String())}, nil)[0].Subtotal
		left := halfAway(product(s.priceLess(u, rat(units.String())), big.NewRat(100, 1)))
		if inCents(got).Cmp(left) != 0 {
			t.Fatalf("%s over %+v less %s costs %s, want %s cents", s.config, u, units, got, left.FloatString(0))
		}
	})
)

// priceLess is what is left of usage costs. Of a matrix each cell keeps its share,
// so that what is above zero costs its share of what it did.
func (s sample) priceLess(u rating.Usage, units *big.Rat) *big.Rat {
	if u.Cells == nil {
		left := difference(rat(u.Quantity.String()), units)
		if u.Quantity.Sign() > 0 {
			u.Quantity = money.Decimal{}
			if left.Sign() > 0 {
				u.Quantity = money.Must(left.FloatString(20))
			}
		}
		return s.price(u)
	}
	above, below := rating.Usage{Cells: []rating.Cell{}}, rating.Usage{Cells: []rating.Cell{}}
	sum := new(big.Rat)
	for _, cell := range u.Cells {
		if cell.Quantity.Sign() > 0 {
			above.Cells = append(above.Cells, cell)
			sum.Add(sum, rat(cell.Quantity.String()))
		} else {
			below.Cells = append(below.Cells, cell)
		}
	}
	if left := difference(sum, units); left.Sign() > 0 {
		return new(big.Rat).Add(s.price(below), product(s.price(above), left.Quo(left, sum)))
	}
	return s.price(below)
}
