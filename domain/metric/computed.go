package metric

import (
	"regexp"
	"strings"
)

// Computed is a property that an event has, or one that is computed of those it has
// (semantics 4.4): a string, a number or a boolean, and nothing for some events.
type Computed struct{ root node }

// bareName is a text that can be meant as a name only.
var bareName = regexp.MustCompile(`^[\pL_][\pL\p{Nd}_.-]*$`)

// ParseComputed reads a computed property: a value or a condition. A text of letters,
// digits, dashes, dots and underscores is the name of a column or property whatever
// else the language would make of it: user-id is no difference. The error is a
// *SyntaxError.
func ParseComputed(s string) (c *Computed, err error) {
	err = read(s, func(p *parser) {
		name, prefixed := strings.CutPrefix(s, "properties.")
		if bareName.MatchString(name) {
			c = &Computed{root: namedBy(p.peek().at, prefixed, name)}
			return
		}
		at := p.peek().at
		c = &Computed{root: p.either()}
		if c.root.about().aggregate != nil {
			at.fail("an aggregate cannot stand in a computed property")
		}
		p.end("nothing may follow the computed property")
	})
	return c, err
}

// Compile writes the value for rows that the statement calls alias: the text of a
// JSON string, number or boolean, the same for equal values and different for 7 and
// "7", and NULL where the row has none. Computed numbers obey the bounds of an
// event's.
func (c *Computed) Compile(alias string) Fragment {
	on := compiler{alias: alias}
	var value Fragment
	if c.root.about().typ == typNumber {
		value = sql("to_jsonb($)", on.quantity(c.root))
	} else {
		value = on.as(c.root, typAny)
	}
	return sql("metric_distinct($)::text", value)
}
