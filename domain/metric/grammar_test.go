package metric_test

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// language draws terms and propositions with their meaning, over rows whose values
// leaf draws.
type language struct {
	*rapid.T
	leaf func() term
}

// overEvents is the language over the properties of an event.
func overEvents(t *rapid.T) language {
	return language{t, func() term {
		name := rapid.SampledFrom([]string{"a", "b", "c", `odd 'name"`}).Draw(t, "name")
		return named(names[name], name)
	}}
}

// named is a value of the row, under that name in the text.
func named(text, name string) term {
	return term{text, func(r row, numbers bool) value { return plain(r[name], numbers) }}
}

func (l language) pick(of ...string) string { return rapid.SampledFrom(of).Draw(l.T, "pick") }

func (l language) constant() term {
	switch l.pick("number", "string", "word") {
	case "number":
		text := l.pick("0", "1", "2", "5.0", "-7.5", "1e-60", "12.345", ".5", "1e29", "3E+2")
		n, _ := new(big.Rat).SetString(text)
		return term{text, func(row, bool) value { return n }}
	case "string":
		text := l.pick("", "x", "1", "5", "it's", "ä%_\\", "2025-02-30", "true", "zz")
		return term{"'" + strings.ReplaceAll(text, "'", "''") + "'", func(_ row, numbers bool) value { return plain(text, numbers) }}
	default:
		text := l.pick("TRUE", "false", "Null")
		v := map[string]value{"TRUE": true, "false": false}[text]
		return term{text, func(_ row, numbers bool) value { return plain(v, numbers) }}
	}
}

func (l language) term(depth int) term {
	if depth == 0 {
		if l.pick("name", "constant") == "constant" {
			return l.constant()
		}
		return l.leaf()
	}
	x, y := l.term(depth-1), l.term(depth-1)
	switch rule := l.pick("leaf", "sign", "arithmetic", "CASE", "COALESCE", "NULLIF", "GREATEST", "LEAST", "whole", "LENGTH", "text", "CONCAT"); rule {
	case "sign":
		return term{"- (" + x.text + ")", func(r row, _ bool) value { return calculate("-", new(big.Rat), numeric(x.of(r, true))) }}
	case "arithmetic":
		operator := l.pick("+", "-", "*", "/", "%")
		return term{"(" + x.text + " " + operator + " " + y.text + ")", func(r row, _ bool) value {
			return calculate(operator, numeric(x.of(r, true)), numeric(y.of(r, true)))
		}}
	case "CASE":
		p := l.proposition(depth - 1)
		return term{"CASE WHEN " + p.text + " THEN " + x.text + " ELSE " + y.text + " END", func(r row, numbers bool) value {
			if t := p.of(r); t != nil && *t {
				return x.of(r, numbers)
			}
			return y.of(r, numbers)
		}}
	case "COALESCE":
		return term{"coalesce(" + x.text + ", " + y.text + ")", func(r row, numbers bool) value {
			if v := x.of(r, numbers); v != nil {
				return v
			}
			return y.of(r, numbers)
		}}
	case "NULLIF":
		return term{"NULLIF(" + x.text + ", " + y.text + ")", func(r row, numbers bool) value {
			v := x.of(r, numbers)
			if order, ok := compare(v, y.of(r, false)); ok && order == 0 {
				return nil
			}
			return v
		}}
	case "GREATEST", "LEAST":
		sign := map[string]int{"GREATEST": 1, "LEAST": -1}[rule]
		return term{rule + "(" + x.text + ", " + y.text + ")", func(r row, numbers bool) value {
			return extreme(sign, []value{x.of(r, numbers), y.of(r, numbers)})
		}}
	case "whole":
		return l.whole(x)
	case "LENGTH":
		return term{"LENGTH(" + x.text + ")", func(r row, _ bool) value {
			s, ok := x.of(r, false).(string)
			if !ok {
				return nil
			}
			return big.NewRat(int64(utf8.RuneCountInString(s)), 1)
		}}
	case "text":
		return term{"CAST(" + x.text + " AS VARCHAR)", func(r row, numbers bool) value { return plain(printed(x.of(r, false)), numbers) }}
	case "CONCAT":
		return term{"CONCAT(" + x.text + ", " + y.text + ")", func(r row, numbers bool) value {
			first, _ := printed(x.of(r, false)).(string)
			second, _ := printed(y.of(r, false)).(string)
			return plain(first+second, numbers)
		}}
	}
	return x
}

