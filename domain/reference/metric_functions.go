package reference

import (
	"fmt"
	"math/big"
	"sort"
	"strings"
	"unicode/utf8"
)

// aggregate puts the rows of a scope together. NULL is skipped; over nothing COUNT is 0 and
// the others are NULL (semantics 4.2.2).
func (s *scope) aggregate(n *node, numeric bool) any {
	if n.star {
		return big.NewRat(int64(len(s.rows)), 1)
	}
	needsNumbers := map[string]bool{"SUM": true, "AVG": true, "MIN": true, "MAX": true, "PERCENTILE_CONT": true}[n.kind] ||
		numeric && (n.kind == "LATEST_BY" || n.kind == "EARLIEST_BY")
	var values []any
	var numbers []*big.Rat
	var orders []row
	var keys []any
	for _, r := range s.rows {
		of := &scope{row: r}
		v := of.value(n.args[0], needsNumbers)
		if n.args[0].kind != "name" {
			v = bounded(v)
		}
		if v = plain(v); v == nil {
			continue
		}
		if n.kind == "LATEST_BY" || n.kind == "EARLIEST_BY" {
			key := of.value(n.args[1], false)
			if key == nil {
				continue
			}
			keys = append(keys, key)
		}
		values, orders = append(values, v), append(orders, r)
		if number, ok := v.(*big.Rat); ok {
			numbers = append(numbers, number)
		}
	}
	if n.kind == "COUNT" {
		if !n.distinct {
			return big.NewRat(int64(len(values)), 1)
		}
		seen := map[string]bool{}
		for _, v := range values {
			seen[typed(v)] = true
		}
		return big.NewRat(int64(len(seen)), 1)
	}
	if len(values) == 0 {
		return nil
	}
	switch n.kind {
	case "SUM":
		return sum(numbers...)
	case "AVG":
		return Round(over(sum(numbers...), big.NewRat(int64(len(numbers)), 1)), 40)
	case "MIN", "MAX", "PERCENTILE_CONT":
		sort.Slice(numbers, func(i, j int) bool { return numbers[i].Cmp(numbers[j]) < 0 })
		switch n.kind {
		case "MIN":
			return numbers[0]
		case "MAX":
			return numbers[len(numbers)-1]
		}
		return percentile(numbers, s.number(n.args[1]))
	}
	best := 0 // LATEST_BY, EARLIEST_BY
	for k := range values {
		c := totalOrder(keys[k], keys[best])
		if c == 0 {
			c = int(orders[k].order - orders[best].order)
		}
		if n.kind == "LATEST_BY" && c > 0 || n.kind == "EARLIEST_BY" && c < 0 {
			best = k
		}
	}
	return values[best]
}

// percentile interpolates between the two values around a position.
func percentile(sorted []*big.Rat, fraction *big.Rat) any {
	position := times(fraction, big.NewRat(int64(len(sorted)-1), 1))
	below := int(cut(position).Int64())
	if below+1 >= len(sorted) {
		return sorted[below]
	}
	part := minus(position, big.NewRat(int64(below), 1))
	return plus(sorted[below], times(part, minus(sorted[below+1], sorted[below])))
}

// totalOrder orders values of any types: strings, numbers, booleans.
func totalOrder(a, b any) int {
	if c, ok := order(a, b); ok {
		return c
	}
	return typeOrder(a) - typeOrder(b)
}

func typeOrder(v any) int {
	switch v.(type) {
	case *big.Rat:
		return 1
	case bool:
		return 2
	}
	return 0
}

