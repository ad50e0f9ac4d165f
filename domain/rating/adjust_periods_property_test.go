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
	"tollkeeper/domain/reference"
)

// A billed period is one that several documents bill: prices that are charged to date, which are on each of
// them, and a fee, which is on the first one. Prices fall too, but not under discounts of amounts: those of
// several are shared by what each price has by then. Amounts are such that percentages leave whole cents.
type billedPeriod struct {
	toDate [][]money.Decimal // by document and price
	fee    *money.Decimal
	works  []rating.Work // on all lines
}

func drawPeriod(t *rapid.T, kinds []rating.AdjustmentKind) (p billedPeriod) {
	hundreds := func(name string, from, to int) money.Decimal {
		return money.FromInt(int64(rapid.IntRange(from, to).Draw(t, name) * 100))
	}
	prices := rapid.IntRange(1, 3).Draw(t, "prices")
	for range rapid.IntRange(1, 4).Draw(t, "documents") {
		amounts := make([]money.Decimal, prices)
		for k := range amounts {
			amounts[k] = hundreds("to date", 0, 9)
			if n := len(p.toDate); n > 0 && slices.Contains(kinds, rating.AmountDiscount) {
				amounts[k] = money.Max(amounts[k], p.toDate[n-1][k])
			}
		}
		p.toDate = append(p.toDate, amounts)
	}
	if rapid.Bool().Draw(t, "has a fee") {
		fee := hundreds("fee", 0, 5)
		p.fee = &fee
	}
	for i := range rapid.IntRange(1, 2+len(kinds)/3).Draw(t, "adjustments") {
		a := of(rapid.SampledFrom(kinds).Draw(t, "kind"), "0")
		a.ID = fmt.Sprintf("adj%d", i)
		switch a.Kind {
		case rating.PercentageDiscount:
			a.Value = money.FromInt(int64(rapid.IntRange(0, 100).Draw(t, "percent"))).Quo(money.FromInt(100))
		case rating.TieredPercentageDiscount:
			bound := hundreds("bound", 1, 9)
			a.Tiers = []rating.PercentageTier{{UpperBound: &bound, Percentage: money.Must("0.1")}, {LowerBound: bound, Percentage: money.Must("0.25")}}
		default:
			a.Value = money.Must(rapid.StringMatching(`[0-9]{1,4}\.[0-9]{2}`).Draw(t, "value"))
		}
		whole := rapid.IntRange(1, 31).Draw(t, "days")
		p.works = append(p.works, rating.Work{Adjustment: a, Period: "p", Fraction: period.Fraction{Part: rapid.IntRange(0, whole).Draw(t, "of them"), Whole: whole}})
	}
	return p
}

// play adjusts one document after the other. It returns what all of them charge.
func (p billedPeriod) play(t *rapid.T) (sum money.Decimal) {
	var earlier []rating.EarlierLine
	last := map[string]rating.Adjusted{}
	before := map[string]money.Decimal{} // the subtotals
	for n, amounts := range p.toDate {
		var lines []rating.Line
		add := func(row string, subtotal money.Decimal) {
			line := rating.Line{Row: row, Price: rating.Priced{PriceID: row, Currency: "USD", Usage: true}, Subtotal: subtotal}
			if was, known := last[row]; known {
				line.Earlier = &rating.Earlier{Subtotal: before[row], Applied: was.Applied}
			}
			lines = append(lines, line)
		}
		for k, amount := range amounts {
			add(fmt.Sprint("price", k), amount)
		}
		if n == 0 && p.fee != nil {
			add("fee", *p.fee)
		}
		works := p.at(n == len(p.toDate)-1, len(lines), len(earlier))
		adjusted := rating.AdjustPeriods(lines, earlier, works)
		referToDocument(t, lines, earlier, works, adjusted)
		for k, line := range lines {
			part := rating.EarlierLine{Row: line.Row, Subtotal: line.Subtotal.Sub(before[line.Row])}
			for _, a := range adjusted[k].Applied {
				for _, was := range last[line.Row].Applied {
					if was.AdjustmentID == a.AdjustmentID {
						a.Amount = a.Amount.Sub(was.Amount)
					}
				}
				part.Applied = append(part.Applied, a)
			}
			sum = sum.Add(adjusted[k].Subtotal).Sub(last[line.Row].Subtotal)
			earlier, last[line.Row], before[line.Row] = append(earlier, part), adjusted[k], line.Subtotal
		}
	}
	return sum
}