// whole draws a function that rounds.
func (l language) whole(x term) term {
	name := l.pick("ABS", "FLOOR", "CEIL", "ROUND", "hour_floor_timestamp_millis")
	hour := big.NewRat(3_600_000, 1)
	round := map[string]func(*big.Rat) *big.Rat{
		"ABS":   func(n *big.Rat) *big.Rat { return new(big.Rat).Abs(n) },
		"FLOOR": floor,
		"CEIL":  func(n *big.Rat) *big.Rat { return n.Neg(floor(new(big.Rat).Neg(n))) },
		"ROUND": func(n *big.Rat) *big.Rat { return rounded(n, 0) },
		"hour_floor_timestamp_millis": func(n *big.Rat) *big.Rat {
			return new(big.Rat).Mul(floor(new(big.Rat).Quo(n, hour)), hour)
		},
	}[name]
	return term{name + "(" + x.text + ")", func(r row, _ bool) value {
		n := numeric(x.of(r, true))
		if n == nil {
			return nil
		}
		return round(new(big.Rat).Set(n))
	}}
}

// printed is a value as CAST to VARCHAR gives it.
func printed(v value) value {
	switch v := v.(type) {
	case *big.Rat:
		return shortest(v)
	case bool:
		return fmt.Sprint(v)
	}
	return v
}

func (l language) proposition(depth int) proposition {
	x := l.term(max(depth-1, 0))
	if depth > 0 {
		switch rule := l.pick("NOT", "AND", "OR", "predicate"); rule {
		case "NOT":
			p := l.proposition(depth - 1)
			return proposition{"NOT (" + p.text + ")", func(r row) truth { return negated(p.of(r)) }}
		case "AND", "OR":
			p, q := l.proposition(depth-1), l.proposition(depth-1)
			combine := map[string]func(...truth) truth{"AND": all, "OR": some}[rule]
			return proposition{"(" + p.text + " " + rule + " " + q.text + ")", func(r row) truth { return combine(p.of(r), q.of(r)) }}
		}
	}
	switch l.pick("comparison", "BETWEEN", "IN", "IS NULL") {
	case "BETWEEN":
		low, high := l.term(0), l.term(0)
		return proposition{"(" + x.text + ") BETWEEN " + low.text + " AND " + high.text, func(r row) truth {
			v := x.of(r, false)
			return all(holds(">=", v, low.of(r, false)), holds("<=", v, high.of(r, false)))
		}}
	case "IN":
		one, two := l.constant(), l.constant()
		return proposition{"(" + x.text + ") NOT IN (" + one.text + ", " + two.text + ")", func(r row) truth {
			v := x.of(r, false)
			return negated(some(holds("=", v, one.of(r, false)), holds("=", v, two.of(r, false))))
		}}
	case "IS NULL":
		return proposition{"(" + x.text + ") IS NULL", func(r row) truth { return known(x.of(r, false) == nil) }}
	}
	operator, y := l.pick("=", "==", "<>", "!=", "<", "<=", ">", ">="), l.term(0)
	return proposition{"(" + x.text + ") " + operator + " " + y.text, func(r row) truth {
		return holds(operator, x.of(r, false), y.of(r, false))
	}}
}

// odd draws a term of the functions that the reference does not know.
func (l language) odd(depth int) string {
	x, y, z := l.term(depth).text, l.term(depth).text, l.term(0).text
	switch l.pick("ROUND", "SUBSTR", "CAST", "case", "time", "millis") {
	case "ROUND":
		return "ROUND(" + x + ", " + y + ")"
	case "SUBSTR":
		return "SUBSTR(" + x + ", " + y + ", " + z + ")"
	case "CAST":
		return "CAST(" + x + " AS " + l.pick("DOUBLE", "DECIMAL", "BIGINT", "BOOLEAN") + ")"
	case "case":
		return l.pick("LOWER", "UPPER", "TRIM") + "(" + x + ")"
	case "time":
		return "CASE WHEN timestamp > " + x + " THEN timestamp ELSE " + y + " END"
	default:
		return l.pick("second", "minute", "day") + "_floor_timestamp_millis(" + x + " + timestamp_millis)"
	}
}
