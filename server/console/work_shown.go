package console

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// workStep is one step from the measurement to the amount.
type workStep struct {
	Title  string
	Shown  templ.Component
	Result templ.Component
}

func (i invoiceView) price() priceView { return readPrice(i.Work.Price) }

// work lists the steps of the line's calculation, as the API explains them.
func (i invoiceView) work() []workStep {
	w := i.Work
	all := []workStep{
		{"Measured", measured(i), number(w.Quantity.Value.String())},
		{"Rated", rated(i), moneyIn(w.Rating.ExactSubtotal, w.Currency)},
	}
	if !numberFigure(w.Rating.Rounding).Zero {
		all = append(all, workStep{"Rounded", plainWork("To the places of " + w.Currency + "; the rounding is " + amountFigure(w.Rating.Rounding, w.Currency).line() + "."), moneyIn(w.Rating.Subtotal, w.Currency)})
	}
	if len(w.Groups) > 0 {
		all = append(all, workStep{"By groups", workTable(i.groups()), moneyIn(w.Rating.Subtotal, w.Currency)})
	}
	for _, a := range w.Adjustments {
		all = append(all, workStep{form.Words(string(a.AdjustmentType)), adjusted(a, w.Currency), moneyIn(a.After, w.Currency)})
	}
	if !numberFigure(w.LicenseCredits).Zero {
		all = append(all, workStep{"Credits of licenses", plainWork("Taken from what the licenses include: " + amountFigure(w.LicenseCredits, w.Currency).line() + "."), moneyIn(w.LicenseCredits, w.Currency)})
	}
	if !numberFigure(w.CreditsApplied).Zero {
		all = append(all, workStep{"Credits applied", plainWork("Prepaid credits paid this part."), moneyIn(w.CreditsApplied, w.Currency)})
	}
	if w.Conversion != nil {
		all = append(all, workStep{"Converted", workTable(i.conversion()), moneyIn(w.Conversion.Converted, w.InvoiceCurrency)})
	}
	if !numberFigure(w.PartiallyInvoicedAmount).Zero {
		all = append(all, workStep{"Invoiced before", plainWork("An earlier invoice of this period charged this part."), moneyIn(w.PartiallyInvoicedAmount, w.InvoiceCurrency)})
	}
	return append(all, workStep{"Amount", plainWork("What the invoice charges for this line."), moneyIn(w.Amount, w.InvoiceCurrency)})
}

// steps is the table of the model's calculation: tiers, cells of a matrix, packages.
func (i invoiceView) steps() table {
	t := table{Label: "Steps of the calculation", Columns: []column{{"Step", ""}, {"Quantity", "num"}, {"Rate", "num"}, {"Amount", "num"}}}
	for _, s := range i.Work.Rating.Steps {
		quantity := s.Quantity
		if s.ScaledQuantity != nil {
			quantity = *s.ScaledQuantity
		}
		rate := text("–")
		if s.Rate != nil {
			rate = number(*s.Rate)
		}
		below := []string{}
		if s.Grouping != nil {
			below = append(below, s.Grouping.Key+": "+deref(s.Grouping.Value))
		}
		for _, value := range s.DimensionValues {
			if value == nil {
				below = append(below, "any")
			} else {
				below = append(below, *value)
			}
		}
		name := text(s.Name)
		if len(below) > 0 {
			name = stacked(name, text(strings.Join(below, ", ")))
		}
		t.Rows = append(t.Rows, []templ.Component{name, number(quantity.String()), rate, amount(s.Amount, i.Work.Currency)})
	}
	return t
}

func (i invoiceView) components() table {
	t := table{Label: "Lines charged for", Columns: []column{{"Line item", ""}, {"Subtotal", "num"}}}
	for _, c := range i.Work.Quantity.Components {
		t.Rows = append(t.Rows, []templ.Component{anchor(link("invoices", i.Invoice.ID)+"?line="+url.QueryEscape(c.LineItemID), c.Name), amount(c.Subtotal, i.Work.Currency)})
	}
	return t
}

func (i invoiceView) groups() table {
	t := table{Label: "Groups", Columns: []column{{"Group", ""}, {"Quantity", "num"}, {"Amount", "num"}}}
	for _, g := range i.Work.Groups {
		t.Rows = append(t.Rows, []templ.Component{text(g.Grouping.Key + ": " + deref(g.Grouping.Value)), number(g.Quantity.String()), amount(g.Amount, i.Work.Currency)})
	}
	return t
}

func (i invoiceView) conversion() table {
	t := table{Label: "Conversion", Columns: []column{{"Step", ""}, {"Quantity", "num"}, {"Rate", "num"}, {"Amount", "num"}}}
	for _, s := range i.Work.Conversion.Steps {
		t.Rows = append(t.Rows, []templ.Component{text(s.Name), number(s.Quantity.String()), number(s.Rate), amount(s.Amount, i.Work.InvoiceCurrency)})
	}
	return t
}

// eventsAddress leads to the events that the line measured.
func (i invoiceView) eventsAddress() string {
	query := url.Values{"timeframe_start": {i.Work.StartDate}, "timeframe_end": {i.Work.EndDate}}
	return link("events") + "?" + query.Encode()
}

// adjusted says what an adjustment did to the line.
func adjusted(a gen.AdjustmentExplanation, currency string) templ.Component {
	said := amountFigure(a.Before, currency).line() + " before, changed by " + amountFigure(a.Amount, currency).line()
	if a.Value != nil {
		said += "; its value is " + numberFigure(*a.Value).line()
	}
	if a.Lines > 1 {
		said += "; shared by " + counted(a.Lines, "prices") + " whose period has " + amountFigure(a.Base, currency).line()
	}
	if earlier := amountFigure(a.Earlier, currency); !earlier.Zero {
		said += "; of " + amountFigure(a.Whole, currency).line() + " over its period, earlier documents have " + earlier.line()
	}
	return plainWork(said + ".")
}

// line writes the whole number.
func (f figure) line() string { return f.Text + f.Fine }
