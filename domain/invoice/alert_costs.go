package invoice

import (
	"maps"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// PeriodCost is the cost of the services of a billing period by now, in the currency of
// the invoices: with fees and minimums, after discounts and without what prepaid credits
// pay. What is invoiced of it already is not taken off (semantics 12.2.2).
func PeriodCost(tx *store.Tx, t subscription.Terms, in period.Period) (due money.Decimal, err error) {
	for _, currency := range currencies(t, in) {
		err := eachPriceCost(tx, t, currency, in, func(price catalog.Price, a charge.Amounts) {
			a.Convert(price, t.Currency)
			due = due.Add(a.Amount)
		})
		if err != nil {
			return money.Decimal{}, err
		}
	}
	return due, nil
}

// PeriodCostIn is AmountDueFor of the prices in a custom unit alone, in that unit.
func PeriodCostIn(tx *store.Tx, t subscription.Terms, in period.Period, unit money.Currency) (due money.Decimal, err error) {
	err = eachPriceCost(tx, t, unit, in, func(_ catalog.Price, a charge.Amounts) { due = due.Add(a.Adjusted).Sub(a.Credits) })
	return due, err
}

// eachPriceCost calls with the cost of each price in a currency for a billing period, and what
// credits pay of that.
func eachPriceCost(tx *store.Tx, t subscription.Terms, currency money.Currency, in period.Period, call func(catalog.Price, charge.Amounts)) error {
	prices, err := pricesIn(tx, t, currency, in)
	if err != nil {
		return err
	}
	paid, err := paidIn(tx, t, in)
	if err != nil {
		return err
	}
	for _, p := range prices {
		credits := money.Min(paid[p.IntervalID], money.Max(p.Total, money.Decimal{}))
		call(p.Price, charge.Amounts{Subtotal: p.Subtotal, Adjusted: p.Total, Credits: credits})
	}
	return nil
}

// paidIn is what credits pay by now for the days of a billing period, by price interval.
func paidIn(tx *store.Tx, t subscription.Terms, in period.Period) (map[string]money.Decimal, error) {
	sums := map[string]money.Decimal{}
	ledgers, err := credit.Ledgers(tx, t.CustomerID)
	if err != nil || len(ledgers) == 0 {
		return nil, err
	}
	var rows []Invoice
	err = tx.Where("subscription_id = ? AND status <> ? AND NOT replaced AND invoice_date > ?", t.ID, StatusVoid, in.Start).Find(&rows).Error
	if err == nil {
		rows, err = WithExpected(tx, rows, "subscription_id = ?", t.ID)
	}
	if err != nil {
		return nil, err
	}
	loc := t.Customer.Location()
	first, last := period.DateOf(in.Start, loc), period.DateOf(in.End.Add(-time.Microsecond), loc)
	for _, inv := range rows {
		services, err := Charged(tx, t, inv)
		if err != nil {
			return nil, err
		}
		var all, some []subscription.ServicePeriod // of whose days all are in the period, or some
		for _, s := range services {
			switch part, overlap := s.Period.Intersect(in); {
			case part.Equal(s.Period):
				all = append(all, s)
			case overlap:
				some = append(some, s)
			}
		}
		whole, err := CreditsFor(tx, t, inv, all)
		if err != nil {
			return nil, err
		}
		part, err := CreditsForDays(tx, t, inv, some, credit.Days{First: &first, Last: &last})
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			sums[s.Interval.ID] = sums[s.Interval.ID].Add(whole[LineID(inv.ID, s)])
		}
		for _, s := range some {
			sums[s.Interval.ID] = sums[s.Interval.ID].Add(part[LineID(inv.ID, s)])
		}
	}
	return sums, nil
}

// Spend is what the prices in a currency that pass the filters were rated at for a
// billing period by now: before discounts, minimums and credits.
func Spend(tx *store.Tx, t subscription.Terms, in period.Period, currency money.Currency, filters []rating.Filter) (spend money.Decimal, err error) {
	prices, err := pricesIn(tx, t, currency, in)
	for _, p := range prices {
		if rating.MatchesAll(filters, p.Price.Priced()) {
			spend = spend.Add(p.Subtotal)
		}
	}
	return spend, err
}

// pricesIn are the costs of the prices in a currency for a billing period.
func pricesIn(tx *store.Tx, t subscription.Terms, currency money.Currency, in period.Period) ([]charge.PriceCost, error) {
	w, err := charge.CumulativeCosts(tx, t, currency, charge.CostPeriod{Whole: in, Days: []period.Period{in}}, InvoicesBeside)
	if err != nil {
		return nil, err
	}
	return w.Cost(t, currency, in).Prices, nil
}

