package rating_test

import (
	"fmt"
	"math/big"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

// A sample is a drawn configuration with a second reckoning of its price, over
// fractions and with no eye to speed.
type sample struct {
	modelType, config string
	prorated          bool
	price             func(u rating.Usage) *big.Rat // before prorated
	drawUsage         func(*rapid.T) rating.Usage   // nil: quantities or cells as the model needs them
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return r
}

func product(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func difference(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// positive is r, or 0 where that is below it.
func positive(r *big.Rat) *big.Rat {
	if r.Sign() > 0 {
		return r
	}
	return new(big.Rat)
}

// charged is a quantity as all but linear models see it.
func charged(q money.Decimal) *big.Rat { return positive(rat(q.String())) }

func drawRate(t *rapid.T) string {
	return rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,4})?`).Draw(t, "rate")
}

func drawQuantity(t *rapid.T) money.Decimal {
	return money.Must(rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,3}`),
		rapid.StringMatching(`[0-9]{1,6}(\.[0-9]{1,8})?`),
		rapid.StringMatching(`[0-9]{1,30}(\.[0-9]{1,20})?`),
	).Draw(t, "quantity"))
}

// drawBounds draws ascending bounds, which quantities often meet.
func drawBounds(t *rapid.T) (bounds []string) {
	at := 0
	for range rapid.IntRange(0, 4).Draw(t, "bounds") {
		at += rapid.IntRange(1, 300).Draw(t, "width")
		bounds = append(bounds, fmt.Sprint(at))
	}
	return bounds
}

func drawUnit(t *rapid.T) sample {
	rate := drawRate(t)
	s := sample{modelType: "unit", prorated: rapid.Bool().Draw(t, "prorated")}
	s.config = fmt.Sprintf(`{"unit_amount": %q, "prorated": %v}`, rate, s.prorated)
	s.price = func(u rating.Usage) *big.Rat { return product(rat(u.Quantity.String()), rat(rate)) }
	return s
}

func drawTiered(t *rapid.T) sample {
	bounds := drawBounds(t)
	var rates, tiers []string
	for i := range len(bounds) + 1 {
		rates = append(rates, drawRate(t))
		first, last := "0", "null"
		if i > 0 {
			first = bounds[i-1]
		}
		if i < len(bounds) {
			last = bounds[i]
		}
		tiers = append(tiers, fmt.Sprintf(`{"first_unit": %s, "last_unit": %s, "unit_amount": %q}`, first, last, rates[i]))
	}
	s := sample{modelType: "tiered", prorated: rapid.Bool().Draw(t, "prorated")}
	s.config = fmt.Sprintf(`{"prorated": %v, "tiers": [%s]}`, s.prorated, strings.Join(rapid.Permutation(tiers).Draw(t, "order"), ","))
	s.price = func(u rating.Usage) *big.Rat { // from the top: what lies above each bound
		rest, sum := charged(u.Quantity), new(big.Rat)
		for i := len(bounds) - 1; i >= 0; i-- {
			if above := new(big.Rat).Sub(rest, rat(bounds[i])); above.Sign() > 0 {
				sum.Add(sum, product(above, rat(rates[i+1])))
				rest = rat(bounds[i])
			}
		}
		return sum.Add(sum, product(rest, rat(rates[0])))
	}
	return s
}

func drawBulk(t *rapid.T) sample {
	bounds := drawBounds(t)
	open := len(bounds) == 0 || rapid.Bool().Draw(t, "open")
	var rates, tiers []string
	for _, bound := range bounds {
		rates = append(rates, drawRate(t))
		tiers = append(tiers, fmt.Sprintf(`{"maximum_units": %s, "unit_amount": %q}`, bound, rates[len(rates)-1]))
	}
	if open {
		rates = append(rates, drawRate(t))
		tiers = append(tiers, fmt.Sprintf(`{"unit_amount": %q}`, rates[len(rates)-1]))
	}
	s := sample{modelType: "bulk"}
	s.config = fmt.Sprintf(`{"tiers": [%s]}`, strings.Join(rapid.Permutation(tiers).Draw(t, "order"), ","))
	s.price = func(u rating.Usage) *big.Rat {
		q := charged(u.Quantity)
		passed := 0
		for _, bound := range bounds {
			if q.Cmp(rat(bound)) > 0 {
				passed++
			}
		}
		return product(q, rat(rates[min(passed, len(rates)-1)]))
	}
	return s
}

func drawPackage(t *rapid.T) sample {
	amount, size := drawRate(t), rapid.Int64Range(1, 500).Draw(t, "size")
	s := sample{modelType: "package"}
	s.config = fmt.Sprintf(`{"package_amount": %q, "package_size": %d}`, amount, size)
	s.price = func(u rating.Usage) *big.Rat {
		q := charged(u.Quantity)
		q.Quo(q, new(big.Rat).SetInt64(size))
		up := new(big.Int).Sub(new(big.Int).Add(q.Num(), q.Denom()), big.NewInt(1))
		return product(new(big.Rat).SetInt(up.Quo(up, q.Denom())), rat(amount))
	}
	return s
}

func drawMatrix(t *rapid.T) sample {
	fields, rate := drawMatrixFields(t)
	s := sample{modelType: "matrix", config: "{" + fields + "}"}
	s.price = func(u rating.Usage) *big.Rat {
		return sumOf(u.Cells, func(c rating.Cell) *big.Rat { return product(rat(c.Quantity.String()), rate(c.Values)) })
	}
	return s
}