// function is the value of a function of one row.
func (s *scope) function(n *node) any {
	text := func(k int) (string, bool) {
		t, ok := plain(s.value(n.args[k], false)).(string)
		return t, ok
	}
	switch n.kind {
	case "ABS", "CEIL", "FLOOR", "ROUND":
		x := s.number(n.args[0])
		if x == nil {
			return nil
		}
		switch n.kind {
		case "ABS":
			return new(big.Rat).Abs(x)
		case "CEIL":
			return ceil(x)
		case "FLOOR":
			return floor(x)
		}
		if len(n.args) == 1 {
			return Round(x, 0)
		}
		places := s.number(n.args[1])
		if places == nil {
			return nil
		}
		if !places.IsInt() || places.Sign() < 0 || places.Num().BitLen() > 10 {
			panic(fmt.Errorf("ROUND to %s places: %w", places, ErrNotCovered))
		}
		return Round(x, int(places.Num().Int64()))
	case "SECOND_FLOOR_TIMESTAMP_MILLIS", "MINUTE_FLOOR_TIMESTAMP_MILLIS", "HOUR_FLOOR_TIMESTAMP_MILLIS", "DAY_FLOOR_TIMESTAMP_MILLIS":
		x := s.number(n.args[0])
		if x == nil {
			return nil
		}
		unit := map[byte]int64{'S': 1000, 'M': 60_000, 'H': 3_600_000, 'D': 86_400_000}[n.kind[0]]
		return times(floor(over(x, big.NewRat(unit, 1))), big.NewRat(unit, 1))
	case "LOWER", "UPPER", "TRIM", "LENGTH":
		t, ok := text(0)
		if !ok {
			return nil
		}
		switch n.kind {
		case "LOWER":
			return strings.ToLower(t)
		case "UPPER":
			return strings.ToUpper(t)
		case "TRIM":
			return strings.Trim(t, " ")
		}
		return big.NewRat(int64(utf8.RuneCountInString(t)), 1)
	case "CONCAT":
		all := ""
		for _, a := range n.args {
			t, _ := textOf(s.value(a, false))
			all += t
		}
		if r := []rune(all); len(r) > 65536 {
			all = string(r[:65536])
		}
		return all
	case "SUBSTR":
		return s.substring(n)
	}
	panic(fmt.Errorf("%s: %w", n.kind, ErrNotCovered))
}

// substring counts characters from 1; what lies before the first counts as well, as in SQL.
func (s *scope) substring(n *node) any {
	t, ok := plain(s.value(n.args[0], false)).(string)
	from := s.number(n.args[1])
	if !ok || from == nil {
		return nil
	}
	characters := []rune(t)
	start, end := Round(from, 0), big.NewRat(int64(len(characters))+1, 1)
	if len(n.args) > 2 {
		length := s.number(n.args[2])
		if length == nil {
			return nil
		}
		if length = Round(length, 0); length.Sign() < 0 {
			return nil
		}
		end = least(end, plus(start, length))
	}
	start = greatest(start, one)
	if start.Cmp(end) >= 0 {
		return ""
	}
	return string(characters[start.Num().Int64()-1 : end.Num().Int64()-1])
}

// cast reads a value as another type; what cannot be read is NULL.
func cast(v any, as string) any {
	switch as {
	case "VARCHAR":
		if text, ok := textOf(v); ok {
			return text
		}
		return nil
	case "DOUBLE", "DECIMAL", "BIGINT":
		r, ok := v.(*big.Rat)
		if text, isText := v.(string); isText {
			parsed, err := ParseNumber(strings.Trim(text, " \t\n\r\v\f"))
			if err != nil || !sendable(parsed) {
				return nil
			}
			r, ok = parsed, true
		}
		if !ok {
			return nil
		}
		if as == "BIGINT" {
			if r = Round(r, 0); !r.Num().IsInt64() {
				return nil
			}
		}
		return r
	case "BOOLEAN":
		switch v := v.(type) {
		case bool:
			return v
		case *big.Rat:
			return v.Sign() != 0
		case string:
			switch strings.ToLower(strings.Trim(v, " \t\n\r\v\f")) {
			case "true", "t", "yes", "y", "on", "1":
				return true
			case "false", "f", "no", "n", "off", "0":
				return false
			}
		}
		return nil
	}
	panic(fmt.Errorf("CAST as %s: %w", as, ErrNotCovered))
}
