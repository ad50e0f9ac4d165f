package console

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/gen"
)

// lineColumns says which amounts of lines are shown: a column that is zero on every line is
// left out.
type lineColumns struct{ Adjusted, Credits, Partial bool }

func columnsOf(lines []gen.InvoiceLineItem) (c lineColumns) {
	for _, line := range lines {
		c.Adjusted = c.Adjusted || line.AdjustedSubtotal != line.Subtotal
		c.Credits = c.Credits || !numberFigure(line.CreditsApplied).Zero
		c.Partial = c.Partial || !numberFigure(line.PartiallyInvoicedAmount).Zero
	}
	return c
}

// lineTable shows lines with their amounts. With the address of the invoice each line leads
// to its work.
func lineTable(lines []gen.InvoiceLineItem, currency string, zone *time.Location, invoice, total string) table {
	shown := columnsOf(lines)
	t := table{Label: "Line items", Columns: []column{{"Line item", ""}, {"Quantity", "num"}, {"Subtotal, " + currency, "num wide"}}}
	if shown.Adjusted {
		t.Columns = append(t.Columns, column{"Adjusted", "num mid"})
	}
	if shown.Credits {
		t.Columns = append(t.Columns, column{"Credits applied", "num mid"})
	}
	if shown.Partial {
		t.Columns = append(t.Columns, column{"Invoiced before", "num mid"})
	}
	t.Columns = append(t.Columns, column{"Amount, " + currency, "num"})
	for _, line := range lines {
		unit := readPrice(line.Price).Currency
		name := text(line.Name)
		if invoice != "" {
			name = workLink(link("invoices", invoice)+"?line="+line.ID+"#line-"+line.ID, line.Name)
		}
		row := []templ.Component{stacked(name, period(line.StartDate, line.EndDate, zone)), number(line.Quantity.String()), inUnit(line.Subtotal, unit, currency)}
		if shown.Adjusted {
			row = append(row, inUnit(line.AdjustedSubtotal, unit, currency))
		}
		if shown.Credits {
			row = append(row, inUnit(line.CreditsApplied, unit, currency))
		}
		if shown.Partial {
			row = append(row, amount(line.PartiallyInvoicedAmount, currency))
		}
		t.Rows = append(t.Rows, append(row, amount(line.Amount, currency)))
	}
	if total != "" {
		foot := make([]templ.Component, len(t.Columns))
		foot[0], foot[len(foot)-1] = text("Total"), moneyIn(total, currency)
		t.Foot = append(t.Foot, foot)
	}
	return t
}

// inUnit shows an amount of a price: with its unit where that is not the invoice's currency.
func inUnit(value, unit, currency string) templ.Component {
	if unit == currency {
		return amount(value, currency)
	}
	return moneyIn(value, unit)
}

// decimal writes a count for the contract.
func decimal(n int) string { return strconv.Itoa(n) }
