package console

import (
	"github.com/a-h/templ"
)

// costTable shows what each price costs so far. Cumulative costs come day by day, and the last day
// has all of them.
func costTable(c customerView) table {
	currency := deref(c.Customer.Currency)
	t := table{Label: "Costs", Columns: []column{{"Price", ""}, {"Period", "mid"}, {"Quantity", "num wide"}, {"Subtotal", "num"}, {"Total", "num"}}}
	for _, bucket := range c.Costs.Data[len(c.Costs.Data)-1:] {
		for _, cost := range bucket.PerPriceCosts {
			price := readPrice(cost.Price)
			t.Rows = append(t.Rows, []templ.Component{
				anchor(link("prices", price.ID), price.Name), period(bucket.TimeframeStart, bucket.TimeframeEnd, c.Zone),
				optionalNumber(cost.Quantity), moneyIn(cost.Subtotal, price.Currency), moneyIn(cost.Total, price.Currency),
			})
		}
		t.Foot = append(t.Foot, []templ.Component{text("All prices"), nil, nil, moneyIn(bucket.Subtotal, currency), moneyIn(bucket.Total, currency)})
	}
	return t
}
