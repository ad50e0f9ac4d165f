package console

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// priceView is a price, whatever its model, with the terms of the model as they are.
type priceView struct {
	gen.PriceBase
	Model string
	Terms term // of the model: <model>_config
}

// decimalText is a number that is written as text.
var decimalText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// readPrice reads what prices of all models have, and the terms of the model by their name.
func readPrice(price gen.Price) (p priceView) {
	text, err := price.MarshalJSON()
	if err != nil {
		return p
	}
	_ = json.Unmarshal(text, &p.PriceBase) // it is an answer of the API
	all := readTerm(text)
	p.Model = all.at("model_type").Text
	p.Terms = all.at(p.Model + "_config")
	return p
}

// summary says in a few words what the price costs.
func (p priceView) summary() string {
	if rate := p.Terms.at("unit_amount"); !rate.Null {
		return numberFigure(rate.Text).Text + " " + p.Currency + " each"
	}
	if per, size := p.Terms.at("package_amount"), p.Terms.at("package_size"); !per.Null && !size.Null {
		return numberFigure(per.Text).Text + " " + p.Currency + " per " + numberFigure(size.Text).Text
	}
	for _, e := range p.Terms.given() {
		if e.rows() {
			return form.Words(p.Model) + ", " + counted(len(e.Entries), strings.ReplaceAll(e.Name, "_", " "))
		}
	}
	return form.Words(p.Model)
}

// every says how often the price is billed.
func (p priceView) every() string {
	switch p.Cadence {
	case "custom":
		c := p.BillingCycleConfiguration
		return "Every " + strconv.Itoa(c.Duration) + " " + string(c.DurationUnit) + "s"
	default:
		return form.Words(string(p.Cadence))
	}
}

// mode says on which side of the period the price is billed.
func (p priceView) mode() string {
	if p.BillingMode == gen.BillingModeInArrear {
		return "In arrears"
	}
	return form.Words(string(p.BillingMode))
}
