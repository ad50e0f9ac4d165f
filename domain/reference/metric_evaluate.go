package reference

import (
	"fmt"
	"math/big"
	"strings"
)

// Metric is the value of a metric over events (semantics 4), not rounded yet if it divides: 0 for none. Parameters are
// strings, numbers (*big.Rat) and ByTime; those not given are NULL. reached says that an event came
// as far as the first SELECT that puts rows together, so that a group of it is asked for.
// What the package does not understand is ErrNotCovered.
func Metric(sql string, params map[string]any, events []Event) (value *big.Rat, reached bool, err error) {
	s, err := parse(sql, params, (*parser).stage)
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = failed
		}
	}()
	m := &measurement{events: events}
	rows := m.rows(s, true)
	value = new(big.Rat)
	if len(rows) == 1 && len(rows[0].columns) == 1 {
		if v, ok := rows[0].columns[0].value.(*big.Rat); ok {
			value = v
		}
	}
	return value, m.reached, nil
}

// Divides reports whether a division or an average stands in a metric: then its value is rounded
// to 20 digits after the point before anything compares or rates it (semantics 4.2.4).
func Divides(sql string) (bool, error) {
	tokens, err := tokensOf(sql)
	if err != nil {
		return false, err
	}
	for _, t := range tokens {
		if t.kind == 'o' && t.text == "/" || t.kind == 'n' && strings.EqualFold(t.text, "AVG") {
			return true, nil
		}
	}
	return false, nil
}

// Holds reports whether a condition is true of an event (semantics 4.4): unknown is not.
func Holds(condition string, e Event) (bool, error) {
	n, err := parse(condition, nil, (*parser).or)
	if err != nil {
		return false, err
	}
	return (&scope{row: row{event: &e}}).value(n, false) == true, nil
}

// row is an event, or what a SELECT gave.
type row struct {
	event   *Event
	columns []column
	as      string // name of the sub-query
	order   int64  // that of its last event
}

type column struct {
	name  string
	value any
}

type measurement struct {
	events  []Event
	reached bool
	folded  bool // a stage has put rows together
}

// rows are the result of a SELECT. What the outermost selects is in a numeric context.
func (m *measurement) rows(s *stage, outermost bool) []row {
	var from []row
	if s.from == nil {
		for k := range m.events {
			from = append(from, row{event: &m.events[k], order: m.events[k].Order})
		}
	} else {
		from = m.rows(s.from, false)
		for k := range from {
			from[k].as = s.as
		}
	}
	var passed []row
	for _, r := range from {
		if s.where == nil || (&scope{row: r}).value(s.where, false) == true {
			passed = append(passed, r)
		}
	}
	if !s.folds() {
		var out []row
		for _, r := range passed {
			out = append(out, s.selected(&scope{row: r}, r.order, outermost))
		}
		return out
	}
	if !m.folded {
		m.folded, m.reached = true, len(passed) > 0
	}
	var groups []*scope
	known := map[string]*scope{}
	for _, r := range passed {
		keys, key := make([]any, len(s.groups)), ""
		for k, g := range s.groups {
			keys[k] = plain((&scope{row: r}).value(g, false))
			key += typed(keys[k]) + "\x00"
		}
		if known[key] == nil {
			known[key] = &scope{folds: true, groups: s.groups, keys: keys}
			groups = append(groups, known[key])
		}
		known[key].rows = append(known[key].rows, r)
	}
	if len(s.groups) == 0 && len(groups) == 0 {
		groups = []*scope{{folds: true}}
	}
	var out []row
	for _, g := range groups {
		if s.having == nil || g.value(s.having, false) == true {
			var order int64
			for _, r := range g.rows {
				if r.order > order {
					order = r.order
				}
			}
			out = append(out, s.selected(g, order, outermost))
		}
	}
	return out
}

func (s *stage) selected(g *scope, order int64, outermost bool) row {
	out := row{order: order}
	for _, i := range s.items {
		v := g.value(i.node, outermost)
		interpolated := outermost && i.node.kind == "PERCENTILE_CONT"
		if !aggregateNames[i.node.kind] && i.node.kind != "name" || interpolated {
			v = bounded(v)
		}
		if !outermost {
			v = plain(v)
		}
		out.columns = append(out.columns, column{i.as, v})
	}
	return out
}

// scope is where an expression is evaluated: one row, or rows put together.
type scope struct {
	row    row
	folds  bool
	groups []*node
	keys   []any // the values of groups
	rows   []row
}

