package billing

import (
	"errors"
	"fmt"
	"math/big"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/reference"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Sample says which invoices are compared with the reference model: one of so many, another
// one on each turn. The zero value is all of them.
type Sample struct{ Of, Turn int }

func (s Sample) has(inv invoice.Invoice) bool {
	return s.Of <= 1 || inv.Seq%int64(s.Of) == int64(s.Turn%s.Of)
}

// notReferred is the reason why an invoice is not compared with the reference model.
type notReferred string

func (n notReferred) Error() string { return string(n) }

// The reasons, as a verification shows them. Beside them is what the reference model says.
const (
	changedSince   notReferred = "its usage or terms changed since the issue, or are not kept"
	tooManyEvents  notReferred = "it counts more events than are read for a comparison"
	tooManyGroups  notReferred = "its usage falls into more groups than are compared"
	changedInParts notReferred = "a fee in instalments changed its quantity"
)

// refer compares an invoice with what the reference model makes of it: quantities out of
// events as they are stored, rates, adjustments, conversion and rounding. What it does not
// compute is taken from the invoice: what licenses and credits paid and what earlier invoices
// charged, which other checks look at. View has the terms of its issue, services are what it
// is for. An invoice that it cannot compare as a whole is counted with the reason.
func (v *Verified) refer(tx *store.Tx, view invoice.View, services []subscription.ServicePeriod, note func(document, wrong string, args ...any)) error {
	found, err := referredLines(tx, view, services)
	var failed readFailed
	switch {
	case errors.As(err, &failed):
		return failed.error
	case err != nil: // it knows no rule for that, or cannot
		v.leaveOut(err.Error())
		return nil
	}
	v.Referred++
	other := otherRule(view)
	for _, l := range view.Lines {
		is, ok := found[l.ID]
		if !ok || l.Prorated && granted(services, l) { // as they were once
			continue
		}
		amount, err := is.amount(l, view.Currency)
		if err != nil {
			v.Referred--
			v.leaveOut(err.Error())
			return nil
		}
		for _, figure := range []struct {
			name string
			is   money.Decimal
			must *big.Rat
		}{
			{"quantity", l.Quantity, is.quantity},
			{"subtotal", l.Subtotal, is.subtotal},
			{"adjusted subtotal", l.AdjustedSubtotal, is.adjusted},
			{"amount", l.Amount, amount},
		} {
			if figure.must != nil && !other.differs(l, figure.name) && !near(ratOf(figure.is), figure.must) {
				note(view.ID, "line %s: the %s is %s, and %s by the reference model", l.ID, figure.name, figure.is, shortRat(figure.must))
			}
		}
	}
	return nil
}

// readFailed is an error of the database.
type readFailed struct{ error }

func (v *Verified) leaveOut(reason string) {
	if v.LeftOut == nil {
		v.LeftOut = map[string]int{}
	}
	v.LeftOut[reason]++
}

// referred is a line by the reference model.
type referred struct {
	service            subscription.ServicePeriod
	line               reference.Line
	quantity           *big.Rat // nil: not compared
	subtotal, adjusted *big.Rat // in the currency of the price
}

// referredLines are the lines of an invoice by the reference model, by id. A panic of the
// model is an error: a check may not end what it checks.
func referredLines(tx *store.Tx, view invoice.View, services []subscription.ServicePeriod) (all map[string]referred, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the reference model failed: %v", r)
		}
	}()
	all = map[string]referred{}
	events := &eventReader{tx: tx, seen: view.Seen, terms: view.Terms}
	var billed []referred
	for _, s := range services {
		r, err := referService(view.Terms, s, events)
		if err != nil {
			return nil, err
		}
		billed = append(billed, r)
	}
	was, err := invoice.IssuedPriorCharges(tx, view.Terms, view.Invoice, services)
	if err != nil {
		return nil, readFailed{err}
	}
	document := charge.Document{Date: view.InvoiceDate, Earlier: was.Earlier}
	if view.Source == invoice.SourcePartial {
		document.Settles = charge.SettledAtOpening
	}
	parts := document.Parts(view.Terms)
	for k, s := range services {
		billed[k].line.Row = s.Interval.ID
		if before := document.ToDate(s); before != nil {
			of := referBilled("", before.Subtotal, before.Applied)
			billed[k].line.Before = &of
		}
	}
	if err := referComposites(billed, parts); err != nil {
		return nil, err
	}
	if err := referTogether(billed, parts, periodsAtWork(charge.Works(view.Terms, document, services, parts))); err != nil {
		return nil, err
	}
	for _, r := range billed {
		all[invoice.LineID(view.ID, r.service)] = r
	}
	more, err := invoice.Extras(tx, []string{view.ID})
	if err != nil {
		return nil, readFailed{err}
	}
	added := more(view.Invoice)
	var own []referred
	for _, l := range added.Lines {
		r, err := referFee(l.Price, ratOf(*l.Price.Quantity), nil)
		if err != nil {
			return nil, err
		}
		own = append(own, r)
	}
	var discounts []reference.Adjustment
	for _, d := range added.Discounts {
		discounts = append(discounts, plainAdjustment(d.Rating()))
	}
	if err := referTogether(own, nil, discounts); err != nil {
		return nil, err
	}
	for k, r := range own {
		all[added.Lines[k].ID] = r
	}
	return all, nil
}

