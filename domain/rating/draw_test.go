package rating_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

// A sample is a drawn configuration of a model.
type sample struct {
	modelType, config string
	model             rating.Model
}

func drawSample(t *rapid.T, modelType string) sample {
	config := generators[modelType](t)
	return sample{modelType, config, model(modelType, config)}
}

// usage draws what the model is asked to charge, over all or part of a period.
func (s sample) usage(t *rapid.T) rating.Usage {
	u := s.fullUsage(t)
	if rapid.Bool().Draw(t, "partial") {
		u.Fraction.Whole = rapid.IntRange(1, 366).Draw(t, "whole")
		u.Fraction.Part = rapid.IntRange(0, u.Fraction.Whole).Draw(t, "part")
	}
	return u
}

// fullUsage draws usage of a full period, as the model needs it.
func (s sample) fullUsage(t *rapid.T) rating.Usage {
	switch needs := s.model.Needs(); {
	case needs.Composite:
		return rating.Usage{Components: drawQuantity(t)}
	case needs.Filter != nil:
		return rating.Usage{Quantity: drawQuantity(t), Filtered: drawQuantity(t)}
	case needs.Additive: // events have rates, or what is none
		return rating.Usage{Cells: drawCells(t, len(needs.Split), nullable("1.5", "1.50", "01.5", "15e-1", "2", "10", "-2", "0", "-0",
			"", "abc", "NaN", "-Infinity", "1e400000", "1/3", " 2"))}
	case needs.Single():
		return rating.Usage{Quantity: drawQuantity(t), Fixed: rapid.Bool().Draw(t, "fixed")}
	default:
		return rating.Usage{Cells: drawCells(t, len(needs.Split), nullable("x", "X", "", "null", `x""x`))}
	}
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

// inAnyOrder writes rows as a JSON list.
func inAnyOrder(t *rapid.T, rows []string) string {
	return "[" + strings.Join(rapid.Permutation(rows).Draw(t, "order"), ",") + "]"
}
