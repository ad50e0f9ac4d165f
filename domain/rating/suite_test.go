package rating_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

func TestRating(t *testing.T) {
	const name = "rapid.checks"
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if !given {
		if err := flag.Set(name, checks); err != nil {
			t.Fatal(err)
		}
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "rating")
}

func model(modelType, config string) rating.Model {
	m, err := rating.Decode(modelType, json.RawMessage(config))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", config, err))
	}
	return m
}

// refused are the fields that Decode names in refusing a configuration.
func refused(modelType, config string) []string {
	_, err := rating.Decode(modelType, json.RawMessage(config))
	var f *fault.Fault
	ExpectWithOffset(1, errors.As(err, &f)).To(BeTrue(), "%v", err)
	fields := []string{}
	for _, v := range f.Violations {
		fields = append(fields, v.Field)
	}
	return fields
}

// total is usage of one number over a full period.
func total(quantity string) rating.Usage {
	return rating.Usage{Quantity: money.Must(quantity)}
}

// over is usage of one number over part of a period's days.
func over(quantity string, part, whole int) rating.Usage {
	u := total(quantity)
	u.Fraction = period.Fraction{Part: part, Whole: whole}
	return u
}

// fixed is the quantity of a fixed fee over part of a period's days.
func fixed(quantity string, part, whole int) rating.Usage {
	u := over(quantity, part, whole)
	u.Fixed = true
	return u
}

// within is usage of part of a period's days.
func within(part, whole int, u rating.Usage) rating.Usage {
	u.Fraction = period.Fraction{Part: part, Whole: whole}
	return u
}

// cells is usage split by properties, written "quantity value value" with - for a
// property that is missing.
func cells(lines ...string) rating.Usage {
	var u rating.Usage
	for _, line := range lines {
		words := strings.Fields(line)
		cell := rating.Cell{Quantity: money.Must(words[0])}
		for _, word := range words[1:] {
			var value *string
			if word != "-" {
				value = &word
			}
			cell.Values = append(cell.Values, value)
		}
		u.Cells = append(u.Cells, cell)
	}
	return u
}

// parts writes the sub-line items of a charge, a line for each, such as
//
//	tier "0 - 100": 100 for 10 (cluster=c1)
//	matrix "a10": 20 scaled 110 for 44
func parts(c rating.Charge) []string {
	lines := []string{}
	for _, p := range c.Parts {
		if p.Kind == rating.PartWorking {
			continue
		}
		line := fmt.Sprintf("%s %q: %s", p.Kind, p.Name, p.Quantity)
		if p.Scaled != nil {
			line += " scaled " + p.Scaled.String()
		}
		line += " for " + p.Amount.String()
		if p.Group != nil {
			value := "-"
			if p.Group.Value != nil {
				value = *p.Group.Value
			}
			line += fmt.Sprintf(" (%s=%s)", p.Group.Key, value)
		}
		lines = append(lines, line)
	}
	return lines
}

// working writes the steps of a charge that are no sub-line items, such as
//
//	packages of 1000: 3 at 5.00 for 15
func working(c rating.Charge) []string {
	lines := []string{}
	for _, p := range c.Parts {
		if p.Kind != rating.PartWorking {
			continue
		}
		line := fmt.Sprintf("%s: %s", p.Name, p.Quantity)
		if p.Scaled != nil {
			line += " scaled " + p.Scaled.String()
		}
		if p.Rate != "" {
			line += " at " + p.Rate
		}
		lines = append(lines, line+" for "+p.Amount.String())
	}
	return lines
}