// drawnTuple is a JSON list of two values out of few, so that they often meet.
var drawnTuple = rapid.Custom(func(t *rapid.T) string {
	value := rapid.SampledFrom([]string{`null`, `""`, `"x"`, `"X"`, `"null"`, `"x\"\"x"`})
	return "[" + value.Draw(t, "a") + "," + value.Draw(t, "b") + "]"
})

func tupleJSON(tuple []*string) string {
	texts := []string{}
	for _, value := range tuple {
		if value == nil {
			texts = append(texts, "null")
		} else {
			texts = append(texts, fmt.Sprintf("%q", *value))
		}
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// usage draws what the model is asked to charge, unless its sample draws its own.
func (s sample) usage(t *rapid.T) rating.Usage {
	var u rating.Usage
	if s.drawUsage != nil {
		u = s.drawUsage(t)
	} else {
		u = drawNeeded(t, model(s.modelType, s.config).Needs())
	}
	if rapid.Bool().Draw(t, "partial") {
		u.Fraction.Whole = rapid.IntRange(1, 366).Draw(t, "whole")
		u.Fraction.Part = rapid.IntRange(0, u.Fraction.Whole).Draw(t, "part")
	}
	return u
}

func drawNeeded(t *rapid.T, needs rating.Needs) rating.Usage {
	if needs.Single() {
		return rating.Usage{Quantity: drawQuantity(t), Fixed: rapid.Bool().Draw(t, "fixed")}
	}
	return rating.Usage{Cells: drawCells(t, len(needs.Split), nullable("x", "X", "", "null", `x""x`))}
}

// drawCells draws usage of distinct tuples of so many values.
func drawCells(t *rapid.T, dimensions int, value *rapid.Generator[*string]) []rating.Cell {
	tuple := rapid.SliceOfN(value, dimensions, dimensions)
	cells := []rating.Cell{}
	for _, values := range rapid.SliceOfNDistinct(tuple, 0, 8, tupleJSON).Draw(t, "cells") {
		cells = append(cells, rating.Cell{Values: values, Quantity: drawQuantity(t)})
	}
	return cells
}

// nullable draws one of the values, or none.
func nullable(values ...string) *rapid.Generator[*string] {
	pool := []*string{nil}
	for _, v := range values {
		pool = append(pool, &v)
	}
	return rapid.SampledFrom(pool)
}

// law declares that a model costs what its sample says.
func law(modelType string, draw func(*rapid.T) sample) bool {
	laws[modelType] = draw
	return Describe("every "+modelType+" price", func() {
		It("costs what fractions say, in parts that sum to it", func() {
			rapid.Check(GinkgoT(), func(t *rapid.T) {
				s := draw(t)
				check(t, s, s.usage(t))
			})
		})
	})
}

// laws are the samples by model_type.
var laws = map[string]func(*rapid.T) sample{}

// check compares a charge with the reckoning of its sample.
func check(t *rapid.T, s sample, u rating.Usage) {
	c := rating.Rate(model(s.modelType, s.config), u)
	full := u
	if u.Fixed {
		full.Fraction = period.Fraction{} // prorated here, as a whole
	}
	want := s.price(full)
	if u.Fraction != (period.Fraction{}) && (u.Fixed || s.prorated) {
		want = product(want, rateOf(u.Fraction))
	}
	// What a division leaves below the 20th digit is cut, of each part at most.
	off := new(big.Rat).Sub(want, rat(c.Subtotal.String()))
	if off.Abs(off).Cmp(product(rat("1e-20"), big.NewRat(int64(1+len(c.Parts)), 1))) >= 0 {
		t.Fatalf("%s over %+v costs %s, want %s", s.config, u, c.Subtotal, want.FloatString(30))
	}
	var parts money.Decimal
	for _, p := range c.Parts {
		parts = parts.Add(p.Amount)
	}
	if !parts.Equal(c.Subtotal) {
		t.Fatalf("%s over %+v: parts of %s, line of %s", s.config, u, parts, c.Subtotal)
	}
}

// rateOf is the fraction of a period that was served.
func rateOf(f period.Fraction) *big.Rat {
	if f == (period.Fraction{}) {
		return big.NewRat(1, 1)
	}
	return big.NewRat(int64(f.Part), int64(f.Whole))
}

var (
	_ = law("unit", drawUnit)
	_ = law("tiered", drawTiered)
	_ = law("bulk", drawBulk)
	_ = law("package", drawPackage)
	_ = law("matrix", drawMatrix)
)

var _ = Describe("every graduated price", func() {
	It("never charges less for more, tier by tier or package by package", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			s := rapid.OneOf(
				rapid.Custom(drawTiered), rapid.Custom(drawTieredWithProration),
				rapid.Custom(drawPackage), rapid.Custom(drawPackageWithAllocation), rapid.Custom(drawTieredPackage),
			).Draw(t, "sample")
			a, b := drawQuantity(t), drawQuantity(t)
			m := model(s.modelType, s.config)
			less := rating.Rate(m, rating.Usage{Quantity: money.Min(a, b)})
			more := rating.Rate(m, rating.Usage{Quantity: money.Max(a, b)})
			if more.Subtotal.Cmp(less.Subtotal) < 0 {
				t.Fatalf("%s: %s costs %s, %s costs %s", s.config, money.Min(a, b), less.Subtotal, money.Max(a, b), more.Subtotal)
			}
		})
	})
})
