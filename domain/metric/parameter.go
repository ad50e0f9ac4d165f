package metric

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"tollkeeper/domain/money"
	"tollkeeper/store/fault"
)

// Parameters are values for the parameters of a metric, by name (semantics 4.2.7). Nil
// are none.
type Parameters map[string]Parameter

// Parameter is a number, in the bounds of an event's, or a string.
type Parameter struct {
	text   string
	number bool
}

// longestParameter bounds the string of a parameter, in bytes.
const longestParameter = 255

var (
	parameterName = regexp.MustCompile(`^\{\{([\pL_][\pL\p{Nd}_]*)\}\}`)

	// withParameters finds parameters in a text that parses, and what is no place for them.
	withParameters = regexp.MustCompile(`'[^']*'|"[^"]*"|\{\{[^}]*\}\}`)
)

// meet notes a parameter. Only metrics have parameters.
func (p *parser) meet(t token) {
	if p.outer == nil {
		t.at.fail("a parameter stands in metrics only")
	}
	if !slices.Contains(p.parameters, t.text) {
		p.parameters = append(p.parameters, t.text)
	}
}

// Parameters are the names that the metric asks for, in the order of its text.
func (q *Query) Parameters() []string { return q.parameters }

// With is the metric with literals in the place of parameters. One without a value is
// NULL. A name that the metric does not have is fault.Bad, and so is a value that makes
// it no metric.
func (q *Query) With(values Parameters) (*Query, error) {
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(q.parameters, name) {
			faults = append(faults, fault.Bad(name, "is no parameter of the metric"))
		}
	}
	if len(values) == 0 || faults != nil {
		return q, fault.Join(faults...)
	}
	with, err := Parse(withParameters.ReplaceAllStringFunc(q.text, func(found string) string {
		if value, given := values[strings.Trim(found, "{}")]; given && found[0] == '{' {
			return value.literal()
		}
		return found
	}))
	if err != nil {
		return nil, fault.Bad("", "would make the SQL of the metric invalid: %v", err)
	}
	return with, nil
}

// literal is the value in the language. A blank keeps a sign from the one before it.
func (p Parameter) literal() string {
	if p.number {
		return " " + p.text
	}
	return "'" + strings.ReplaceAll(p.text, "'", "''") + "'"
}

// MarshalJSON writes a number without an exponent, and a string as it is.
func (p Parameter) MarshalJSON() ([]byte, error) {
	if p.number {
		return []byte(p.text), nil
	}
	return json.Marshal(p.text)
}

// UnmarshalJSON reads a number or a string. The error tells what is wrong with it.
func (p *Parameter) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		n, err := money.ParseNumber(string(text))
		*p = Parameter{text: n.String(), number: true}
		return err
	}
	*p = Parameter{}
	if err := json.Unmarshal(text, &p.text); err != nil {
		return err
	}
	if len(p.text) > longestParameter || strings.Contains(p.text, "\x00") {
		return fmt.Errorf("must have at most %d bytes, and not the character U+0000", longestParameter)
	}
	return nil
}

// GormDataType names the column type to GORM.
func (Parameters) GormDataType() string { return "jsonb" }

// Value writes the column: an empty object for none.
func (p Parameters) Value() (driver.Value, error) {
	if len(p) == 0 {
		return "{}", nil
	}
	text, err := json.Marshal(map[string]Parameter(p))
	return string(text), err
}

// Scan reads the column.
func (p *Parameters) Scan(src any) error {
	text, ok := src.([]byte)
	if written, isText := src.(string); isText {
		text, ok = []byte(written), true
	}
	if !ok {
		return fmt.Errorf("metric: parameters from %T", src)
	}
	if *p = nil; string(text) == "{}" {
		return nil
	}
	return json.Unmarshal(text, p)
}
