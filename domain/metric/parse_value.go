package metric

import "strings"

// The rules of values, loosest first: sum, product, sign, operand
// (semantics 4.4).

// value reads an expression that is no condition.
func (p *parser) value() node {
	at := p.peek().at
	return asValue(at, p.either())
}

// addend reads a value beside a comparison, so has none of its own.
func (p *parser) addend() node {
	at := p.peek().at
	return asValue(at, p.sum())
}

// sum := product {(+ | -) product}
func (p *parser) sum() node { return p.arithmetic(p.product, "+", "-") }

// product := signed {(* | / | %) signed}
func (p *parser) product() node { return p.arithmetic(p.signed, "*", "/", "%") }

func (p *parser) arithmetic(operand func() node, operators ...string) node {
	at := p.peek().at
	left := operand()
	for p.seesOneOf(operators) {
		operator := p.take().text
		next := p.peek().at
		left = calculate(at, asValue(at, left), operator, asValue(next, operand()))
		p.divides = p.divides || operator == "/"
	}
	return left
}

func (p *parser) seesOneOf(symbols []string) bool {
	for _, symbol := range symbols {
		if p.sees(symbol) {
			return true
		}
	}
	return false
}

func calculate(at place, left node, operator string, right node) node {
	d := numberDigits(left).by(operator, numberDigits(right))
	return &arithmetic{facts: growNumber(at, d, left, right), operator: operator, left: left, right: right}
}

// numberDigits bounds n where it is a number.
func numberDigits(n node) digits {
	if f := n.about(); f.typ == typNumber || f.typ == typAny {
		return f.digits
	}
	return digits{}
}

// signed := - signed | operand
func (p *parser) signed() node {
	defer p.nest()()
	at := p.peek().at
	if !p.accept("-") {
		return p.operand()
	}
	next := p.peek().at
	operand := asValue(next, p.signed())
	if l, ok := operand.(*literal); ok && l.typ == typNumber && !strings.HasPrefix(l.text, "-") {
		l.at, l.text = at, "-"+l.text
		return l
	}
	return &negation{facts: growNumber(at, numberDigits(operand), operand), operand: operand}
}

// operand := '(' … ')' | CASE … | CAST … | name '(' … ')' | name | literal
func (p *parser) operand() node {
	t := p.peek()
	switch {
	case p.accept("("):
		if p.sees("SELECT") {
			p.peek().at.fail("a sub-query stands behind FROM only")
		}
		inner := p.either()
		p.expect(")", "expected the closing bracket")
		return inner
	case p.accept("CASE"):
		return p.choice(t.at)
	case isName(t) && p.isBefore("("):
		p.take()
		p.take()
		return p.called(t)
	case isName(t):
		return p.named()
	default:
		if n := p.timed(); n != nil {
			return n
		}
		return p.literal()
	}
}

// isBefore tells whether the token after the next is the symbol.
func (p *parser) isBefore(symbol string) bool {
	return len(p.tokens) > 1 && p.tokens[1].kind == tokenSymbol && p.tokens[1].text == symbol
}

// choice := {WHEN condition THEN value} [ELSE value] END
func (p *parser) choice(at place) node {
	c := &choice{}
	var conditions, results []node
	for p.accept("WHEN") {
		if len(results) == maxOperands {
			p.peek().at.fail("CASE has at most %d branches", maxOperands)
		}
		w := when{condition: p.condition()}
		p.expect("THEN", "expected THEN")
		w.result = p.value()
		c.whens = append(c.whens, w)
		conditions, results = append(conditions, w.condition), append(results, w.result)
	}
	if c.whens == nil {
		p.peek().at.fail("expected WHEN")
	}
	if p.accept("ELSE") {
		c.otherwise = p.value()
		results = append(results, c.otherwise)
	}
	p.expect("END", "expected END, which closes CASE")
	c.facts = grow(at, joined(results), append(conditions, results...)...)
	return c
}

// joined is the type of a value that is one of nodes.
func joined(nodes []node) (t typ) {
	for _, n := range nodes {
		t = join(t, n.about().typ)
	}
	return t
}

// named := name | properties '.' name, over events; over a sub-query see referred.
func (p *parser) named() node {
	t := p.take()
	if p.source != nil {
		return p.referred(t)
	}
	prefixed := p.accept(".")
	if prefixed {
		if t.kind != tokenWord || t.text != "properties" {
			t.at.fail("only properties has names within it")
		}
		return newProperty(t.at, p.name("expected a name"))
	}
	return namedBy(t.at, false, t.text)
}

// namedBy is a column or property: a name without a prefix means the column, if
// there is one.
func namedBy(at place, prefixed bool, name string) node {
	if c, ok := columns[name]; ok && !prefixed {
		return &column{facts: growName(at, c.typ, c.digits), name: name}
	}
	return newProperty(at, name)
}

func newProperty(at place, key string) node {
	return &property{facts: growName(at, typAny, eventDigits), key: key}
}

// literal := ['-'] number | string | TRUE | FALSE | NULL | parameter
func (p *parser) literal() *literal {
	at := p.peek().at
	negative := p.accept("-")
	t := p.take()
	switch word := strings.ToUpper(t.text); {
	case t.kind == tokenNumber:
		text, d := plainNumber(t.at, t.text)
		if negative {
			text = "-" + text
		}
		return &literal{facts: growNumber(at, d), text: text}
	case negative:
		t.at.fail("expected a number")
	case t.kind == tokenString:
		return &literal{facts: grow(at, typText), text: t.text}
	case t.kind == tokenParameter:
		p.meet(t)
		if values := p.varying[t.text]; values != nil {
			last := *values[len(values)-1]
			return &last
		}
		return &literal{facts: grow(at, typNull)}
	case t.kind == tokenWord && (word == "TRUE" || word == "FALSE"):
		return &literal{facts: grow(at, typBoolean), yes: word == "TRUE"}
	case t.kind == tokenWord && word == "NULL":
		return &literal{facts: grow(at, typNull)}
	case t.kind == tokenWord && word == "SELECT":
		t.at.fail("a sub-query stands behind FROM only")
	}
	t.at.fail("expected a value")
	return nil
}
