package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// Document is an invoice, or what one would be, as far as other documents bear on its lines.
type Document struct {
	Date    time.Time // of the invoice
	Earlier []Charged // lines of earlier documents of the subscription, oldest first

	// Settles says whether the document settles a minimum for a period. If it is nil, the date does: see
	// [subscription.AdjustmentPeriods.SettledOn].
	Settles func(subscription.AdjustmentPeriods, subscription.AdjustmentPeriod) bool

	// Periods are those of all adjustments of the terms. Documents of the same terms share them, so that each is
	// found once. If it is nil, they are found for this document.
	Periods []subscription.AdjustmentPeriods

	ByHand bool // its lines are no services of a subscription: adjustments work on them alone
}

// Charged is a line of a document. Of a price that is charged to date the amounts are to date.
type Charged struct {
	subscription.ServicePeriod
	Quantity money.Decimal // to date too
	Subtotal money.Decimal // in the currency of the price
	Applied  []rating.Applied
}

// ChargedBy are the lines of a document, as later ones see them.
func ChargedBy(together []Item, all []Amounts) []Charged {
	lines := make([]Charged, len(together))
	for k, y := range together {
		lines[k] = Charged{y.ServicePeriod, all[k].Quantity, all[k].Subtotal, all[k].Adjustments}
	}
	return lines
}

// CycleKey names the billing cycle of the price of a service.
func CycleKey(s subscription.ServicePeriod) string {
	return s.Interval.ID + s.Period.Start.UTC().String()
}

// IsContinuation reports whether the invoices of earlier parts of a billing cycle charged for a
// time that the service begins with.
func IsContinuation(s subscription.ServicePeriod) bool { return s.From.After(s.Period.Start) }

// ToDate is what earlier documents charged of a service that is charged to date, nil where none did.
func (d Document) ToDate(s subscription.ServicePeriod) (was *rating.Earlier) {
	if s.Interval.Price.Fixed() {
		return nil
	}
	for _, c := range d.Earlier {
		if c.Interval.ID == s.Interval.ID && c.Period.Start.Equal(s.Period.Start) {
			was = &rating.Earlier{Subtotal: c.Subtotal, Applied: c.Applied}
		}
	}
	return was
}

// Parts are the lines of earlier documents with what each added to its price.
func (d Document) Parts(t subscription.Terms) []Charged {
	parts := make([]Charged, len(d.Earlier))
	last := map[string]Charged{} // by cycle
	for k, c := range d.Earlier {
		parts[k] = c
		switch price := c.Interval.Price; {
		case !price.Fixed():
			key := CycleKey(c.ServicePeriod)
			if was, known := last[key]; known {
				parts[k] = c.less(was)
			}
			last[key] = c
		case price.InAdvance() && !price.Length().OneTime() && price.Allocation == nil:
			parts[k] = c.served(t)
		}
	}
	return parts
}

// less is what a line to date adds to an earlier one.
func (c Charged) less(was Charged) Charged {
	added := c
	added.Subtotal, added.Applied = c.Subtotal.Sub(was.Subtotal), nil
	before := map[string]money.Decimal{}
	for _, a := range was.Applied {
		before[a.AdjustmentID] = before[a.AdjustmentID].Add(a.Amount)
	}
	for _, a := range c.Applied {
		a.Amount = a.Amount.Sub(before[a.AdjustmentID])
		delete(before, a.AdjustmentID)
		added.Applied = append(added.Applied, a)
	}
	for _, a := range was.Applied {
		if amount, gone := before[a.AdjustmentID]; gone {
			delete(before, a.AdjustmentID)
			a.Amount = amount.Neg()
			added.Applied = append(added.Applied, a)
		}
	}
	return added
}

// served is what is left of a fee in advance that ended before the time that was charged: its days after
// the end are given back (price models 6.7.16).
func (c Charged) served(t subscription.Terms) Charged {
	s, found := t.ServicePeriodAt(c.Interval.ID, c.From)
	if !found || !s.Period.End.Before(c.Period.End) {
		return c
	}
	f := period.FractionOf(period.Period{Start: c.Period.Start, End: s.Period.End}, c.Period, t.Customer.Location())
	of := func(amount money.Decimal) money.Decimal {
		part := amount.Mul(money.FromInt(int64(f.Part))).Quo(money.FromInt(int64(max(1, f.Whole))))
		return c.Interval.Price.Currency.Round(part.WithoutTail())
	}
	left, adjusted := c, c.Subtotal
	left.Applied = nil
	for _, a := range c.Applied {
		adjusted = adjusted.Add(a.Amount)
	}
	left.Subtotal = of(adjusted)
	for _, a := range c.Applied {
		a.Amount = of(a.Amount)
		left.Subtotal = left.Subtotal.Sub(a.Amount) // so that their sum is what is left of the line
		left.Applied = append(left.Applied, a)
	}
	return left
}

// settles reports whether the document settles a minimum for a period.
func (d Document) settles(a subscription.AdjustmentPeriods, in subscription.AdjustmentPeriod) bool {
	if d.Settles != nil {
		return d.Settles(a, in)
	}
	date, arrears := a.SettledOn(in)
	return !arrears || !d.Date.Before(date)
}

// SettledAtOpening settles for a partial invoice what the opening of a period settled: a minimum of fees in
// advance. Others are left to the invoice of the whole time (price models 6.7.18).
func SettledAtOpening(a subscription.AdjustmentPeriods, in subscription.AdjustmentPeriod) bool {
	_, arrears := a.SettledOn(in)
	return !arrears
}

// ForDays is a document as it stands at the end of a day: without what was invoiced later, and a minimum is
// charged with the last day of its period (price models 6.7.20).
func (d Document) ForDays(dayEnd time.Time) Document {
	later := func(c Charged) bool { return c.BilledOn.After(dayEnd) }
	d.Earlier = slices.DeleteFunc(slices.Clone(d.Earlier), later)
	onDate := d
	d.Settles = func(a subscription.AdjustmentPeriods, in subscription.AdjustmentPeriod) bool {
		return !dayEnd.Before(a.LastServed(in)) && onDate.settles(a, in)
	}
	return d
}
