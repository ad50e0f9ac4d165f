package hosted

import (
	"errors"
	"fmt"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// date writes the day of an instant in the zone of the customer.
func (v *visitor) date(at time.Time) string {
	return v.Words.Date(period.DateOf(at, v.Customer.Location()))
}

// costs are what usage cost since the period began, day by day.
type costs struct {
	Currency money.Currency
	Total    string // of the last day
	Span     string
	Most     string // of a day
	Days     []costDay
	Prices   []priceCost // of the last day
}

type costDay struct {
	Date   string
	Amount string
	total  money.Decimal
}

type priceCost struct{ Name, Quantity, Amount string }

// costs reads them; a customer without subscription has none.
func (v *visitor) costs(tx *store.Tx) (c costs, err error) {
	days, err := charge.CustomerCosts(tx, v.Customer, charge.CostQuery{InvoicesOf: invoice.InvoicesBeside})
	if err != nil {
		var told *fault.Fault
		if fault.Is(err, fault.KindMissing) || asFault(err, &told) { // there is nothing to show costs of
			return c, nil
		}
		return c, err
	}
	if len(days) == 0 {
		return c, nil
	}
	last := days[len(days)-1]
	c.Currency = last.Currency
	c.Total = v.Words.Money(last.Total, last.Currency)
	c.Span = v.Words.Fill(v.Words.CostSince, "first", v.date(last.Window.Start), "last", v.date(last.Window.End.Add(-time.Microsecond)))
	for _, d := range days {
		c.Days = append(c.Days, costDay{v.date(d.Window.End.Add(-time.Microsecond)), v.Words.Amount(d.Total, d.Currency), d.Total})
	}
	c.Most = v.Words.Amount(c.most(), last.Currency)
	for _, p := range last.Prices {
		c.Prices = append(c.Prices, priceCost{p.Price.Name, v.Words.Number(p.Quantity), v.Words.Amount(p.Total, p.Price.Currency)})
	}
	return c, nil
}

// most is the most of a day, and not below zero.
func (c costs) most() (most money.Decimal) {
	for _, d := range c.Days {
		most = money.Max(most, d.total)
	}
	return most
}

// bar places the bar of a day in a drawing of 1,000 by 200. Only the drawing is not exact.
func (c costs) bar(k int) templ.Attributes {
	most := c.most()
	height := "0"
	if most.Sign() > 0 && c.Days[k].total.Sign() > 0 {
		height = c.Days[k].total.Mul(money.FromInt(200)).Quo(most).Trunc(1).String()
	}
	n := int64(len(c.Days))
	tenths := func(n int64) string { return fmt.Sprintf("%d.%d", n/10, n%10) }
	return templ.Attributes{
		"x": tenths((10000*int64(k) + 1200) / n), "y": money.FromInt(200).Sub(money.Must(height)).String(), "width": tenths(7600 / n), "height": height,
	}
}

// ledger is what the customer has in one unit.
type ledger struct {
	Currency money.Currency
	Balance  string
	Blocks   []blockRow
	Entries  []entryRow
}

type blockRow struct{ Left, Of, Expires string }

type entryRow struct{ Date, Kind, Change, Balance string }

func (v *visitor) ledgers(tx *store.Tx) (shown []ledger, err error) {
	all, err := credit.LedgersOf(tx, []string{v.Customer.ID})
	if err != nil {
		return nil, err
	}
	for _, found := range all[v.Customer.ID] {
		amount := func(d money.Decimal) string { return v.Words.Amount(d, found.Currency) }
		l := ledger{Currency: found.Currency, Balance: v.Words.Money(found.Balance, found.Currency)}
		blocks, _, err := credit.ListBlocks(tx, v.Customer.ID, credit.BlockFilter{Currency: found.Currency}, store.Page{Limit: 50})
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			row := blockRow{Left: amount(b.Balance), Of: amount(b.InitialBalance), Expires: "–"}
			if b.ExpiresAt != nil {
				row.Expires = v.date(*b.ExpiresAt)
			}
			l.Blocks = append(l.Blocks, row)
		}
		entries, _, err := credit.ListEntries(tx, v.Customer.ID, credit.EntryFilter{Currency: found.Currency, Status: credit.EntryCommitted}, store.Page{Limit: 50})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			row := entryRow{Date: v.date(e.CreatedAt), Kind: v.Words.KindOther, Change: amount(e.EndingBalance.Sub(e.StartingBalance)), Balance: amount(e.EndingBalance)}
			switch e.Kind {
			case credit.KindIncrement:
				row.Kind = v.Words.KindIncrement
			case credit.KindDecrement:
				row.Kind = v.Words.KindDecrement
			}
			l.Entries = append(l.Entries, row)
		}
		shown = append(shown, l)
	}
	return shown, nil
}

// alertRow is an alert of the customer or of one of their subscriptions.
type alertRow struct{ About, Thresholds string }

func (v *visitor) alerts(tx *store.Tx, subscriptions []subscription.Terms) (rows []alertRow, err error) {
	filters := []alert.Filter{{CustomerID: v.Customer.ID}}
	for _, t := range subscriptions {
		if t.Status(tx.Now) == subscription.StatusActive {
			filters = append(filters, alert.Filter{SubscriptionID: t.ID})
		}
	}
	for _, filter := range filters {
		alerts, _, err := alert.List(tx, filter, store.Page{Limit: 20})
		if err != nil {
			return nil, err
		}
		for _, a := range alerts {
			if !a.Enabled {
				continue
			}
			row := alertRow{About: v.Words.AlertBalance}
			switch {
			case a.MetricID != nil:
				row.About = v.Words.AlertUsage
			case a.SubscriptionID != nil || a.PlanID != nil:
				row.About = v.Words.AlertCost
			}
			for k, t := range a.Thresholds {
				if k > 0 {
					row.Thresholds += "; "
				}
				row.Thresholds += v.Words.Number(t)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// field is one of the form for billing details.
type field struct{ Name, Label, Value, Most, Autocomplete string }

func (v *visitor) fields() []field {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	a := customer.Address{}
	if v.Customer.BillingAddress != nil {
		a = *v.Customer.BillingAddress
	}
	number := ""
	if v.Customer.TaxID != nil {
		number = v.Customer.TaxID.Value
	}
	w := v.Words
	return []field{
		{"line1", w.Line1, text(a.Line1), "500", "address-line1"}, {"line2", w.Line2, text(a.Line2), "500", "address-line2"},
		{"postal_code", w.PostalCode, text(a.PostalCode), "255", "postal-code"}, {"city", w.City, text(a.City), "500", "address-level2"},
		{"state", w.Region, text(a.State), "500", "address-level1"}, {"country", w.Country, text(a.Country), "2", "country"},
		{"tax_id", w.TaxIDValue, number, "255", "off"},
	}
}

// asFault reports a failure that a client could act on.
func asFault(err error, told **fault.Fault) bool { return errors.As(err, told) }