// value is the value of an expression; in a numeric context a string or boolean is NULL
// (semantics 4.2.1).
func (s *scope) value(n *node, numeric bool) any {
	v := s.raw(n, numeric)
	if numeric {
		if r, ok := v.(*big.Rat); ok {
			return r
		}
		return nil
	}
	return v
}

func (s *scope) number(n *node) *big.Rat {
	r, _ := s.value(n, true).(*big.Rat)
	return r
}

func (s *scope) raw(n *node, numeric bool) any {
	if s.folds {
		for k, g := range s.groups {
			if g.text == n.text {
				return s.keys[k]
			}
		}
		if aggregateNames[n.kind] {
			return s.aggregate(n, numeric)
		}
	}
	switch n.kind {
	case "value":
		return n.value
	case "by time":
		return n.value.(ByTime).of(s.row.event)
	case "name":
		return s.named(n)
	case "AND", "OR":
		a, b := s.value(n.args[0], false), s.value(n.args[1], false)
		decides := n.kind == "OR"
		if a == decides || b == decides {
			return decides
		}
		if a == !decides && b == !decides {
			return !decides
		}
		return nil
	case "NOT":
		return negated(s.value(n.args[0], false), true)
	case "IS NULL":
		return (plain(s.value(n.args[0], false)) == nil) != n.not
	case "=", "<>", "<", "<=", ">", ">=":
		return compared(n.kind, s.value(n.args[0], false), s.value(n.args[1], false))
	case "IN":
		v := s.value(n.args[0], false)
		found := any(false)
		for _, a := range n.args[1:] {
			switch compared("=", v, s.value(a, false)) {
			case true:
				return negated(true, n.not)
			case nil:
				found = nil
			}
		}
		return negated(found, n.not)
	case "LIKE":
		text, ok := plain(s.value(n.args[0], false)).(string)
		pattern, also := plain(s.value(n.args[1], false)).(string)
		if !ok || !also {
			return nil
		}
		return negated(like(pattern).MatchString(text), n.not)
	case "BETWEEN":
		v := s.value(n.args[0], false)
		low, high := compared(">=", v, s.value(n.args[1], false)), compared("<=", v, s.value(n.args[2], false))
		switch {
		case low == false || high == false:
			return negated(false, n.not)
		case low == true && high == true:
			return negated(true, n.not)
		}
		return nil
	case "CASE":
		k := 0
		for ; k+1 < len(n.args); k += 2 {
			if s.value(n.args[k], false) == true {
				return plain(s.value(n.args[k+1], numeric))
			}
		}
		if k < len(n.args) {
			return plain(s.value(n.args[k], numeric))
		}
		return nil
	case "COALESCE":
		for _, a := range n.args {
			if v := plain(s.value(a, numeric)); v != nil {
				return v
			}
		}
		return nil
	case "NULLIF":
		v := plain(s.value(n.args[0], numeric))
		if compared("=", v, s.value(n.args[1], numeric)) == true {
			return nil
		}
		return v
	case "GREATEST", "LEAST":
		var best any
		for _, a := range n.args {
			v := plain(s.value(a, numeric))
			if v == nil {
				continue
			}
			if best != nil {
				c, ok := order(v, best)
				if !ok {
					return nil
				}
				if (c > 0) != (n.kind == "GREATEST") || c == 0 {
					continue
				}
			}
			best = v
		}
		return best
	case "+", "-", "*", "/", "%":
		a, b := s.number(n.args[0]), s.number(n.args[1])
		if a == nil || b == nil {
			return nil
		}
		return arithmetic(n.kind, a, b)
	case "NEGATIVE":
		if a := s.number(n.args[0]); a != nil {
			return new(big.Rat).Neg(a)
		}
		return nil
	case "CAST":
		return cast(plain(s.value(n.args[0], false)), n.name)
	}
	return s.function(n)
}

// named is the value of a name: a column of events, a property, or a column of a sub-query.
func (s *scope) named(n *node) any {
	if e := s.row.event; e != nil {
		if n.table == "properties" {
			return e.Properties[n.name]
		}
		if n.table != "" {
			panic(fmt.Errorf("metric reads %s.%s: %w", n.table, n.name, ErrNotCovered))
		}
		if v, ok := e.column(n.name); ok {
			return v
		}
		return e.Properties[n.name]
	}
	for _, c := range s.row.columns {
		if c.name == n.name && (n.table == "" || n.table == s.row.as) {
			return c.value
		}
	}
	panic(fmt.Errorf("metric reads %s: %w", n.name, ErrNotCovered))
}
