package metric

import "strings"

// called reads the operands of the function that name names, from behind its
// opening bracket.
func (p *parser) called(name token) node {
	word := strings.ToUpper(name.text)
	if name.kind == tokenQuoted {
		name.at.fail("this is no function of the language")
	}
	if word == "CAST" {
		return p.cast(name.at)
	}
	if kind, ok := aggregates[word]; ok {
		return p.aggregate(name.at, kind)
	}
	if s, ok := selections[word]; ok {
		operands := p.operands(name.at, s.least, s.most)
		return &selection{facts: grow(name.at, selectedType(word, operands), operands...), name: word, operands: operands}
	}
	if f, ok := functions[word]; ok {
		return p.applied(name.at, f)
	}
	name.at.fail("this is no function of the language")
	return nil
}

// operands := [value {, value}] ')', of which there are least to most.
func (p *parser) operands(at place, least, most int) (operands []node) {
	for more := !p.sees(")"); more; more = p.accept(",") {
		if len(operands) == most {
			p.peek().at.fail("the function takes at most %d operands", most)
		}
		operands = append(operands, p.value())
	}
	p.expect(")", "expected a comma or the closing bracket of the function")
	if len(operands) < least {
		at.fail("the function takes at least %d operands", least)
	}
	return operands
}

// selectedType: NULLIF gives its first operand or nothing.
func selectedType(name string, operands []node) typ {
	if name == "NULLIF" {
		return operands[0].about().typ
	}
	return joined(operands)
}

func (p *parser) applied(at place, f *function) node {
	least, most := len(f.operands)-f.optional, len(f.operands)
	if f == concat {
		least, most = 1, maxOperands
	}
	operands := p.operands(at, least, most)
	if f == concat {
		for i, operand := range operands {
			operands[i] = &cast{facts: grow(operand.about().at, typText, operand), operand: operand, target: "VARCHAR"}
		}
	}
	c := &call{facts: grow(at, f.result, operands...), function: f, operands: operands}
	if f.result == typNumber {
		d := c.digits.or(digits{whole: 10}) // of LENGTH
		c.facts = growNumber(at, digits{d.whole + 1, d.places}, operands...)
	}
	return c
}

// cast := value AS type ')'
func (p *parser) cast(at place) node {
	operand := p.value()
	p.expect("AS", "expected AS and a type")
	t := p.take()
	target := strings.ToUpper(t.text)
	to, ok := castTypes[target]
	if !ok || t.kind != tokenWord {
		t.at.fail("the types are VARCHAR, DOUBLE, DECIMAL, BIGINT and BOOLEAN")
	}
	p.expect(")", "expected the closing bracket of CAST")
	c := &cast{facts: grow(at, to.typ, operand), operand: operand, target: target}
	c.digits = to.digits.or(numberDigits(operand))
	return c
}

// aggregate := * ')' | [DISTINCT] value [, value] ')'
func (p *parser) aggregate(at place, k kind) node {
	if p.totals++; p.totals > maxTotals {
		at.fail("a SELECT has at most %d aggregates", maxTotals)
	}
	a := &aggregate{kind: k}
	p.divides = p.divides || k == kindAvg
	if k == kindCount && p.accept("*") {
		p.expect(")", "expected the closing bracket of COUNT")
		return aggregated(at, a)
	}
	if p.sees("DISTINCT") {
		if k != kindCount {
			p.peek().at.fail("DISTINCT stands in COUNT only")
		}
		p.take()
		a.kind = kindDistinct
	}
	if k == kindPercentile {
		return p.percentile(at, a)
	}
	count := 1
	if k.ranked() {
		count = 2
	}
	operands := p.operands(at, count, count)
	if a.operand = operands[0]; count == 2 {
		a.order = operands[1]
	}
	return aggregated(at, a, operands...)
}

// percentile := value , number ')'
func (p *parser) percentile(at place, a *aggregate) node {
	a.operand = p.value()
	p.expect(",", "expected a comma, and a number from 0 to 1")
	a.fraction = p.literal()
	if f := a.fraction; f.typ != typNumber || f.text[0] == '-' || f.digits.whole > 0 && f.text != "1e0" {
		f.at.fail("expected a number from 0 to 1")
	}
	p.expect(")", "expected the closing bracket of the function")
	return aggregated(at, a, a.operand)
}

// aggregated completes a, whose operands are those of single rows.
func aggregated(at place, a *aggregate, operands ...node) node {
	for _, operand := range operands {
		if inner := operand.about().aggregate; inner != nil {
			inner.fail("an aggregate cannot stand in an aggregate")
		}
	}
	a.facts = grow(at, a.result(), operands...)
	a.facts.digits = a.total()
	a.facts.aggregate, a.facts.loose = &at, nil
	return a
}

// result is the type of the aggregate's value out of a numeric context.
func (a *aggregate) result() typ {
	if a.kind.ranked() {
		return a.operand.about().typ
	}
	return typNumber
}