// at are the works of a document: minimums wait for the last one.
func (p billedPeriod) at(isLast bool, lines, earlier int) (works []rating.Work) {
	for _, w := range p.works {
		if w.Kind == rating.Minimum && !isLast {
			continue
		}
		for k := range lines {
			w.Lines = append(w.Lines, k)
		}
		for k := range earlier {
			w.Earlier = append(w.Earlier, k)
		}
		works = append(works, w)
	}
	return works
}

// whole is what one document for the period charges.
func (p billedPeriod) whole() (sum money.Decimal) {
	var lines []rating.Line
	for k, amount := range p.toDate[len(p.toDate)-1] {
		row := fmt.Sprint("price", k)
		lines = append(lines, rating.Line{Row: row, Price: rating.Priced{PriceID: row, Currency: "USD", Usage: true}, Subtotal: amount})
	}
	if p.fee != nil {
		lines = append(lines, rating.Line{Row: "fee", Price: rating.Priced{PriceID: "fee", Currency: "USD", Fixed: true}, Subtotal: *p.fee})
	}
	return totalOf(rating.AdjustPeriods(lines, nil, p.at(true, len(lines), 0)))
}

// referToDocument compares a document with the reference model.
func referToDocument(t *rapid.T, lines []rating.Line, earlier []rating.EarlierLine, works []rating.Work, adjusted []rating.Adjusted) {
	plain := plainLines(lines, nil)
	for k, line := range lines {
		if plain[k].Row = line.Row; line.Earlier != nil {
			before := plainBilled("", line.Earlier.Subtotal, line.Earlier.Applied)
			plain[k].Before = &before
		}
	}
	billed := make([]reference.Billed, len(earlier))
	for k, e := range earlier {
		billed[k] = plainBilled(e.Row, e.Subtotal, e.Applied)
	}
	var all []rating.Adjustment
	for _, w := range works {
		all = append(all, w.Adjustment)
	}
	adjustments := plainAdjustments(all)
	for i, w := range works {
		adjustments[i].ID, adjustments[i].Share = w.ID, big.NewRat(int64(w.Fraction.Part), int64(w.Fraction.Whole))
		adjustments[i].Earlier = func(e int) bool { return slices.Contains(w.Earlier, e) }
	}
	added, err := reference.Adjust(plain, billed, adjustments)
	if err != nil {
		t.Fatal(err)
	}
	compareEffects(t, lines, works, adjusted, added)
}

var _ = Describe("A period that is billed in parts", func() {
	DescribeTable("is charged what one document for it would charge, and each part as by the reference model, under",
		func(kinds ...rating.AdjustmentKind) {
			rapid.Check(GinkgoT(), func(t *rapid.T) {
				p := drawPeriod(t, kinds)
				if parts, whole := p.play(t), p.whole(); !parts.Equal(whole) {
					t.Fatalf("%+v: the parts charge %s, one document %s", p, parts, whole)
				}
			})
		},
		Entry("discounts of amounts", rating.AmountDiscount),
		Entry("percentages", rating.PercentageDiscount),
		Entry("tiered percentages", rating.TieredPercentageDiscount),
		Entry("minimums", rating.Minimum),
		Entry("maximums", rating.Maximum),
		Entry("minimums and maximums", rating.Minimum, rating.Maximum),
		Entry("amounts, minimums and maximums", rating.AmountDiscount, rating.Minimum, rating.Maximum),
	)
})
