package metric

import "strings"

// Query is a metric: one number of the events.
type Query struct {
	outer      *stage
	text       string
	parameters []string
	divides    bool
}

// Text is the SQL that the metric was written in.
func (q *Query) Text() string { return q.text }

// Divides reports whether a / or an AVG stands in the metric. Then its result is still to be
// rounded (semantics 4.2.4).
func (q *Query) Divides() bool { return q.divides }

// Condition is a filter: true, false or unknown for an event.
type Condition struct{ root node }

// Parse reads a metric's SQL (semantics 4.1.4). The error is a *SyntaxError.
func Parse(sql string) (q *Query, err error) {
	err = read(sql, func(p *parser) {
		q = p.query()
		q.text, q.parameters = sql, p.parameters
	})
	return q, err
}

// ParseCondition reads a filter (semantics 4.4). The error is a *SyntaxError.
func ParseCondition(s string) (c *Condition, err error) {
	err = read(s, func(p *parser) {
		c = &Condition{root: p.plainCondition("a filter")}
		p.end("nothing may follow the condition")
	})
	return c, err
}

// read runs a rule of the grammar over text and catches its failure.
func read(text string, rule func(*parser)) (err error) {
	defer func() {
		if failure := recover(); failure != nil {
			syntax, ok := failure.(*SyntaxError)
			if !ok {
				panic(failure)
			}
			err = syntax
		}
	}()
	checkText(text)
	rule(&parser{tokens: scan(text)})
	return nil
}

// parser walks the tokens by recursive descent; each method reads one rule of
// the grammar, and fails at the first token that does not fit.
type parser struct {
	tokens  []token // closed by tokenEnd
	outer   *stage  // of a metric
	source  *stage  // whose columns names mean; nil: those of the events
	nesting int
	totals  int  // aggregates of the stage
	stages  int  // sub-queries begun
	size    int  // nodes of the stages that have been read
	divides bool // a / or an AVG was read

	parameters []string // once each, in the order of the text

	varying map[string][]*literal // values of parameters that are not the same in all spans, by name
	spans   []Timed
}

// reserved words are never names of properties unless quoted.
var reserved = words("SELECT FROM WHERE GROUP HAVING AS DISTINCT AND OR NOT IS IN LIKE BETWEEN CASE WHEN THEN ELSE END NULL TRUE FALSE")

// unsupported are the words of SQL that are worth naming in a refusal.
var unsupported = words("ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT JOIN CROSS INNER LEFT RIGHT FULL NATURAL WINDOW FOR RETURNING INTO")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// plainCondition reads a condition that holds for one event, so has no
// aggregate in it.
func (p *parser) plainCondition(where string) node {
	c := p.condition()
	if at := c.about().aggregate; at != nil {
		at.fail("an aggregate cannot stand in %s", where)
	}
	return c
}

// name reads a name that must come here.
func (p *parser) name(message string) string {
	t := p.take()
	if !isName(t) {
		t.at.fail("%s", message)
	}
	return t.text
}

func isName(t token) bool {
	return t.kind == tokenQuoted && t.text != "" || t.kind == tokenWord && !reserved[strings.ToUpper(t.text)]
}

// end refuses what is left of the text.
func (p *parser) end(message string) {
	p.refuseUnsupported()
	if t := p.peek(); t.kind != tokenEnd {
		t.at.fail("%s", message)
	}
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) take() token {
	t := p.tokens[0]
	if t.kind != tokenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

// sees tells whether the next token is a keyword, in any case, or a symbol.
func (p *parser) sees(word string) bool {
	t := p.peek()
	return t.kind == tokenSymbol && t.text == word || t.kind == tokenWord && strings.ToUpper(t.text) == word
}

func (p *parser) accept(word string) bool {
	if !p.sees(word) {
		return false
	}
	p.take()
	return true
}

func (p *parser) expect(word, message string) {
	if !p.accept(word) {
		p.peek().at.fail("%s", message)
	}
}

// nest counts how deep the rules are nested, until the function
// it gives is called.
func (p *parser) nest() (leave func()) {
	if p.nesting++; p.nesting > maxNesting {
		p.peek().at.fail("is nested too deeply")
	}
	return func() { p.nesting-- }
}