// referService computes the subtotal of a service; of a composite price only what it is for.
func referService(t subscription.Terms, s subscription.ServicePeriod, events *eventReader) (r referred, err error) {
	price := s.Interval.Price
	days := referDays(t, s)
	share := shareOf(days)
	switch price.Type {
	case catalog.PriceUsage:
		usage, quantity, err := events.usage(s)
		if err != nil {
			return r, err
		}
		usage.Share = share
		r, err = referRated(price, usage)
		r.quantity, r.line.Quantity = quantity, quantity
		r.service = s
		return r, err
	case catalog.PriceComposite:
		r = blank(price)
		r.line.ModelType, r.line.Config, r.line.Usage = price.ModelType, price.Config, reference.Usage{Share: share}
		r.service = s
		return r, nil
	}
	zone := t.Customer.Location()
	switch {
	case s.Before != nil: // a change of the quantity: what more it costs from here on
		r, err = referFee(price, ratOf(s.Quantity), share)
		if err == nil {
			var before referred
			before, err = referFee(price, ratOf(*s.Before), share)
			r.subtotal = rounded(price.Currency, new(big.Rat).Sub(r.exact(), before.exact()))
			r.line.Subtotal, r.quantity = r.subtotal, nil
		}
	case s.Instalment != nil:
		r, err = referInstalment(s, days)
	case !price.InAdvance() && !price.Length().OneTime():
		r, err = referArrears(s, days, zone)
	case price.Allocation != nil: // a grant and its fee are never prorated
		r, err = referFee(price, ratOf(s.Quantity), nil)
	default:
		r, err = referFee(price, ratOf(s.Quantity), share)
	}
	r.service = s
	return r, err
}

// exact is the amount of a line that is rated by one quantity, not rounded.
func (r referred) exact() *big.Rat {
	amount, err := reference.Rate(r.line.ModelType, r.line.Config, r.line.Usage)
	if err != nil {
		return new(big.Rat) // it was rated before
	}
	return amount
}

// amount is what is left to pay of a line, in the currency of the invoice: after what
// licenses and credits paid, converted, less what earlier invoices charged.
func (r referred) amount(l invoice.Line, into money.Currency) (*big.Rat, error) {
	left := new(big.Rat).Sub(r.adjusted, ratOf(l.LicenseCredits))
	left.Sub(left, ratOf(l.CreditsApplied))
	price := r.service.Interval.Price
	if price.Currency != into {
		var flat *big.Rat
		if price.ConversionRate != nil {
			flat = ratOf(*price.ConversionRate)
		}
		var config []byte
		if price.ConversionRateConfig != nil {
			config = *price.ConversionRateConfig
		}
		converted, err := reference.Convert(flat, config, left)
		if err != nil {
			return nil, err
		}
		left = rounded(into, converted)
	}
	return new(big.Rat).Sub(left, ratOf(l.PartiallyInvoicedAmount)), nil
}

// referDays are the local days of a service in its full billing period. The cycle follows
// from the subscription's anchor; where phases, changes of the plan or price intervals moved
// that, it is the one of the terms. Of a price that is charged once it is all.
func referDays(t subscription.Terms, s subscription.ServicePeriod) reference.Days {
	price, zone := s.Interval.Price, t.Customer.Location()
	length := price.Length()
	if length.OneTime() || s.TrialOf != "" {
		return reference.Days{}
	}
	start, end, number, of := s.Cycle.Start, s.Cycle.End, 0, 1
	if s.Instalment != nil {
		start, end, number, of = s.Instalment.Cycle.Start, s.Instalment.Cycle.End, s.Instalment.Number, s.Instalment.Of
	}
	moved := len(t.PlanIntervals) > 1 || t.MovesBillingDay()
	for _, p := range t.Phases {
		moved = moved || p.Aligned
	}
	if !moved && s.Instalment == nil {
		month, year := 0, 0
		if t.AnchorMonth != nil {
			month = *t.AnchorMonth
		}
		if t.AnchorYear != nil {
			year = *t.AnchorYear
		}
		cycle := reference.CycleOf(length.Months, length.Days, t.AnchorDay, month, year, reference.DateOf(t.StartAt, zone))
		start, end = cycle.At(s.Period.Start, zone)
	}
	whole := reference.DaysBetween(start, end, zone)
	from := number*whole + reference.DaysBetween(start, s.Period.Start, zone)
	return reference.Days{From: from, To: from + reference.DaysBetween(s.Period.Start, s.Period.End, zone), Of: of * whole}
}

// shareOf is the part of a period that so many days of it are.
func shareOf(d reference.Days) *big.Rat {
	if d.Of == 0 {
		return big.NewRat(1, 1)
	}
	return big.NewRat(int64(d.To-d.From), int64(d.Of))
}

// rounded is an amount to the minor unit of its currency; custom units have none.
func rounded(c money.Currency, r *big.Rat) *big.Rat {
	if !c.Valid() {
		return r
	}
	return reference.Round(r, c.MinorUnits())
}

// ratOf is a decimal as a fraction.
func ratOf(d money.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic(fmt.Sprintf("invoice: the decimal %s is no number", d))
	}
	return r
}

// near reports whether two amounts differ by no more than what a division leaves below the
// 20th digit.
func near(a, b *big.Rat) bool {
	off := new(big.Rat).Sub(a, b)
	return off.Abs(off).Cmp(big.NewRat(1, 1_000_000_000_000_000_000)) < 0
}

// shortRat writes a number with at most 20 places.
func shortRat(r *big.Rat) string {
	if d, err := money.ParseNumber(r.FloatString(20)); err == nil {
		return d.String()
	}
	return r.FloatString(20)
}
