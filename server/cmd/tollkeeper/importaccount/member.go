package importaccount

import (
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/money"
)

// text returns a member that is a string, and "" where it is null or missing.
func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

// number returns a member that is a number or a decimal in a string, and "0" otherwise.
func number(o object, name string) string {
	switch n := o[name].(type) {
	case json.Number:
		return n.String()
	case string:
		return n
	}
	return "0"
}

// decimal returns what number finds, or says which member is no number.
func decimal(o object, name string) (money.Decimal, error) {
	d, err := money.ParseNumber(number(o, name))
	if err != nil {
		return d, fmt.Errorf("%s: %q is no number", name, number(o, name))
	}
	return d, nil
}

func truth(o object, name string) bool {
	b, _ := o[name].(bool)
	return b
}

// part returns a member that is an object, and nil where it is null or missing.
func part(o object, name string) object {
	p, _ := o[name].(object)
	return p
}

// objects returns the elements of a member that is a list of objects.
func objects(o object, name string) (all []object) {
	elements, _ := o[name].([]any)
	for _, e := range elements {
		if element, ok := e.(object); ok {
			all = append(all, element)
		}
	}
	return all
}

// texts returns the elements of a member that is a list of strings.
func texts(o object, name string) (all []string) {
	elements, _ := o[name].([]any)
	for _, e := range elements {
		if s, ok := e.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// pick returns the named members that are not null.
func pick(o object, names ...string) object {
	picked := object{}
	for _, name := range names {
		if v := o[name]; v != nil {
			picked[name] = v
		}
	}
	return picked
}

// instant reads a member that is an instant.
func instant(o object, name string) (at time.Time, ok bool, err error) {
	s := text(o, name)
	if s == "" {
		return at, false, nil
	}
	at, err = time.Parse(time.RFC3339, s)
	if err != nil {
		return at, false, fmt.Errorf("%s is no instant: %w", name, err)
	}
	return at, true, nil
}

// dates reads the start_date of an interval and its end_date, which ends tells is there.
func dates(o object) (begin, end time.Time, ends bool, err error) {
	if begin, _, err = instant(o, "start_date"); err == nil {
		end, ends, err = instant(o, "end_date")
	}
	return begin, end, ends, err
}

func written(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// canonical is one text for equal values, to compare them.
func canonical(v any) string {
	text, err := json.Marshal(v) // members of maps are sorted
	if err != nil {
		panic(err) // what was decoded from JSON can be encoded
	}
	return string(text)
}
