package billing

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
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

// The reasons, as a verification shows them. Beside them stand what the reference model says.
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
			if figure.must != nil && !near(ratOf(figure.is), figure.must) {
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
	for k, s := range services {
		billed[k].line.Before = referBefore(was[k].ToDate, billed[k].line.Days.From, s, view.Terms.Customer.Location())
	}
	adjustments := view.Terms.Adjustments
	if err := referTogether(billed, adjustments, view.Source == invoice.SourcePartial); err != nil {
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
		r, err := referFee(l.Price, ratOf(*l.Price.Quantity), reference.Days{}, nil)
		if err != nil {
			return nil, err
		}
		own = append(own, r)
	}
	discounts := make([]subscription.AdjustmentInterval, len(added.Discounts))
	for k, d := range added.Discounts {
		discounts[k].Adjustment = d
	}
	if err := referTogether(own, discounts, false); err != nil {
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
		r, err = referRated(price, usage, days)
		r.quantity = quantity
		r.service = s
		return r, err
	case catalog.PriceComposite:
		r = blank(price, days)
		r.line.ModelType, r.line.Config, r.line.Usage = price.ModelType, price.Config, reference.Usage{Share: share}
		r.service = s
		return r, nil
	}
	zone := t.Customer.Location()
	switch {
	case s.Instalment != nil:
		r, err = referInstalment(s, days)
	case s.Before != nil: // a change of the quantity: what more it costs from here on
		r, err = referFee(price, ratOf(s.Quantity), days, share)
		if err == nil {
			var before referred
			before, err = referFee(price, ratOf(*s.Before), days, share)
			r.subtotal = rounded(price.Currency, new(big.Rat).Sub(r.exact(), before.exact()))
			r.line.Subtotal, r.quantity = r.subtotal, nil
		}
	case !price.InAdvance() && !price.Length().OneTime():
		r, err = referArrears(s, days, zone)
	case price.Allocation != nil: // a grant and its fee are never prorated
		r, err = referFee(price, ratOf(s.Quantity), days, nil)
	default:
		r, err = referFee(price, ratOf(s.Quantity), days, share)
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

// referArrears weighs each quantity of a fee in arrears by the days for which it was
// (price models 5.4).
func referArrears(s subscription.ServicePeriod, days reference.Days, zone *time.Location) (r referred, err error) {
	type spell struct {
		from     time.Time
		quantity money.Decimal
	}
	spells := []spell{{s.Period.Start, quantityAt(s.Interval, s.Period.Start)}}
	for _, change := range s.Interval.Transitions {
		if change.Quantity != nil && change.EffectiveAt.After(s.Period.Start) && change.EffectiveAt.Before(s.Period.End) {
			spells = append(spells, spell{change.EffectiveAt, *change.Quantity})
		}
	}
	usage := reference.Usage{Quantity: ratOf(spells[len(spells)-1].quantity), Fixed: true, Share: shareOf(days)}
	for k, sp := range spells {
		end := s.Period.End
		if k+1 < len(spells) {
			end = spells[k+1].from
		}
		part := reference.Days{To: reference.DaysBetween(sp.from, end, zone), Of: days.Of}
		usage.Spans = append(usage.Spans, reference.Span{Quantity: ratOf(sp.quantity), Share: shareOf(part)})
	}
	r, err = referRated(s.Interval.Price, usage, days)
	r.quantity = usage.Quantity
	return r, err
}

// quantityAt is the quantity of a fixed fee at an instant.
func quantityAt(i subscription.PriceInterval, at time.Time) money.Decimal {
	var quantity money.Decimal
	if i.Price.Quantity != nil {
		quantity = *i.Price.Quantity
	}
	for _, change := range i.Transitions { // by instant
		if change.Quantity != nil && !change.EffectiveAt.After(at) {
			quantity = *change.Quantity
		}
	}
	return quantity
}

// referInstalment is what an installment adds: the rounded fee up to its end less the rounded
// fee up to its beginning (price models 5.6).
func referInstalment(s subscription.ServicePeriod, days reference.Days) (r referred, err error) {
	if s.Before != nil || len(s.Interval.Transitions) > 0 {
		return r, changedInParts
	}
	price := s.Interval.Price
	if r, err = referFee(price, ratOf(s.Quantity), days, big.NewRat(1, 1)); err != nil {
		return r, err
	}
	upTo := func(day int) *big.Rat {
		return rounded(price.Currency, new(big.Rat).Mul(r.exact(), big.NewRat(int64(day), int64(days.Of))))
	}
	r.subtotal = new(big.Rat).Sub(upTo(days.To), upTo(days.From))
	r.line.Subtotal = r.subtotal
	r.line.Usage.Share = shareOf(days)
	return r, nil
}

// referFee is what a quantity of a fixed fee costs.
func referFee(price catalog.Price, quantity *big.Rat, days reference.Days, share *big.Rat) (referred, error) {
	r, err := referRated(price, reference.Usage{Quantity: quantity, Fixed: true, Share: share}, days)
	r.quantity = quantity
	return r, err
}

func referRated(price catalog.Price, usage reference.Usage, days reference.Days) (referred, error) {
	r := blank(price, days)
	exact, err := reference.Rate(price.ModelType, price.Config, usage)
	if err != nil {
		return r, err
	}
	r.line.ModelType, r.line.Config, r.line.Usage = price.ModelType, price.Config, usage
	r.subtotal = rounded(price.Currency, exact)
	r.line.Subtotal = r.subtotal
	return r, nil
}

func blank(price catalog.Price, days reference.Days) (r referred) {
	kinds := map[catalog.PriceType]string{catalog.PriceUsage: "usage", catalog.PriceFixed: "fixed", catalog.PriceComposite: "composite"}
	r.service.Interval.Price = price
	r.line.Price = reference.Price{
		ID: price.ID, ItemID: price.ItemID, Currency: string(price.Currency), Unit: !price.Currency.Valid(), Type: kinds[price.Type], InAdvance: price.InAdvance(),
	}
	if price.Currency.Valid() {
		r.line.Places = price.Currency.MinorUnits()
	}
	r.line.Days, r.subtotal = days, new(big.Rat)
	return r
}

// referTogether rates composite prices, then adjusts the lines that stand together.
func referTogether(all []referred, adjustments []subscription.AdjustmentInterval, partial bool) error {
	for k := range all {
		r := &all[k]
		if r.line.Price.Type != "composite" {
			continue
		}
		filters := plainFilters(r.service.Interval.Price.CompositeFilters)
		base := new(big.Rat)
		for _, other := range all {
			if other.line.Price.Type == "composite" || other.line.Price.Currency != r.line.Price.Currency {
				continue
			}
			matches, err := reference.Matches(filters, other.line.Price)
			if err != nil {
				return err
			}
			if matches {
				base.Add(base, other.subtotal)
			}
		}
		r.line.Usage.Components = base
		exact, err := reference.Rate(r.line.ModelType, r.line.Config, r.line.Usage)
		if err != nil {
			return err
		}
		r.subtotal = rounded(r.service.Interval.Price.Currency, exact)
		r.line.Subtotal = r.subtotal
	}
	var lines []reference.Line
	var at []int
	for k := range all {
		all[k].adjusted = all[k].subtotal
		switch {
		case all[k].service.TrialOf != "": // a trial is free, whatever adjustments there are
			all[k].adjusted = new(big.Rat)
		case all[k].service.Interval.Price.Currency.Valid(): // none works on a custom unit
			lines, at = append(lines, all[k].line), append(at, k)
		}
	}
	var plain []reference.Adjustment
	for _, a := range adjustments {
		if partial && a.Adjustment.Kind == rating.Minimum { // left to the invoice of the whole time
			continue
		}
		plain = append(plain, plainAdjustment(a, func(k int) bool { return inForce(a, all[at[k]].service) }))
	}
	added, err := reference.Adjust(lines, plain)
	if err != nil {
		return err
	}
	for _, amounts := range added {
		for k, amount := range amounts {
			all[at[k]].adjusted = new(big.Rat).Add(all[at[k]].adjusted, amount)
		}
	}
	return nil
}

// referBefore is what earlier invoices charged of a service that is charged to date, as they say:
// first is the day of its billing period with which it begins.
func referBefore(was *rating.Earlier, first int, s subscription.ServicePeriod, zone *time.Location) *reference.Before {
	if was == nil {
		return nil
	}
	b := &reference.Before{
		Subtotal: ratOf(was.Subtotal), Added: map[string]*big.Rat{}, Shared: map[string]bool{},
		Until: first + reference.DaysBetween(s.Period.Start, s.From, zone),
	}
	for _, a := range was.Applied {
		b.Added[a.AdjustmentID] = ratOf(a.Amount)
		if a.Added || a.Lines > 1 && a.Kind != rating.UsageDiscount && a.Kind != rating.PercentageDiscount {
			b.Shared[a.AdjustmentID] = true
		}
	}
	return b
}

// inForce reports whether an adjustment is in force for a service: in advance where the
// service starts, in arrears where it ends (semantics 6.3.7). A change of quantity gets
// percentages only.
func inForce(a subscription.AdjustmentInterval, s subscription.ServicePeriod) bool {
	if s.Before != nil && a.Adjustment.Kind != rating.PercentageDiscount {
		return false
	}
	if s.Interval.Price.InAdvance() {
		return !s.Period.Start.Before(a.StartAt) && (a.EndAt == nil || s.Period.Start.Before(*a.EndAt))
	}
	return s.Period.End.After(a.StartAt) && (a.EndAt == nil || !s.Period.End.After(*a.EndAt))
}

func plainAdjustment(a subscription.AdjustmentInterval, applies func(int) bool) reference.Adjustment {
	plain := reference.Adjustment{
		ID: a.AdjustmentID, Kind: string(a.Adjustment.Kind), Value: ratOf(a.Adjustment.Value), Filters: plainFilters(a.Adjustment.Filters),
		Invoice: a.Adjustment.InvoiceLevel, Applies: applies,
	}
	for _, t := range a.Adjustment.Tiers {
		tier := reference.PercentTier{From: ratOf(t.LowerBound), Percentage: ratOf(t.Percentage)}
		if t.UpperBound != nil {
			tier.To = ratOf(*t.UpperBound)
		}
		plain.Tiers = append(plain.Tiers, tier)
	}
	return plain
}

func plainFilters(filters []rating.Filter) (plain []reference.Filter) {
	for _, f := range filters {
		plain = append(plain, reference.Filter{Field: string(f.Field), Operator: string(f.Operator), Values: f.Values})
	}
	return plain
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
	moved := len(t.PlanIntervals) > 1 || s.Interval.BillingDay != nil
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