// currencies are those of the prices that are in force at some time of a period.
func currencies(t subscription.Terms, in period.Period) (all []money.Currency) {
	for _, i := range t.Intervals {
		if i.Overlaps(in) && !slices.Contains(all, i.Price.Currency) {
			all = append(all, i.Price.Currency)
		}
	}
	return all
}

// GroupCost is the cost of the usage with certain values, as if there were no other.
type GroupCost struct {
	Values []string // one for each key
	Amount money.Decimal
}

// GroupCosts are the costs of the usage prices in a currency that pass the filters, for a
// billing period by now, told apart by the values of properties: each line rated for that
// group alone. Events without one of the properties are in no group (semantics 12.2.11).
func GroupCosts(tx *store.Tx, t subscription.Terms, in period.Period, currency money.Currency, filters []rating.Filter, keys []string) ([]GroupCost, error) {
	var lines []groupedLine
	var asked []usage.Request
	for _, s := range t.ServicePeriods(in) {
		price := s.Interval.Price
		if price.Type != catalog.PriceUsage || price.Currency != currency || !rating.MatchesAll(filters, price.Priced()) {
			continue
		}
		l := newGroupedLine(t, s, in, keys)
		lines, asked = append(lines, l), append(asked, l.asked...)
	}
	answers, err := usage.MeasureAll(tx, nil, asked)
	if err != nil {
		return nil, err
	}
	costs := map[string]GroupCost{}
	for _, l := range lines {
		l.add(costs, answers[:len(l.asked)])
		answers = answers[len(l.asked):]
	}
	return inOrder(costs), nil
}

// groupedLine is a service period whose usage is grouped by keys.
type groupedLine struct {
	keys  int
	item  charge.Item // without usage
	asked []usage.Request
	from  int // the slice that ends where the billing period begins; -1 if the service does not begin before it
	to    int // the slice that ends with the billing period
}

func newGroupedLine(t subscription.Terms, s subscription.ServicePeriod, in period.Period, keys []string) groupedLine {
	s.Interval.Price.InvoiceGroupingKey = nil // how it is shown makes no difference here
	at, shown := charge.MeasurementPoints(s.Period, []time.Time{in.Start, in.End})
	l := groupedLine{keys: len(keys), item: charge.NewItem(t, s), from: -1, to: shown[in.End.UnixMicro()]}
	if before, any := shown[in.Start.UnixMicro()]; any {
		l.from = before
	}
	l.asked = charge.Requests(s.Interval, l.item.Model, usage.Request{
		Cuts: append([]time.Time{s.Period.Start}, at...),
	}.Of(t, s.Interval))
	for k, q := range l.asked {
		l.asked[k].Split = slices.Concat(keys, q.Split)
	}
	return l
}

// add puts the costs of the groups of the line into costs.
func (l groupedLine) add(costs map[string]GroupCost, answers [][]usage.Reading) {
	for _, side := range []struct {
		slice int
		rate  func(sum, amount money.Decimal) money.Decimal
	}{{l.to, money.Decimal.Add}, {l.from, money.Decimal.Sub}} {
		if side.slice < 0 {
			continue
		}
		for _, g := range l.groups(charge.ReadingsUpTo(answers, side.slice)) {
			name := nameOf(g.values)
			used := l.item
			used.Count(g.readings)
			costs[name] = GroupCost{g.values, side.rate(costs[name].Amount, charge.Rate(used).Subtotal)}
		}
	}
}

// groupReadings is what the questions of a line are answered for one group.
type groupReadings struct {
	values   []string
	readings []usage.Reading
}

// groups tells answers apart by the keys.
func (l groupedLine) groups(answers []usage.Reading) map[string]groupReadings {
	groups := map[string]groupReadings{}
	for q, answer := range answers {
		for _, cell := range answer.Cells {
			values, whole := present(cell.Values[:l.keys])
			if !whole {
				continue
			}
			name := nameOf(values)
			g, known := groups[name]
			if !known {
				g = groupReadings{values, make([]usage.Reading, len(answers))}
				groups[name] = g
			}
			if rest := cell.Values[l.keys:]; len(rest) > 0 {
				g.readings[q].Cells = append(g.readings[q].Cells, rating.Cell{Values: rest, Quantity: cell.Quantity, Exact: cell.Exact})
			} else {
				g.readings[q].Total = cell.Quantity
			}
		}
	}
	return groups
}

// present are values of which none is missing, and false if one is.
func present(values []*string) (all []string, whole bool) {
	for _, v := range values {
		if v == nil {
			return nil, false
		}
		all = append(all, *v)
	}
	return all, true
}

// nameOf is a text that differs for different values: none of them has U+0000.
func nameOf(values []string) string { return strings.Join(values, "\x00") }

func inOrder(costs map[string]GroupCost) []GroupCost {
	return slices.SortedFunc(maps.Values(costs), func(a, b GroupCost) int { return slices.Compare(a.Values, b.Values) })
}
