package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/license"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// Item is a service and what it used up to an instant: all that its charge
// depends on.
type Item struct {
	subscription.ServicePeriod
	Model rating.Model
	Usage rating.Usage
	Days  rating.Days   // of the service in its billing cycle
	Paid  money.Decimal // by credits, in the currency of the price

	Covered money.Decimal // paid by the licenses' own credits or written off with them, not rounded

	Earlier money.Decimal // charged by earlier invoices, in the currency of the invoice

	// Groups is the usage by the property that the invoice shows the price by; nil if
	// it names none.
	Groups []rating.Cell
}

// Measurement is a service and the instants up to which it is measured, which rise and lie
// after its start.
type Measurement struct {
	subscription.ServicePeriod
	Until []time.Time
}

// Measure returns what services used up to each of their instants. All usage is read
// together, and once, whatever the number of instants.
func Measure(tx *store.Tx, t subscription.Terms, services []Measurement) ([][]Item, error) {
	items, err := MeasureInvoices(tx, t, [][]Measurement{services})
	if err != nil {
		return nil, err
	}
	return items[0], nil
}

// MeasureInvoices is [Measure] for the services of several invoices of a subscription. Their
// usage is read together.
func MeasureInvoices(tx *store.Tx, t subscription.Terms, invoices [][]Measurement) ([][][]Item, error) {
	var asked []usage.Request
	var blank []Item
	var ends []int // of the questions of each service
	for _, s := range slices.Concat(invoices...) {
		item := NewItem(t, s.ServicePeriod)
		asked = append(asked, Requests(s.Interval, item.Model, usage.Request{
			Cuts: append([]time.Time{s.Period.Start}, s.Until...),
		}.Of(t, s.Interval))...)
		blank, ends = append(blank, item), append(ends, len(asked))
	}
	answers, err := usage.MeasureAll(tx, nil, asked)
	if err != nil {
		return nil, err
	}
	all := make([][][]Item, len(invoices))
	from, next := 0, 0
	for n, services := range invoices {
		covered, err := license.Covered(tx, t, spans(services))
		if err != nil {
			return nil, err
		}
		all[n] = make([][]Item, len(services))
		for k, s := range services {
			all[n][k] = blank[next].withUsage(answers[from:ends[next]], len(s.Until))
			for at := range all[n][k] {
				all[n][k][at].Covered = covered[k][at]
			}
			from, next = ends[next], next+1
		}
	}
	return all, nil
}

// spans are services as licenses are asked about them.
func spans(services []Measurement) []license.Span {
	asked := make([]license.Span, len(services))
	for k, s := range services {
		asked[k] = license.Span{Interval: s.Interval, Start: s.Period.Start, Until: s.Until}
	}
	return asked
}

// withUsage is the item at each of so many instants, as its questions were answered.
func (y Item) withUsage(answers [][]usage.Reading, instants int) []Item {
	items := slices.Repeat([]Item{y}, instants)
	for k := range items {
		items[k].Count(ReadingsUpTo(answers, k))
	}
	return items
}

// NewItem is a service whose usage is not counted yet.
func NewItem(t subscription.Terms, s subscription.ServicePeriod) Item {
	loc := t.Customer.Location()
	days := s.Days(loc)
	y := Item{
		ServicePeriod: s, Model: s.Interval.Price.Model(), Days: days,
		Usage: rating.Usage{Fraction: period.Fraction{Part: days.To - days.From, Whole: days.Of}},
	}
	for _, span := range s.Spans {
		y.Usage.Spans = append(y.Usage.Spans, rating.Span{Quantity: span.Quantity, Days: period.Days(span.Period, loc)})
	}
	return y
}

// Requests are what the metric of a usage price is asked: for all that was used and,
// where the model charges some of it apart, for that. Whose usage it is, and when, is
// what about says, and the metric with its parameters, if those are not the present ones.
// Other prices have no questions.
func Requests(i subscription.PriceInterval, model rating.Model, about usage.Request) []usage.Request {
	if i.Price.Type != catalog.PriceUsage {
		return nil
	}
	needs := model.Needs()
	about.Split, about.Match = needs.Split, i.Price.Dimensions
	if about.Query == nil {
		about.Query = i.Metric.Query()
	}
	if i.Price.InvoiceGroupingKey != nil {
		about.Split = []string{*i.Price.InvoiceGroupingKey}
	}
	asked := []usage.Request{about}
	if needs.Filter != nil {
		about.Match = slices.Concat(i.Price.Dimensions, needs.Filter)
		asked = append(asked, about)
	}
	return asked
}

// ReadingsUpTo is what each question is answered for the slice k.
func ReadingsUpTo(answers [][]usage.Reading, k int) []usage.Reading {
	readings := make([]usage.Reading, len(answers))
	for q, answer := range answers {
		readings[q] = answer[k]
	}
	return readings
}

// Count fills in the usage from what the questions were answered.
func (y *Item) Count(answers []usage.Reading) {
	price := y.Interval.Price
	if price.Fixed() {
		y.Usage.Quantity, y.Usage.Fixed = y.Quantity, true
	}
	if len(answers) > 0 {
		y.Usage.Quantity, y.Usage.Cells = answers[0].Total, answers[0].Cells
	}
	if price.InvoiceGroupingKey != nil { // by a metric that adds up
		y.Usage.Cells, y.Groups = nil, y.Usage.Cells
		y.Usage.Quantity = y.Usage.Quantity.Add(rating.TotalOf(y.Groups))
	}
	if len(answers) > 1 {
		y.Usage.Filtered = answers[1].Total
	}
}

// UsageRequests are the questions about the usage of a service that will be asked until it is
// invoiced.
func UsageRequests(s subscription.ServicePeriod) []usage.Request {
	return Requests(s.Interval, s.Interval.Price.Model(), usage.Request{Filter: s.Interval.Condition()})
}
