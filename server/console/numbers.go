package console

import (
	"encoding/json"
	"strconv"

	"github.com/a-h/templ"
)

// optionalNumber shows a quantity, if there is one.
func optionalNumber(value *json.Number) templ.Component {
	if value == nil {
		return none()
	}
	return number(value.String())
}

// optionalAmount shows an amount, if there is one.
func optionalAmount(value *string, currency string) templ.Component {
	if value == nil {
		return none()
	}
	return moneyIn(*value, currency)
}

// whole shows a count.
func whole(n int) templ.Component { return number(strconv.Itoa(n)) }

// optionalWhole shows a count, if there is one.
func optionalWhole(n *int) templ.Component {
	if n == nil {
		return none()
	}
	return whole(*n)
}
