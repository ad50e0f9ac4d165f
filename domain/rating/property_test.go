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

// A sample is a drawn configuration with a second calculation of its price, over
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

// usage draws what a model is asked to charge.
func (s sample) usage(t *rapid.T, m rating.Model) rating.Usage {
	u := s.fullUsage(t, m)
	if rapid.Bool().Draw(t, "partial") {
		u.Fraction.Whole = rapid.IntRange(1, 366).Draw(t, "whole")
		u.Fraction.Part = rapid.IntRange(0, u.Fraction.Whole).Draw(t, "part")
	}
	return u
}

// fullUsage is usage of a full period, in the sample's own way or as the model needs it.
func (s sample) fullUsage(t *rapid.T, m rating.Model) rating.Usage {
	if s.drawUsage != nil {
		return s.drawUsage(t)
	}
	if m.Needs().Single() {
		return rating.Usage{Quantity: drawQuantity(t), Fixed: rapid.Bool().Draw(t, "fixed")}
	}
	return rating.Usage{Cells: drawCells(t, len(m.Needs().Split), nullable("x", "X", "", "null", `x""x`))}
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

// propertyOf declares that a model costs what its sample says.
func propertyOf(modelType string, draw func(*rapid.T) sample) bool {
	propertySamples[modelType] = draw
	return Describe("every "+modelType+" price", func() {
		It("costs what fractions say, in parts that sum to it", func() {
			rapid.Check(GinkgoT(), func(t *rapid.T) {
				s := draw(t)
				m := model(s.modelType, s.config)
				check(t, s, m, s.usage(t, m))
			})
		})
	})
}

// propertySamples are the samples by model_type.
var propertySamples = map[string]func(*rapid.T) sample{}

// check compares a charge with the calculation of its sample.
func check(t *rapid.T, s sample, m rating.Model, u rating.Usage) {
	c := rating.Rate(m, u)
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
