package metric

import "strings"

// query := SELECT value [AS name] FROM source [WHERE condition] [HAVING condition]
func (p *parser) query() *Query {
	if !p.sees("SELECT") {
		p.peek().at.fail("a metric is one SELECT statement")
	}
	p.outer = &stage{folds: true}
	p.stage(p.outer, func() { p.outer.items = []item{p.selected()} })
	p.end("nothing may follow the metric")
	return &Query{outer: p.outer, divides: p.divides}
}

// selected reads the one column of a metric.
func (p *parser) selected() item {
	at := p.peek().at
	selected := p.item()
	if selected.value.about().aggregate == nil {
		at.fail("a metric selects an aggregate, such as COUNT(*) or SUM(…)")
	}
	if !p.sees("FROM") {
		p.peek().at.fail("expected FROM events, after one selected column")
	}
	return selected
}

// stage := SELECT items FROM source [WHERE condition] [GROUP BY values] [HAVING condition]
func (p *parser) stage(s *stage, items func()) {
	p.take()
	around, totals := p.source, p.totals
	p.totals = 0
	var behind []token
	s.source, behind = p.ahead()
	p.source = s.source
	items()
	p.expect("FROM", "expected FROM")
	switch {
	case s.source != nil:
		p.tokens = behind
	case !p.accept("EVENTS"):
		p.peek().at.fail("metrics read FROM events, or from a sub-query in brackets")
	}
	if p.accept("WHERE") {
		s.where = p.plainCondition("WHERE")
	}
	if p.sees("GROUP") {
		p.groups(s)
	}
	if p.accept("HAVING") {
		s.having = p.condition()
	}
	p.finish(s)
	p.source, p.totals = around, totals
}

// ahead reads the sub-query behind the next FROM, before the items that name its
// columns are read, and gives it with the tokens behind it. It reads nothing where
// FROM is followed by something else.
func (p *parser) ahead() (sub *stage, behind []token) {
	items := p.tokens
	p.skipItems()
	if p.sees("FROM") && p.isBefore("(") {
		p.take()
		p.take()
		sub = p.subQuery()
	}
	behind, p.tokens = p.tokens, items
	return sub, behind
}

// skipItems goes to the next FROM that is in no bracket.
func (p *parser) skipItems() {
	for brackets := 0; p.peek().kind != tokenEnd; p.take() {
		switch {
		case brackets == 0 && p.sees("FROM"):
			return
		case p.sees("("):
			brackets++
		case p.sees(")"):
			brackets--
		}
	}
}

// subQuery := stage ')' [AS] name
func (p *parser) subQuery() *stage {
	if !p.sees("SELECT") {
		p.peek().at.fail("expected a sub-query, which begins with SELECT")
	}
	if p.stages++; p.stages == maxStages {
		p.peek().at.fail("more than %d SELECTs stand within each other", maxStages)
	}
	s := &stage{}
	p.stage(s, func() { p.items(s) })
	p.refuseUnsupported()
	p.expect(")", "expected the closing bracket of the sub-query")
	if !p.accept("AS") {
		p.refuseUnsupported()
	}
	s.name = p.name("expected a name for the sub-query")
	return s
}

// items := item {, item}
func (p *parser) items(s *stage) {
	for more := true; more; more = p.accept(",") {
		at := p.peek().at
		if len(s.items) == maxColumns {
			at.fail("a sub-query selects at most %d columns", maxColumns)
		}
		next := p.item()
		for _, other := range s.items {
			if next.name != "" && other.name == next.name {
				at.fail("two columns of the sub-query have this name")
			}
		}
		s.items = append(s.items, next)
		s.folds = s.folds || next.value.about().aggregate != nil
	}
}

// item := value [AS name]; a name that is selected keeps its name.
func (p *parser) item() item {
	i := item{value: p.value()}
	switch v := i.value.(type) {
	case *property:
		i.name = v.key
	case *column:
		i.name = v.name
	case *reference:
		i.name = p.source.items[v.index].name
	}
	if p.accept("AS") {
		i.name = p.name("expected a name")
	}
	return i
}

// groups := GROUP BY value {, value}
func (p *parser) groups(s *stage) {
	at := p.take().at
	if s == p.outer {
		at.fail("the outermost SELECT gives one number: GROUP BY stands in sub-queries")
	}
	p.expect("BY", "expected BY")
	for more := true; more; more = p.accept(",") {
		at := p.peek().at
		group := p.value()
		switch f := group.about(); {
		case f.aggregate != nil:
			f.aggregate.fail("an aggregate cannot stand in GROUP BY")
		case f.loose == nil:
			at.fail("GROUP BY takes names and what is computed of them, not a constant or a position")
		case len(s.groups) == maxColumns:
			at.fail("GROUP BY takes at most %d values", maxColumns)
		}
		s.groups, s.keys = append(s.groups, group), append(s.keys, rowKey(group))
	}
	s.folds = true
}

// finish checks a stage that has been read, and the size of all so far.
func (p *parser) finish(s *stage) {
	s.folds = s.folds || s.having != nil
	var roots []node
	for _, i := range s.items {
		roots = append(roots, i.value)
	}
	if s.having != nil {
		roots = append(roots, s.having)
	}
	if s.folds {
		for _, root := range roots {
			s.checkGrouped(root)
		}
	}
	roots = append(roots, s.groups...)
	if s.where != nil {
		roots = append(roots, s.where)
	}
	for _, root := range roots {
		if p.size += root.about().size; p.size > maxSize {
			root.about().at.fail("makes the metric too complex: simplify it")
		}
	}
}

// referred := [sub-query '.'] name, of a column of the sub-query
func (p *parser) referred(t token) node {
	at, name := t.at, t.text
	if p.accept(".") {
		if name != p.source.name {
			at.fail("only the sub-query's own name has names within it")
		}
		name = p.name("expected a name")
	}
	for i, column := range p.source.items {
		if f := column.value.about(); column.name == name {
			return &reference{facts: growName(at, f.typ, f.digits), index: i}
		}
	}
	at.fail("the sub-query has no column of this name")
	return nil
}

// refuseUnsupported names a word of SQL that is no name in this place.
func (p *parser) refuseUnsupported() {
	t := p.peek()
	if word := strings.ToUpper(t.text); t.kind == tokenWord && unsupported[word] {
		t.at.fail("%s is not supported", word)
	}
}
