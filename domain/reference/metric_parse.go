package reference

import (
	"fmt"
	"math/big"
	"strings"
)

// node is an expression, a condition or an aggregate: its parts stand in args.
type node struct {
	kind string // "value", "name", an operator, or the name of a function in capitals
	args []*node
	text string // its words, to find what GROUP BY names

	value any    // of "value"
	table string // of "name": "properties", or the name of a sub-query
	name  string
	quote bool // the name stood in quotes

	distinct, star bool // of COUNT
	not            bool // of IS, IN, LIKE, BETWEEN
}

// stage is one SELECT.
type stage struct {
	items  []item
	from   *stage // nil: events
	as     string // the name of that sub-query
	where  *node
	groups []*node
	having *node
}

type item struct {
	node *node
	as   string
}

// folds reports whether the stage puts rows together.
func (s *stage) folds() bool {
	if len(s.groups) > 0 || s.having != nil {
		return true
	}
	for _, i := range s.items {
		if i.node.aggregates() {
			return true
		}
	}
	return false
}

var aggregateNames = map[string]bool{
	"COUNT": true, "SUM": true, "MIN": true, "MAX": true, "AVG": true, "LATEST_BY": true, "EARLIEST_BY": true, "PERCENTILE_CONT": true,
}

func (n *node) aggregates() bool {
	if n == nil {
		return false
	}
	if aggregateNames[n.kind] {
		return true
	}
	for _, a := range n.args {
		if a.aggregates() {
			return true
		}
	}
	return false
}

// parser reads tokens. It fails by panicking with an error, which parse turns into one.
type parser struct {
	tokens []token
	at     int
	params map[string]any
}

// parse runs read over all of a text.
func parse[T any](text string, params map[string]any, read func(*parser) T) (result T, err error) {
	tokens, err := tokensOf(text)
	if err != nil {
		return result, err
	}
	p := &parser{tokens: tokens, params: params}
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = failed
		}
	}()
	result = read(p)
	if p.peek().kind != 'e' {
		p.fail()
	}
	return result, nil
}

func (p *parser) fail() {
	panic(fmt.Errorf("metric at %q: %w", p.peek().text, ErrNotCovered))
}

func (p *parser) peek() token { return p.tokens[p.at] }

// is reports whether the next tokens are these words or operators.
func (p *parser) is(words ...string) bool {
	for k, w := range words {
		if p.at+k >= len(p.tokens) {
			return false
		}
		t := p.tokens[p.at+k]
		if t.kind != 'n' && t.kind != 'o' || !strings.EqualFold(t.text, w) {
			return false
		}
	}
	return true
}

// take takes these words if they are next.
func (p *parser) take(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.at += len(words)
	return true
}

func (p *parser) need(words ...string) {
	if !p.take(words...) {
		p.fail()
	}
}

// stage reads a SELECT.
func (p *parser) stage() *stage {
	s := &stage{}
	p.need("SELECT")
	for {
		s.items = append(s.items, p.item())
		if !p.take(",") {
			break
		}
	}
	p.need("FROM")
	if p.take("(") {
		s.from = p.stage()
		p.need(")")
		p.take("AS")
		s.as = p.identifier()
	} else {
		p.need("events")
	}
	if p.take("WHERE") {
		s.where = p.or()
	}
	if p.take("GROUP", "BY") {
		for {
			s.groups = append(s.groups, p.or())
			if !p.take(",") {
				break
			}
		}
	}
	if p.take("HAVING") {
		s.having = p.or()
	}
	return s
}

func (p *parser) item() item {
	i := item{node: p.or()}
	if p.take("AS") {
		i.as = p.identifier()
	} else if i.node.kind == "name" {
		i.as = i.node.name
	}
	return i
}

func (p *parser) identifier() string {
	t := p.peek()
	if t.kind != 'n' && t.kind != 'q' {
		p.fail()
	}
	p.at++
	return t.text
}

// made is a node of the words since the token start.
func (p *parser) made(start int, n *node) *node {
	var words []string
	for _, t := range p.tokens[start:p.at] {
		text := t.text
		if t.kind == 'n' && (p.keyword(text)) {
			text = strings.ToUpper(text)
		}
		words = append(words, string(t.kind)+text)
	}
	n.text = strings.Join(words, "\x00")
	return n
}

func (p *parser) keyword(word string) bool {
	upper := strings.ToUpper(word)
	return aggregateNames[upper] || functionNames[upper] || keywords[upper]
}

var keywords = map[string]bool{
	"AND": true, "OR": true, "NOT": true, "CASE": true, "WHEN": true, "THEN": true, "ELSE": true, "END": true, "IS": true, "NULL": true,
	"IN": true, "LIKE": true, "BETWEEN": true, "CAST": true, "AS": true, "TRUE": true, "FALSE": true, "DISTINCT": true,
}

var functionNames = map[string]bool{
	"COALESCE": true, "NULLIF": true, "ABS": true, "CEIL": true, "FLOOR": true, "ROUND": true, "GREATEST": true, "LEAST": true,
	"LOWER": true, "UPPER": true, "TRIM": true, "LENGTH": true, "CONCAT": true, "SUBSTR": true, "SECOND_FLOOR_TIMESTAMP_MILLIS": true,
	"MINUTE_FLOOR_TIMESTAMP_MILLIS": true, "HOUR_FLOOR_TIMESTAMP_MILLIS": true, "DAY_FLOOR_TIMESTAMP_MILLIS": true,
}

