package console

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// calculatorView is what a price comes to for a quantity that somebody gives.
type calculatorView struct {
	visit    *visit
	Address  string // of the price
	Quantity string
	Known    bool // a quantity was given
	Answer   gen.PriceCalculation
	Err      error
}

// calculator asks what the price comes to for the quantity in the address.
func (v *visit) calculator(priceID string) calculatorView {
	c := calculatorView{visit: v, Address: link("prices", priceID), Quantity: strings.TrimSpace(v.query("quantity"))}
	if c.Quantity != "" {
		c.Known = true
		c.Answer, c.Err = fetch[gen.PriceCalculation](v, "calculatePrice", params{"price_id": priceID}, url.Values{"quantity": {c.Quantity}})
	}
	return c
}

// steps is the table of the calculation.
func (c calculatorView) steps() table {
	t := table{Label: "Calculation", Columns: []column{{"Step", ""}, {"Quantity", "num"}, {"Rate", "num"}, {"Amount, " + c.Answer.Currency, "num"}}}
	for _, s := range c.Answer.Steps {
		rate := text("–")
		if s.Rate != nil {
			rate = number(*s.Rate)
		}
		t.Rows = append(t.Rows, []templ.Component{text(s.Name), number(s.Quantity.String()), rate, amount(s.Amount, c.Answer.Currency)})
	}
	t.Foot = [][]templ.Component{{text("In a full period"), nil, nil, moneyIn(c.Answer.Subtotal, c.Answer.Currency)}}
	return t
}
