package hosted

import (
	"fmt"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/portal"
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

// costs writes them; there are none without days.
func (v *visitor) costs(days []charge.Cost) (c costs) {
	if len(days) == 0 {
		return c
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
	return c
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

func (v *visitor) ledgers(all []portal.Ledger) (shown []ledger) {
	for _, of := range all {
		amount := func(d money.Decimal) string { return v.Words.Amount(d, of.Currency) }
		l := ledger{Currency: of.Currency, Balance: v.Words.Money(of.Balance, of.Currency)}
		for _, b := range of.Blocks {
			row := blockRow{Left: amount(b.Balance), Of: amount(b.InitialBalance), Expires: "–"}
			if b.ExpiresAt != nil {
				row.Expires = v.date(*b.ExpiresAt)
			}
			l.Blocks = append(l.Blocks, row)
		}
		for _, e := range of.Entries {
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
	return shown
}
