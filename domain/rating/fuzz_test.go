package rating_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

// Any configuration of a model that a client sends is refused by a fault, or
// reads back equal from the database and rates all usage that can be measured.
func FuzzModel(f *testing.F) {
	types := rating.Types()
	for modelType, examples := range tables {
		for _, e := range examples {
			f.Add(slices.Index(types, modelType), e.config, quantities(e.usage), []byte{1, 2, 3}, uint16(e.usage.Fraction.Part), uint16(e.usage.Fraction.Whole), e.usage.Fixed)
		}
	}
	const huge = "999999999999999999999999999999.99999999 -1e29 1e-60 0"
	f.Add(slices.Index(types, "unit"), `{"unit_amount": "999999999999999999999999999999.99999999999999999999", "prorated": true}`, huge, []byte{}, uint16(1), uint16(3), false)
	f.Add(slices.Index(types, "package"), `{"package_amount": "0.00000000000000000001", "package_size": 1}`, huge, []byte{}, uint16(0), uint16(0), false)
	f.Add(slices.Index(types, "tiered"), `{"tiers": [{"first_unit": 0, "last_unit": 1e-60, "unit_amount": "1"}, {"first_unit": 1e-60, "unit_amount": "1"}]}`, huge, []byte{}, uint16(7), uint16(31), true)
	f.Fuzz(func(t *testing.T, n int, config, numbers string, picks []byte, part, whole uint16, fixed bool) {
		modelType := types[uint(n)%uint(len(types))]
		m, err := rating.Decode(modelType, json.RawMessage(config))
		if err != nil {
			isInvalid(t, err)
			return
		}
		kept := stored(t, config)
		again, err := rating.Decode(modelType, kept)
		if err != nil || !equal(m, again) {
			t.Fatalf("%s %s reads back from %s otherwise: %v, %s", modelType, config, kept, err, unlike(m, again))
		}
		u := measured(m, kept, numbers, picks)
		u.Fixed = fixed && m.Needs().Single()
		if whole > 0 {
			u.Fraction = period.Fraction{Part: int(part) % (int(whole) + 1), Whole: int(whole)}
		}
		c := rating.Rate(m, u)
		if other := rating.Rate(again, u); !equal(c, other) {
			t.Fatalf("%s %s over %+v: %s", modelType, config, u, unlike(c, other))
		}
		addsUp(t, c)
	})
}

// A conversion is refused by a fault, or reads back equal and converts all amounts.
func FuzzConversion(f *testing.F) {
	for _, config := range []string{
		``, `null`, `{}`, `{"conversion_rate_type": "unit", "unit_config": {"unit_amount": "0.10"}}`,
		`{"conversion_rate_type": "tiered", "tiered_config": {"tiers": [{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"}, {"first_unit": 50, "unit_amount": "0.08"}]}}`,
		`{"conversion_rate_type": "package", "package_config": {}}`, `{"conversion_rate_type": "unit", "unit_config": {"unit_amount": "1", "prorated": false}}`,
	} {
		f.Add("", config, "75.5")
		f.Add("0.10", config, "-1e29")
		f.Add("1e-60", config, "1e-60")
	}
	f.Fuzz(func(t *testing.T, rate, config, amount string) {
		c, err := conversion(rate, config)
		if err != nil {
			isInvalid(t, err)
			return
		}
		if rate != "" {
			exact, _ := money.ParseNumber(rate)
			rate = exact.String() // as the database holds it
		}
		if config != "" {
			config = string(stored(t, config))
		}
		again, err := conversion(rate, config)
		if err != nil || !equal(c, again) {
			t.Fatalf("%s, %s reads back otherwise: %v, %s", rate, config, err, unlike(c, again))
		}
		if exact, err := money.ParseNumber(amount); err == nil {
			addsUp(t, c.Convert(exact))
		}
	})
}

