package invoice

import (
	"cmp"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// ClosedDay is what a line charges for a local day that is closed. It never changes.
type ClosedDay struct {
	AccountID string      `gorm:"primaryKey"`
	LineID    string      `gorm:"primaryKey"`
	Day       period.Date `gorm:"primaryKey"`
	CreatedAt time.Time
	Amount    money.Decimal // never negative
}

// CreditDemand is what the drafts of a customer ask credits of one unit to pay, day by day.
type CreditDemand struct {
	charges []credit.Charge
	books   []ClosedDay              // of days that are closed by now, to be written
	Whole   map[string]money.Decimal // the amount of each line that credits pay for, by its id
	parts   map[string]credit.Parts  // of each line of the invoice being issued that goes on from earlier ones, by its id
	toDate  map[string]money.Decimal // the amount of a price on earlier drafts, to date, by its interval and start
	before  []charge.Charged         // the lines of earlier drafts
}

// CreditDemandOf works out what drafts ask of credits, and invoices whose drafts are not opened yet.
// Those of an invoice that is being issued are asked for now, once and for all.
func CreditDemandOf(tx *store.Tx, customerID string, currency money.Currency, days credit.Calendar, issuing string) (CreditDemand, error) {
	drafts, err := openDraftsOf(tx, []string{customerID})
	if err != nil {
		return CreditDemand{}, err
	}
	return drafts[customerID].demand(tx, currency, days, issuing)
}

// openDrafts are the invoices that a customer's credits may still pay, in the order in which credits
// pay them, with the terms that they are drawn by.
type openDrafts struct {
	invoices []Invoice
	terms    func(Invoice) subscription.Terms
}

// openDraftsOf returns those of customers, by customer. They are read together.
func openDraftsOf(tx *store.Tx, customerIDs []string) (map[string]openDrafts, error) {
	var drafts []Invoice
	err := tx.Where("customer_id IN ? AND status = ? AND source = ?", customerIDs, StatusDraft, SourceSubscription).
		Order("invoice_date, seq").Find(&drafts).Error
	if err == nil {
		drafts, err = WithExpected(tx, drafts, "customer_id IN ?", customerIDs)
	}
	open := map[string]openDrafts{}
	if err != nil || len(drafts) == 0 {
		return open, err
	}
	terms, err := TermsOf(tx, drafts)
	if err != nil {
		return nil, err
	}
	// The order of subscriptions of one date does not change when a draft is opened.
	slices.SortStableFunc(drafts, func(a, b Invoice) int {
		return cmp.Or(a.InvoiceDate.Compare(b.InvoiceDate), cmp.Compare(terms(a).Seq, terms(b).Seq))
	})
	for _, draft := range drafts {
		open[draft.CustomerID] = openDrafts{append(open[draft.CustomerID].invoices, draft), terms}
	}
	return open, nil
}

// demand works out what the drafts ask of credits of one unit.
func (o openDrafts) demand(tx *store.Tx, currency money.Currency, days credit.Calendar, issuing string) (CreditDemand, error) {
	d := CreditDemand{Whole: map[string]money.Decimal{}, parts: map[string]credit.Parts{}, toDate: map[string]money.Decimal{}}
	asking, err := o.asking(tx, currency)
	if err != nil || len(asking) == 0 {
		return d, err
	}
	var lineIDs []string
	for _, a := range asking {
		lineIDs = append(lineIDs, a.lineIDs...)
	}
	closed, err := ClosedDays(tx, lineIDs)
	if err != nil {
		return d, err
	}
	if err := measureByDay(tx, asking, days.Location); err != nil {
		return d, err
	}
	for _, a := range asking {
		if err := d.add(tx, a, closed, days, a.inv.ID == issuing); err != nil {
			return d, err
		}
	}
	slices.SortStableFunc(d.charges, func(a, b credit.Charge) int { return a.From.Compare(b.From) })
	return d, nil
}

// askingDraft is a draft that asks something of credits of one unit.
type askingDraft struct {
	inv      Invoice
	terms    subscription.Terms
	services []subscription.ServicePeriod
	lineIDs  []string // of those that ask

	edges []time.Time     // the ends of the local days of its services
	items [][]charge.Item // of each service, at its instants
	shown []map[int64]int // at which of these it is at the end of a day
}

// asking are the drafts that ask for credits of a unit by now.
func (o openDrafts) asking(tx *store.Tx, currency money.Currency) (all []askingDraft, err error) {
	for _, inv := range o.invoices {
		a := askingDraft{inv: inv, terms: o.terms(inv)}
		asks := func(s subscription.ServicePeriod) bool {
			return paidByCredits(s, currency) && !s.Period.Start.After(tx.Now)
		}
		if !slices.ContainsFunc(BilledBy(a.terms, inv), asks) {
			continue
		}
		if a.services, err = Charged(tx, a.terms, inv); err != nil {
			return nil, err
		}
		for _, s := range a.services {
			if asks(s) {
				a.lineIDs = append(a.lineIDs, LineID(inv.ID, s))
			}
		}
		if len(a.lineIDs) > 0 {
			all = append(all, a)
		}
	}
	return all, nil
}

// paidByCredits reports whether credits of that unit may pay for a service: never for a
// fee in advance (semantics 10.2.3).
func paidByCredits(s subscription.ServicePeriod, currency money.Currency) bool {
	return s.Interval.Price.Currency == currency && !s.Interval.Price.InAdvance()
}

// add adds what a draft asks for.
func (d *CreditDemand) add(tx *store.Tx, a askingDraft, closed map[string]map[period.Date]money.Decimal, days credit.Calendar, issuing bool) error {
	inv, services := a.inv, a.services
	was, err := IssuedPriorCharges(tx, a.terms, inv, services)
	if err != nil {
		return err
	}
	earlier := was.Earlier
	for _, c := range d.before {
		if c.Interval.SubscriptionID == a.terms.ID {
			earlier = append(earlier, c)
		}
	}
	slices.SortStableFunc(earlier, func(a, b charge.Charged) int { return a.BilledOn.Compare(b.BilledOn) })
	rising, last := a.cumulativeByDay(earlier)
	d.before = append(d.before, last...)
	for k, s := range services {
		if id := LineID(inv.ID, s); slices.Contains(a.lineIDs, id) {
			c := credit.Charge{LineID: id, InvoiceID: inv.ID, PriceID: s.Interval.PriceID, ItemID: s.Interval.Price.ItemID}
			d.addLine(tx, c, s, was.Of[k].Left, rising[k], closed[id], days, issuing)
			if issuing && len(was.Of[k].Lines) > 0 {
				d.parts[id] = credit.Parts{Earlier: was.Of[k].Lines, Bound: money.Max(d.toDate[charge.CycleKey(s)], money.Decimal{})}
			}
		}
	}
	return nil
}

// addLine adds what a line charges for each day up to today: by how much it rose, and
// nothing if it fell (semantics 10.2.5). A day that is closed stays as it is, and the
// first that is not takes what the line rose meanwhile. What it was to date, on an earlier
// invoice, is not asked for again.
func (d *CreditDemand) addLine(tx *store.Tx, c credit.Charge, s subscription.ServicePeriod, was money.Decimal, rising map[int64]money.Decimal,
	closed map[period.Date]money.Decimal, days credit.Calendar, issuing bool) {
	to := charge.CycleKey(s)
	if drafted, is := d.toDate[to]; is && charge.IsContinuation(s) {
		was = drafted
	}
	sum, now := was, was
	loc := days.Location
	today := period.DateOf(tx.Now, loc)
	for c.Day = period.DateOf(s.From, loc); !today.Before(c.Day); c.Day = c.Day.AddDays(1) {
		c.From, c.CommitAt = c.Day.In(loc), days.Closes(c.Day)
		if issuing {
			c.CommitAt = tx.Now
		}
		if worth, rose := rising[c.Day.AddDays(1).In(loc).UnixMicro()]; rose {
			now = worth
		}
		known := false
		if c.Amount, known = closed[c.Day]; !known {
			c.Amount = money.Max(now.Sub(sum), money.Decimal{})
			if !c.CommitAt.After(tx.Now) {
				d.books = append(d.books, ClosedDay{AccountID: tx.AccountID, LineID: c.LineID, Day: c.Day, CreatedAt: tx.Now, Amount: c.Amount})
			}
		}
		sum = sum.Add(c.Amount)
		if c.Amount.Sign() > 0 {
			d.charges = append(d.charges, c)
		}
	}
	d.Whole[c.LineID], d.toDate[to] = now.Sub(was), now
}

// closeDays writes the days that were closed.
func (d CreditDemand) closeDays(tx *store.Tx) error {
	if len(d.books) == 0 {
		return nil
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&d.books).Error
}

// ClosedDays reads what lines charge for the days that are closed, by line and day.
func ClosedDays(tx *store.Tx, lineIDs []string) (map[string]map[period.Date]money.Decimal, error) {
	var rows []ClosedDay
	err := tx.Where("line_id IN ?", lineIDs).Find(&rows).Error
	closed := map[string]map[period.Date]money.Decimal{}
	for _, row := range rows {
		if closed[row.LineID] == nil {
			closed[row.LineID] = map[period.Date]money.Decimal{}
		}
		closed[row.LineID][row.Day] = row.Amount
	}
	return closed, err
}

// measureByDay measures the services of drafts at the end of each local day up to today. The usage of
// a subscription is read together.
func measureByDay(tx *store.Tx, drafts []askingDraft, loc *time.Location) error {
	bySubscription := map[string][]int{} // the places of its drafts
	var order []string
	for k := range drafts {
		id := drafts[k].terms.ID
		if bySubscription[id] == nil {
			order = append(order, id)
		}
		bySubscription[id] = append(bySubscription[id], k)
	}
	today := period.DateOf(tx.Now, loc).AddDays(1).In(loc)
	for _, id := range order {
		places := bySubscription[id]
		asked := make([][]charge.Measurement, len(places))
		for n, k := range places {
			asked[n] = drafts[k].measurements(today, loc)
		}
		items, err := charge.MeasureInvoices(tx, drafts[places[0]].terms, asked)
		if err != nil {
			return err
		}
		for n, k := range places {
			drafts[k].items = items[n]
		}
	}
	return nil
}

// measurements are the instants at which the services of the draft are measured: the ends of local
// days, and the end of its period for a fee.
func (a *askingDraft) measurements(today time.Time, loc *time.Location) []charge.Measurement {
	a.edges = dayEnds(a.services, today, loc)
	asked := make([]charge.Measurement, len(a.services))
	a.shown = make([]map[int64]int, len(a.services))
	for k, s := range a.services {
		if s.Interval.Price.Fixed() {
			asked[k] = charge.Measurement{ServicePeriod: s, Until: []time.Time{s.Period.End}}
			continue
		}
		at, show := charge.MeasurementPoints(s.Period, a.edges)
		asked[k], a.shown[k] = charge.Measurement{ServicePeriod: s, Until: at}, show
	}
	return asked
}

// cumulativeByDay tells what each service of a draft amounts to, after adjustments and what licenses
// cover and before credits, at the end of each local day up to today: by instant, in microseconds. All
// of the draft is charged together each time, its fees in full, and its minimums from the last day of their
// period on (price models 6.7.20). Earlier are the lines of earlier documents; last is what each service
// amounts to in the end.
func (a askingDraft) cumulativeByDay(earlier []charge.Charged) (worth []map[int64]money.Decimal, last []charge.Charged) {
	worth = make([]map[int64]money.Decimal, len(a.services))
	for k := range worth {
		worth[k] = map[int64]money.Decimal{}
	}
	continued := func(s subscription.ServicePeriod) bool {
		return charge.IsContinuation(s) && slices.ContainsFunc(earlier, func(c charge.Charged) bool { return charge.CycleKey(c.ServicePeriod) == charge.CycleKey(s) })
	}
	whole := charge.Document{Date: a.inv.InvoiceDate, Earlier: earlier, Periods: a.terms.PeriodsOfAll()}
	for _, edge := range a.edges {
		var together []charge.Item
		var of []int
		for k, s := range a.services {
			at, begun := a.shown[k][edge.UnixMicro()]
			if continued(s) && !edge.After(s.From) { // an earlier invoice charges that
				continue
			}
			if begun || s.Interval.Price.Fixed() && (s.Interval.Price.InAdvance() || edge.After(s.Period.Start)) {
				together, of = append(together, a.items[k][at]), append(of, k)
			}
		}
		all := charge.Calculate(a.terms, whole.ForDays(edge), together)
		for k, amounts := range all {
			worth[of[k]][edge.UnixMicro()] = amounts.Left()
		}
		last = charge.ChargedBy(together, all)
	}
	return worth, last
}

// dayEnds are the ends of the local days of services, up to that of today.
func dayEnds(services []subscription.ServicePeriod, today time.Time, loc *time.Location) (edges []time.Time) {
	span := period.Period{Start: today, End: today}
	for _, s := range services {
		if s.Period.Start.Before(span.Start) {
			span.Start = s.Period.Start
		}
	}
	for _, day := range span.LocalDays(loc) {
		edges = append(edges, day.End)
	}
	return edges
}

// calendar is when the days of a customer are closed.
func calendar(settings account.Account, loc *time.Location) credit.Calendar {
	return credit.Calendar{Location: loc, Grace: settings.GracePeriod()}
}
