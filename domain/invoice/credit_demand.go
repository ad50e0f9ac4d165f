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
	"tollkeeper/domain/rating"
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
	books   []ClosedDay                // of days that are closed by now, to be written
	Whole   map[string]money.Decimal   // what each line that credits pay for comes to, by its id
	toDate  map[string]money.Decimal   // what earlier drafts come to of a price, to date, by its interval and start
	before  map[string]*rating.Earlier // how they come to that
}

// CreditDemandOf works out what drafts ask of credits, and invoices whose drafts are not opened yet. Those of an invoice that is being issued
// are asked for now, once and for all.
func CreditDemandOf(tx *store.Tx, customerID string, currency money.Currency, days credit.Calendar, issuing string) (CreditDemand, error) {
	d := CreditDemand{Whole: map[string]money.Decimal{}, toDate: map[string]money.Decimal{}, before: map[string]*rating.Earlier{}}
	var drafts []Invoice
	err := tx.Where("customer_id = ? AND status = ? AND source = ?", customerID, StatusDraft, SourceSubscription).
		Order("invoice_date, seq").Find(&drafts).Error
	if err == nil {
		drafts, err = WithExpected(tx, drafts, "customer_id = ?", customerID)
	}
	if err != nil || len(drafts) == 0 {
		return d, err
	}
	terms, err := TermsOf(tx, drafts)
	if err != nil {
		return d, err
	}
	// The order of subscriptions of one date does not change when a draft is opened.
	slices.SortStableFunc(drafts, func(a, b Invoice) int {
		return cmp.Or(a.InvoiceDate.Compare(b.InvoiceDate), cmp.Compare(terms(a).Seq, terms(b).Seq))
	})
	for _, inv := range drafts {
		if err := d.add(tx, terms(inv), inv, currency, days, inv.ID == issuing); err != nil {
			return d, err
		}
	}
	slices.SortStableFunc(d.charges, func(a, b credit.Charge) int { return a.From.Compare(b.From) })
	return d, nil
}

// paidByCredits reports whether credits of that unit may pay for a service: never for a
// fee in advance (semantics 10.2.3).
func paidByCredits(s subscription.ServicePeriod, currency money.Currency) bool {
	return s.Interval.Price.Currency == currency && !s.Interval.Price.InAdvance()
}

// add adds what a draft asks for.
func (d *CreditDemand) add(tx *store.Tx, t subscription.Terms, inv Invoice, currency money.Currency, days credit.Calendar, issuing bool) error {
	services, err := Charged(tx, t, inv)
	if err != nil {
		return err
	}
	var lineIDs []string
	for _, s := range services {
		if paidByCredits(s, currency) && !s.Period.Start.After(tx.Now) {
			lineIDs = append(lineIDs, LineID(inv.ID, s))
		}
	}
	if len(lineIDs) == 0 {
		return nil
	}
	closed, err := ClosedDays(tx, lineIDs)
	if err != nil {
		return err
	}
	was, err := IssuedPriorCharges(tx, t, inv, services)
	if err != nil {
		return err
	}
	toDate := make([]*rating.Earlier, len(services))
	for k, s := range services {
		if toDate[k] = was[k].ToDate; charge.IsContinuation(s) && d.before[charge.CycleKey(s)] != nil {
			toDate[k] = d.before[charge.CycleKey(s)]
		}
	}
	rising, last, err := cumulativeByDay(tx, t, services, toDate, days.Location)
	if err != nil {
		return err
	}
	for k, s := range services {
		if !s.Interval.Price.Fixed() {
			d.before[charge.CycleKey(s)] = &rating.Earlier{Subtotal: last[k].Subtotal, Applied: last[k].Adjustments}
		}
	}
	for k, s := range services {
		if id := LineID(inv.ID, s); slices.Contains(lineIDs, id) {
			c := credit.Charge{LineID: id, InvoiceID: inv.ID, PriceID: s.Interval.PriceID, ItemID: s.Interval.Price.ItemID}
			d.addLine(tx, c, s, was[k].Left, rising[k], closed[id], days, issuing)
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

// cumulativeByDay tells what each service of an invoice comes to, after adjustments and what licenses
// cover and before credits, at the end of each local day up to today: by instant, in microseconds. All of
// the invoice is charged together each time, its fees in full.
// toDate is what earlier invoices came to of each; last what each comes to in the end.
func cumulativeByDay(tx *store.Tx, t subscription.Terms, services []subscription.ServicePeriod, toDate []*rating.Earlier, loc *time.Location) (
	worth []map[int64]money.Decimal, last []charge.Amounts, err error) {
	edges := dayEnds(services, period.DateOf(tx.Now, loc).AddDays(1).In(loc), loc)
	asked, shown := make([]charge.Measurement, len(services)), make([]map[int64]int, len(services))
	for k, s := range services {
		if s.Interval.Price.Fixed() {
			asked[k] = charge.Measurement{ServicePeriod: s, Until: []time.Time{s.Period.End}}
			continue
		}
		at, show := charge.MeasurementPoints(s.Period, edges)
		asked[k], shown[k] = charge.Measurement{ServicePeriod: s, Until: at}, show
	}
	items, err := charge.Measure(tx, t, asked)
	if err != nil {
		return nil, nil, err
	}
	worth, last = make([]map[int64]money.Decimal, len(services)), make([]charge.Amounts, len(services))
	for k := range worth {
		worth[k] = map[int64]money.Decimal{}
	}
	for _, edge := range edges {
		var together []charge.Item
		var of []int
		for k, s := range services {
			at, begun := shown[k][edge.UnixMicro()]
			if toDate[k] != nil && charge.IsContinuation(s) && !edge.After(s.From) { // an earlier invoice charges that
				continue
			}
			if begun || s.Interval.Price.Fixed() && (s.Interval.Price.InAdvance() || edge.After(s.Period.Start)) {
				y := items[k][at]
				y.ToDate = toDate[k]
				together, of = append(together, y), append(of, k)
			}
		}
		for k, a := range charge.Calculate(t, together) {
			worth[of[k]][edge.UnixMicro()], last[of[k]] = a.Left(), a
		}
	}
	return worth, last, nil
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
