package metric

import "strings"

// The rules of conditions, loosest first: OR, AND, NOT, predicate
// (semantics 4.4). Brackets may hold a condition or a value, so each rule
// reads a node of either sort and checks the sort where it matters.

// condition reads what is true, false or unknown.
func (p *parser) condition() node {
	at := p.peek().at
	return asCondition(at, p.either())
}

// either := conjunction {OR conjunction}
func (p *parser) either() node { return p.junction("OR", p.conjunction) }

// conjunction := negated {AND negated}
func (p *parser) conjunction() node { return p.junction("AND", p.negated) }

func (p *parser) junction(operator string, part func() node) node {
	at := p.peek().at
	first := part()
	if !p.sees(operator) {
		return first
	}
	parts := []node{asCondition(at, first)}
	for p.accept(operator) {
		next := p.peek().at
		parts = append(parts, asCondition(next, part()))
	}
	return &junction{facts: growCondition(at, parts...), operator: operator, parts: parts}
}

// negated := NOT negated | predicate
func (p *parser) negated() node {
	at := p.peek().at
	if !p.sees("NOT") {
		return p.predicate()
	}
	defer p.nest()()
	p.take()
	next := p.peek().at
	return negate(at, asCondition(next, p.negated()))
}

var comparisons = map[string]string{"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

// predicate := sum [comparison sum | IS [NOT] NULL | [NOT] (IN … | LIKE … | BETWEEN …)]
func (p *parser) predicate() node {
	at := p.peek().at
	left := p.sum()
	if operator := comparisons[p.peek().text]; operator != "" && p.peek().kind == tokenSymbol {
		p.take()
		return compare(at, asValue(at, left), operator, p.addend())
	}
	if p.accept("IS") {
		negative := p.accept("NOT")
		p.expect("NULL", "expected NULL or NOT NULL")
		operand := asValue(at, left)
		return negateIf(negative, at, &missing{facts: growCondition(at, operand), operand: operand})
	}
	negative := p.accept("NOT")
	switch {
	case p.accept("IN"):
		return negateIf(negative, at, p.member(at, asValue(at, left)))
	case p.accept("LIKE"):
		return negateIf(negative, at, p.match(at, asValue(at, left)))
	case p.accept("BETWEEN"):
		return negateIf(negative, at, p.between(at, asValue(at, left)))
	case negative:
		p.peek().at.fail("expected IN, LIKE or BETWEEN")
	}
	return left
}

// member := '(' literal {, literal} ')'. A parameter whose value varies in time is compared by itself.
func (p *parser) member(at place, operand node) node {
	p.expect("(", "expected a list in brackets")
	m := &member{operand: operand}
	parts := []node{m}
	for more := true; more; more = p.accept(",") {
		if len(m.literals)+len(parts) > maxList {
			p.peek().at.fail("a list has at most %d values", maxList)
		}
		if n := p.timed(); n != nil {
			parts = append(parts, compare(at, operand, "=", n))
			continue
		}
		m.literals = append(m.literals, p.literal())
	}
	p.expect(")", "expected a comma or the closing bracket of the list")
	m.facts = growCondition(at, operand, operand, operand) // at most one part for each type
	m.size += len(m.literals)
	switch {
	case len(parts) == 1:
		return m
	case m.literals == nil:
		parts = parts[1:]
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &junction{facts: growCondition(at, parts...), operator: "OR", parts: parts}
}

// match := string, a pattern whose backslashes all escape something
func (p *parser) match(at place, operand node) node {
	t := p.take()
	if t.kind != tokenString {
		t.at.fail("expected a pattern, a string")
	}
	if escapes := len(t.text) - len(strings.TrimRight(t.text, `\`)); escapes%2 == 1 {
		t.at.fail("the pattern ends with an escape character")
	}
	if len(t.text) > maxPattern {
		t.at.fail("a pattern has at most %d bytes", maxPattern)
	}
	return &match{facts: growCondition(at, operand), operand: operand, pattern: t.text}
}

// between := sum AND sum
func (p *parser) between(at place, operand node) node {
	low := compare(at, operand, ">=", p.addend())
	p.expect("AND", "expected AND between the two bounds")
	parts := []node{low, compare(at, operand, "<=", p.addend())}
	return &junction{facts: growCondition(at, parts...), operator: "AND", parts: parts}
}

func compare(at place, left node, operator string, right node) node {
	return &comparison{facts: growCondition(at, left, right), operator: operator, left: left, right: right}
}

func negate(at place, operand node) node {
	return &not{facts: growCondition(at, operand), operand: operand}
}

func negateIf(negative bool, at place, operand node) node {
	if negative {
		return negate(at, operand)
	}
	return operand
}

// asCondition admits a condition, and a value that may be a boolean.
func asCondition(at place, n node) node {
	switch n.about().typ {
	case typBoolean, typAny, typNull:
		return n
	}
	at.fail("expected a condition")
	return nil
}

// asValue admits a value: a condition is none (semantics 4.4).
func asValue(at place, n node) node {
	if n.about().condition {
		at.fail("expected a value, and this is a condition")
	}
	return n
}
