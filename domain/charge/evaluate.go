package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Evaluation asks what prices charge for what one customer used in a timeframe, which
// counts as a full billing period.
type Evaluation struct {
	CustomerID         *string // exactly one of the two
	ExternalCustomerID *string
	Timeframe          period.Period
	Prices             []PriceEvaluation

	// Events take the place of the stored ones, if they are not nil. Those that name
	// no customer are the customer's.
	Events []event.Inline
}

// PriceEvaluation asks about one price, which is named in one of three ways.
type PriceEvaluation struct {
	Place           string // of it in the request, for faults
	PriceID         *string
	ExternalPriceID *string
	Price           *catalog.NewPrice // one that is not saved

	Filter       *string  // a condition that events must meet
	GroupingKeys []string // computed properties by whose values to charge apart

	Parameters metric.Parameters // values for those of its metric
}

// Evaluated is the charge of a price.
type Evaluated struct {
	Price  catalog.Price
	Groups []EvaluatedGroup // in order of the values; without grouping keys it is one
}

// EvaluatedGroup is the charge of the usage with certain values, rated as if there
// were no other (price models 8).
type EvaluatedGroup struct {
	Values   []string // one for each grouping key, as JSON
	Quantity money.Decimal
	Amount   money.Decimal // in the currency of the price, before adjustments; exact to the 20th digit
}

// Evaluate answers for the prices in their order. It reads only, and asks each
// different question about usage once.
func Evaluate(tx *store.Tx, e Evaluation) (_ []Evaluated, err error) {
	defer fault.Doing(&err, "evaluate prices")
	asked, sample, err := e.read(tx.Now)
	if err != nil {
		return nil, err
	}
	buyer, err := e.customer(tx)
	if err != nil {
		return nil, err
	}
	if err := findPrices(tx, asked); err != nil {
		return nil, err
	}
	about := usage.Request{
		Subjects: event.Subjects(buyer.ID, buyer.ExternalCustomerID),
		Cuts:     []time.Time{e.Timeframe.Start, e.Timeframe.End},
	}
	var requests []usage.Request
	for k := range asked {
		requests = append(requests, asked[k].requests(about)...)
	}
	answers, err := usage.MeasureAll(tx, sample, requests)
	if err != nil {
		return nil, err
	}
	readings := ReadingsUpTo(answers, 0)
	evaluated := make([]Evaluated, len(asked))
	for k, a := range asked {
		evaluated[k] = a.evaluate(readings[:a.asks])
		readings = readings[a.asks:]
	}
	return evaluated, nil
}

// read makes the checks that need no database.
func (e Evaluation) read(now time.Time) (asked []evaluationItem, sample *usage.Sample, err error) {
	wrongCustomer := e.checkCustomer()
	faults := []error{wrongCustomer, e.checkTimeframe(now)}
	asked = make([]evaluationItem, len(e.Prices))
	for k, p := range e.Prices {
		asked[k], err = p.read()
		faults = append(faults, fault.In(p.Place, err))
	}
	if e.Events != nil && wrongCustomer == nil {
		sample, err = usage.NewSample(e.named())
		faults = append(faults, err)
	}
	return asked, sample, fault.Join(faults...)
}

func (e Evaluation) checkCustomer() error {
	if (e.CustomerID == nil) == (e.ExternalCustomerID == nil) {
		return fault.Bad("customer_id", "must be given, or external_customer_id, and not both")
	}
	return nil
}

// daysBack is how far stored usage can be evaluated (gaps H4).
const daysBack = 100

func (e Evaluation) checkTimeframe(now time.Time) error {
	switch {
	case e.Timeframe.Empty():
		return fault.Bad("timeframe_end", "must be after timeframe_start")
	case e.Events == nil && e.Timeframe.Start.Before(now.AddDate(0, 0, -daysBack)):
		return fault.Bad("timeframe_start", "must be at most %d days ago", daysBack)
	}
	return nil
}

// named are the events, each with its customer.
func (e Evaluation) named() []event.Inline {
	events := slices.Clone(e.Events)
	for k, sent := range events {
		if sent.CustomerID == nil && sent.ExternalCustomerID == nil {
			events[k].CustomerID, events[k].ExternalCustomerID = e.CustomerID, e.ExternalCustomerID
		}
	}
	return events
}

func (e Evaluation) customer(tx *store.Tx) (customer.Customer, error) {
	if e.CustomerID != nil {
		return customer.Find(tx, *e.CustomerID)
	}
	return customer.FindByExternalID(tx, *e.ExternalCustomerID)
}