// An adjustment is refused by a fault, or works on all lines, and what it says it
// added is what it added.
func FuzzAdjustment(f *testing.F) {
	for _, kind := range []rating.AdjustmentKind{
		rating.UsageDiscount, rating.AmountDiscount, rating.PercentageDiscount, rating.TieredPercentageDiscount, rating.Minimum, rating.Maximum, "trial",
	} {
		f.Add(string(kind), "0.5", "0 100 0.1 100 - 0.2", "price_type", "includes", "usage", "12.5 30")
		f.Add(string(kind), "1000", "0 1e29 1", "item_id", "excludes", "i1 i2", "-7 1e29")
		f.Add(string(kind), "-1", "5 1 2", "price_id", "is", " ", "0")
	}
	f.Fuzz(func(t *testing.T, kind, value, tiers, field, operator, values, numbers string) {
		a := rating.Adjustment{
			Kind: rating.AdjustmentKind(kind), Value: decimalsOf(value)[0], Tiers: tiersOf(tiers),
			Filters: []rating.Filter{{Field: rating.FilterField(field), Operator: rating.FilterOperator(operator), Values: strings.Fields(values)}},
		}
		if err := rating.CheckAdjustment(a); err != nil {
			isInvalid(t, err)
			return
		}
		var lines []rating.Line
		for i, q := range decimalsOf(numbers) {
			m := model("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "0.33"}, {"first_unit": 10, "unit_amount": "0.01"}]}`)
			u := rating.Usage{Quantity: q}
			lines = append(lines, rating.Line{
				Price: rating.Priced{PriceID: "p1", ItemID: "i1", Currency: []string{"USD", "JPY", "credits"}[i%3], Usage: true},
				Model: m, Usage: u, Subtotal: rating.Rate(m, u).Subtotal.Round(0),
			})
		}
		for i, adjusted := range rating.Adjust(lines, []rating.Adjustment{a, a}, nil) {
			sum := lines[i].Subtotal
			for _, applied := range adjusted.Applied {
				sum = sum.Add(applied.Amount)
			}
			if !sum.Equal(adjusted.Subtotal) {
				t.Fatalf("%+v on %+v: %s and %s", a, lines[i], sum, adjusted.Subtotal)
			}
		}
	})
}

func isInvalid(t *testing.T, err error) {
	if !fault.Is(err, fault.KindInvalid) {
		t.Fatalf("%v is no fault", err)
	}
}

// addsUp fails the test unless the parts of a charge are all of it.
func addsUp(t *testing.T, c rating.Charge) {
	var sum money.Decimal
	for _, p := range c.Parts {
		sum = sum.Add(p.Amount)
	}
	if !sum.Equal(c.Subtotal) {
		t.Fatalf("parts of %s, subtotal of %s: %+v", sum, c.Subtotal, c)
	}
}

// everything lets cmp look at members that are not exported. Decimals it compares by
// their method Equal.
var everything = cmp.Exporter(func(reflect.Type) bool { return true })

func equal(a, b any) bool    { return cmp.Equal(a, b, everything) }
func unlike(a, b any) string { return cmp.Diff(a, b, everything) }

// stored is a configuration as the database gives it back: members in another order,
// numbers without exponent.
func stored(t *testing.T, config string) json.RawMessage {
	text, err := json.Marshal(plain(tree(config)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// tree is the decoded JSON of a configuration that was accepted.
func tree(config string) (value any) {
	decoder := json.NewDecoder(strings.NewReader(config))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return value
}

func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = plain(member)
		}
	case []any:
		for i, entry := range v {
			v[i] = plain(entry)
		}
	case json.Number:
		exact, err := money.ParseNumber(v.String())
		if err != nil {
			panic(err)
		}
		return json.Number(exact.String())
	}
	return value
}

// measured is usage of the numbers, for each of which picks choose the values of a
// cell among those that the configuration names, and others.
func measured(m rating.Model, config json.RawMessage, numbers string, picks []byte) rating.Usage {
	exact := decimalsOf(numbers)
	at := func(i int) money.Decimal { return exact[i%len(exact)] }
	u := rating.Usage{Quantity: at(0), Filtered: at(1), Components: at(2)}
	split := len(m.Needs().Split)
	if split == 0 {
		return u
	}
	pool := append(texts(tree(string(config))), nil)
	for _, number := range strings.Fields(numbers) {
		pool = append(pool, &number)
	}
	seen := map[string]bool{}
	for i := 0; (i+1)*split <= len(picks); i++ {
		cell := rating.Cell{Quantity: at(i)}
		for _, pick := range picks[i*split : (i+1)*split] {
			cell.Values = append(cell.Values, pool[int(pick)%len(pool)])
		}
		if key := tupleJSON(cell.Values); !seen[key] {
			seen[key] = true
			u.Cells = append(u.Cells, cell)
		}
	}
	return u
}

// texts are all strings in a JSON value.
func texts(value any) (found []*string) {
	switch v := value.(type) {
	case string:
		return []*string{&v}
	case []any:
		for _, entry := range v {
			found = append(found, texts(entry)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			found = append(found, texts(v[key])...)
		}
	}
	return found
}

// quantities writes the numbers of usage, as measured reads them.
func quantities(u rating.Usage) string {
	words := []string{u.Quantity.String(), u.Filtered.String(), u.Components.String()}
	for _, cell := range u.Cells {
		words = append(words, cell.Quantity.String())
	}
	return strings.Join(words, " ")
}

// decimalsOf reads the words that are numbers an event may have; at least 0.
func decimalsOf(words string) (exact []money.Decimal) {
	for _, word := range strings.Fields(words) {
		if d, err := money.ParseNumber(word); err == nil {
			exact = append(exact, d)
		}
	}
	if exact == nil {
		return []money.Decimal{{}}
	}
	return exact
}

// tiersOf reads lower bound, upper bound and percentage, again and again; a bound
// that is no number is none.
func tiersOf(words string) (tiers []rating.PercentageTier) {
	for triple := range slices.Chunk(strings.Fields(words), 3) {
		if len(triple) < 3 {
			break
		}
		tier := rating.PercentageTier{LowerBound: decimalsOf(triple[0])[0], Percentage: decimalsOf(triple[2])[0]}
		if upper, err := money.ParseNumber(triple[1]); err == nil {
			tier.UpperBound = &upper
		}
		tiers = append(tiers, tier)
	}
	return tiers
}