func (p *parser) or() *node {
	start, left := p.at, p.and()
	for p.take("OR") {
		left = p.made(start, &node{kind: "OR", args: []*node{left, p.and()}})
	}
	return left
}

func (p *parser) and() *node {
	start, left := p.at, p.not()
	for p.take("AND") {
		left = p.made(start, &node{kind: "AND", args: []*node{left, p.not()}})
	}
	return left
}

func (p *parser) not() *node {
	start := p.at
	if p.take("NOT") {
		return p.made(start, &node{kind: "NOT", args: []*node{p.not()}})
	}
	return p.predicate()
}

func (p *parser) predicate() *node {
	start, left := p.at, p.sum()
	if p.take("IS") {
		not := p.take("NOT")
		p.need("NULL")
		return p.made(start, &node{kind: "IS NULL", args: []*node{left}, not: not})
	}
	for _, op := range []string{"==", "=", "!=", "<>", "<=", ">=", "<", ">"} {
		if p.take(op) {
			if op == "==" {
				op = "="
			}
			if op == "!=" {
				op = "<>"
			}
			return p.made(start, &node{kind: op, args: []*node{left, p.sum()}})
		}
	}
	not := false
	if p.is("NOT", "IN") || p.is("NOT", "LIKE") || p.is("NOT", "BETWEEN") {
		not = p.take("NOT")
	}
	switch {
	case p.take("IN"):
		n := &node{kind: "IN", args: []*node{left}, not: not}
		p.need("(")
		for {
			n.args = append(n.args, p.sum())
			if !p.take(",") {
				break
			}
		}
		p.need(")")
		return p.made(start, n)
	case p.take("LIKE"):
		return p.made(start, &node{kind: "LIKE", args: []*node{left, p.sum()}, not: not})
	case p.take("BETWEEN"):
		low := p.sum()
		p.need("AND")
		return p.made(start, &node{kind: "BETWEEN", args: []*node{left, low, p.sum()}, not: not})
	}
	return left
}

func (p *parser) sum() *node     { return p.chain(p.product, "+", "-") }
func (p *parser) product() *node { return p.chain(p.signed, "*", "/", "%") }

func (p *parser) chain(operand func() *node, operators ...string) *node {
	start, left := p.at, operand()
next:
	for {
		for _, op := range operators {
			if p.take(op) {
				left = p.made(start, &node{kind: op, args: []*node{left, operand()}})
				continue next
			}
		}
		return left
	}
}

func (p *parser) signed() *node {
	start := p.at
	if p.take("-") {
		return p.made(start, &node{kind: "NEGATIVE", args: []*node{p.signed()}})
	}
	return p.primary()
}

func (p *parser) primary() *node {
	start, t := p.at, p.peek()
	value := func(v any) *node {
		p.at++
		return p.made(start, &node{kind: "value", value: v})
	}
	switch t.kind {
	case '0':
		r, ok := new(big.Rat).SetString(t.text)
		if !ok {
			p.fail()
		}
		return value(r)
	case '\'':
		return value(t.text)
	case '{':
		if over, varies := p.params[t.text].(ByTime); varies {
			p.at++
			return p.made(start, &node{kind: "by time", value: over})
		}
		return value(p.params[t.text])
	case 'q':
		return p.named()
	case 'n':
	default:
		if p.take("(") {
			inner := p.or()
			p.need(")")
			return inner
		}
		p.fail()
	}
	switch upper := strings.ToUpper(t.text); {
	case upper == "TRUE":
		return value(true)
	case upper == "FALSE":
		return value(false)
	case upper == "NULL":
		return value(nil)
	case upper == "CASE":
		p.at++
		n := &node{kind: "CASE"}
		for p.take("WHEN") {
			when := p.or()
			p.need("THEN")
			n.args = append(n.args, when, p.or())
		}
		if p.take("ELSE") {
			n.args = append(n.args, p.or())
		}
		p.need("END")
		return p.made(start, n)
	case p.is(t.text, "(") && upper == "CAST":
		p.at += 2
		n := &node{kind: "CAST", args: []*node{p.or()}}
		p.need("AS")
		n.name = strings.ToUpper(p.identifier())
		p.need(")")
		return p.made(start, n)
	case p.is(t.text, "(") && (aggregateNames[upper] || functionNames[upper]):
		p.at += 2
		n := &node{kind: upper}
		n.star = upper == "COUNT" && p.take("*")
		n.distinct = upper == "COUNT" && p.take("DISTINCT")
		for !n.star && !p.is(")") {
			n.args = append(n.args, p.or())
			if !p.take(",") {
				break
			}
		}
		p.need(")")
		return p.made(start, n)
	}
	return p.named()
}

// named reads a name, behind "properties." or the name of a sub-query perhaps.
func (p *parser) named() *node {
	start := p.at
	n := &node{kind: "name", quote: p.peek().kind == 'q'}
	n.name = p.identifier()
	if !n.quote && p.take(".") {
		n.table, n.name = n.name, p.identifier()
	}
	return p.made(start, n)
}
