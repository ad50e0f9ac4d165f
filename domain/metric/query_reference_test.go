package metric_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A second reading of sub-queries, GROUP BY, HAVING and aggregates: rows are gone
// through one by one, and each answer is worked out from nothing.

// What a row knows beside its values, under names that no property has.
const (
	rowSeq   = "\x00seq"   // int: the last event in it
	rowAt    = "\x00at"    // *big.Rat: the event's timestamp
	rowGroup = "\x00group" // with a number: the value of that GROUP BY
	rowParts = "\x00parts" // []row: what the row was put together of
)

// aggregated is an aggregate over the rows that a row was put together of.
func aggregated(text string, of func(parts []row, numbers bool) value) term {
	return term{text, func(r row, numbers bool) value { return plain(of(r[rowParts].([]row), numbers), numbers) }}
}

func whole(n int) *big.Rat { return big.NewRat(int64(n), 1) }

func counted(rows []row) value { return whole(len(rows)) }

// present are the values of x that are not NULL.
func present(x term) func(rows []row) []value {
	return func(rows []row) (found []value) {
		for _, r := range rows {
			if v := x.of(r, false); v != nil {
				found = append(found, v)
			}
		}
		return found
	}
}

// quantities are the numbers of x, in order.
func quantities(x term, rows []row) (found []*big.Rat) {
	for _, r := range rows {
		if n := quantity(x.of(r, true), true); n != nil {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, (*big.Rat).Cmp)
	return found
}

// over is an aggregate of numbers, and NULL over none.
func over(x term, of func(sorted []*big.Rat) *big.Rat) func(rows []row, _ bool) value {
	return func(rows []row, _ bool) value {
		if sorted := quantities(x, rows); len(sorted) > 0 {
			return of(sorted)
		}
		return nil
	}
}

func total(numbers []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, n := range numbers {
		sum.Add(sum, n)
	}
	return sum
}

// percentile interpolates between the two numbers around the place of fraction.
func percentile(fraction string) func(sorted []*big.Rat) *big.Rat {
	return func(sorted []*big.Rat) *big.Rat {
		f, _ := new(big.Rat).SetString(fraction)
		place := f.Mul(f, whole(len(sorted)-1))
		low := floor(place)
		i := int(low.Num().Int64())
		next := sorted[min(i+1, len(sorted)-1)]
		step := new(big.Rat).Sub(next, sorted[i])
		return step.Add(sorted[i], step.Mul(step, new(big.Rat).Sub(place, low)))
	}
}

// picked is the value of the row that comes last by order and then by seq, or first
// for sign -1.
func picked(x, order term, sign int) func(rows []row, numbers bool) value {
	return func(rows []row, numbers bool) (found value) {
		var best row
		for _, r := range rows {
			v, o := x.of(r, numbers), order.of(r, false)
			if n := numeric(v); n != nil && numbers {
				if v = nil; quantity(n, true) != nil {
					v = quantity(n, true)
				}
			}
			if v == nil || o == nil {
				continue
			}
			if best == nil || sign*byOrder(order, r, best) > 0 {
				best, found = r, v
			}
		}
		return found
	}
}

func byOrder(order term, a, b row) int {
	x, y := order.of(a, false), order.of(b, false)
	if result, same := compare(x, y); !same {
		return typeRank(x) - typeRank(y)
	} else if result != 0 {
		return result
	}
	return a[rowSeq].(int) - b[rowSeq].(int)
}

func typeRank(v value) int {
	switch v.(type) {
	case string:
		return 0
	case *big.Rat:
		return 1
	default:
		return 2
	}
}

// exactly is a text that is the same for equal values.
func exactly(v value) string {
	if n := numeric(v); n != nil {
		return "number " + n.RatString()
	}
	return fmt.Sprintf("%T %v", v, v)
}

func distinct(values []value) value {
	found := map[string]bool{}
	for _, v := range values {
		found[exactly(v)] = true
	}
	return whole(len(found))
}

// selectStage is a SELECT: its text, and the rows that it makes of those of its source.
type selectStage struct {
	text  string
	of    func(rows []row) []row
	reach func(rows []row) []row // the rows that the first SELECT that folds folds; nil: none does yet
}

// reached are the rows that the first fold puts together, where p comes before the next.
func (s selectStage) reached(p *proposition) func(rows []row) []row {
	if s.reach != nil {
		return s.reach
	}
	return func(rows []row) []row { return where(p, s.of(rows)) }
}

// where keeps the rows for which a condition is true.
func where(p *proposition, rows []row) (passed []row) {
	for _, r := range rows {
		if p == nil {
			passed = append(passed, r)
		} else if t := p.of(r); t != nil && *t {
			passed = append(passed, r)
		}
	}
	return passed
}

// folded puts rows together by their groups, and to one row without any.
func folded(groups []term, rows []row) (found []row) {
	at := map[string]int{}
	if len(groups) == 0 {
		at[""], found = 0, []row{{rowParts: []row(nil), rowSeq: -1}}
	}
	for _, r := range rows {
		var key strings.Builder
		together := row{rowParts: []row(nil), rowSeq: -1}
		for i, g := range groups {
			v := g.of(r, false)
			together[fmt.Sprint(rowGroup, i)] = v
			key.WriteString(exactly(v) + "\x00")
		}
		i, known := at[key.String()]
		if !known {
			i = len(found)
			at[key.String()], found = i, append(found, together)
		}
		found[i][rowParts] = append(found[i][rowParts].([]row), r)
		found[i][rowSeq] = max(found[i][rowSeq].(int), r[rowSeq].(int))
	}
	return found
}

// selected are rows of the items x0, x1, ….
func selected(items []term, rows []row) (found []row) {
	for _, r := range rows {
		made := row{rowSeq: r[rowSeq]}
		for i, item := range items {
			made[fmt.Sprint("x", i)] = item.of(r, false)
		}
		found = append(found, made)
	}
	return found
}
