package billing

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// creditCarry is what credits paid on documents that a change of a subscription takes away: lines
// of drafts that are billed on another date, and invoices that are replaced. A deduction
// belongs to a price, a local day and a block, so it goes on to the line that bills the
// price for that day now (semantics 10.2.7). Only what no line bills is given back.
type creditCarry struct {
	drafts    []string             // ids
	lines     map[string]carryLine // of those drafts, by line
	intervals map[string]bool      // that there were before the change, by id
	lapsed    map[string]bool      // blocks of grants whose period is gone: what they paid stays paid (semantics 11.2.5)
}

// carryLine is a line that credits pay, or paid.
type carryLine struct {
	InvoiceID  string
	IntervalID string // "": not known, since what credits paid was given back before
	PriceID    string
	Time       period.Period // for which no earlier invoice charged
	Replaced   bool          // its invoice is void, and others replace it
}

// lineDay is a local day of a line.
type lineDay struct {
	LineID string
	Day    period.Date
}

// carryFrom notes the lines of drafts, opened or not, as the terms before a change have them.
func carryFrom(t subscription.Terms, drafts []invoice.Invoice) creditCarry {
	c := creditCarry{lines: map[string]carryLine{}, intervals: map[string]bool{}}
	for _, i := range t.Intervals {
		c.intervals[i.ID] = true
	}
	for _, draft := range drafts {
		c.drafts = append(c.drafts, draft.ID)
		addCarryLines(c.lines, draft, invoice.BilledBy(t, draft))
	}
	return c
}

func addCarryLines(lines map[string]carryLine, inv invoice.Invoice, services []subscription.ServicePeriod) {
	for _, s := range services {
		if !s.Interval.Price.InAdvance() {
			lines[invoice.LineID(inv.ID, s)] = carryLine{
				InvoiceID: inv.ID, IntervalID: s.Interval.ID, PriceID: s.Interval.PriceID,
				Time: period.Period{Start: s.From, End: s.Period.End},
			}
		}
	}
}

// on carries on what was paid, after the documents follow the terms, and brings the
// customer's ledgers up to date. Called again, it does so for what was replaced since.
func (c *creditCarry) on(tx *store.Tx, t subscription.Terms) error {
	var replaced []string
	err := tx.Model(&invoice.Invoice{}).Where("subscription_id = ? AND replaced AND voided_at = ?", t.ID, tx.Now).Pluck("id", &replaced).Error
	if err != nil || len(c.drafts)+len(replaced) == 0 {
		return err
	}
	found, err := credit.Ledgers(tx, t.CustomerID)
	if err != nil || len(found) == 0 {
		return err
	}
	ledgers := make([]*credit.Ledger, len(found))
	for k, l := range found {
		if ledgers[k], err = credit.Lock(tx, t.CustomerID, l.Currency); err != nil {
			return err
		}
	}
	from, err := c.sources(tx, replaced)
	if err != nil {
		return err
	}
	c.drafts, c.lines = nil, map[string]carryLine{}
	to, err := draftedLines(tx, t)
	if err != nil {
		return err
	}
	maps.DeleteFunc(from, func(id string, _ carryLine) bool { _, still := to[id]; return still })
	days, open, err := daysOf(tx, from)
	if err != nil || len(days) == 0 {
		return err
	}
	taken, _, err := daysOf(tx, to)
	if err != nil {
		return err
	}
	target, gone := c.place(from, to, days, open, taken, t.Customer.Location())
	if err := carryDays(tx, target, to); err != nil {
		return err
	}
	if err := c.giveBackDays(tx, ledgers, gone, days, from, to); err != nil {
		return err
	}
	for _, l := range ledgers {
		if err := invoice.BurnDownLocked(tx, l, ""); err != nil {
			return err
		}
	}
	return nil
}

// sources are the lines of the drafts that there were, and of the invoices that were
// replaced by now.
func (c creditCarry) sources(tx *store.Tx, replaced []string) (map[string]carryLine, error) {
	from := maps.Clone(c.lines)
	lines, err := invoice.LinesOf(tx, replaced)
	if err != nil {
		return nil, err
	}
	for _, id := range replaced {
		for _, l := range lines[id] {
			if l.IntervalID != nil {
				from[l.ID] = carryLine{
					InvoiceID: id, IntervalID: *l.IntervalID, PriceID: l.PriceID,
					Time: period.Period{Start: l.BilledFrom, End: l.EndAt}, Replaced: true,
				}
			}
		}
	}
	paid, err := credit.PaidDays(tx, slices.Concat(c.drafts, replaced))
	for _, p := range paid {
		if _, known := from[p.LineID]; !known {
			from[p.LineID] = carryLine{InvoiceID: p.InvoiceID, PriceID: p.PriceID, Replaced: slices.Contains(replaced, p.InvoiceID)}
		}
	}
	return from, err
}

// draftedLines are the lines that the drafts of a subscription, opened or not, have now.
func draftedLines(tx *store.Tx, t subscription.Terms) (map[string]carryLine, error) {
	var drafts []invoice.Invoice
	err := tx.Where("subscription_id = ? AND status = ? AND source = ?", t.ID, invoice.StatusDraft, invoice.SourceSubscription).Find(&drafts).Error
	if err == nil {
		drafts, err = invoice.WithExpected(tx, drafts, "subscription_id = ?", t.ID)
	}
	if err != nil {
		return nil, err
	}
	lines := map[string]carryLine{}
	for _, draft := range drafts {
		services, err := invoice.Charged(tx, t, draft)
		if err != nil {
			return nil, err
		}
		addCarryLines(lines, draft, services)
	}
	return lines, nil
}

// daysOf are the days of lines that are closed, or that entries are for: whether they are. Those
// are open of which nothing is closed or committed, so what they pay is worked out again anyway.
func daysOf(tx *store.Tx, lines map[string]carryLine) (days, open map[lineDay]bool, err error) {
	days, open = map[lineDay]bool{}, map[lineDay]bool{}
	if len(lines) == 0 {
		return days, open, nil
	}
	ids := slices.Sorted(maps.Keys(lines))
	closed, err := invoice.ClosedDays(tx, ids)
	if err != nil {
		return nil, nil, err
	}
	for id, ofLine := range closed {
		for day := range ofLine {
			days[lineDay{id, day}] = false
		}
	}
	paid, err := credit.DaysOfLines(tx, ids)
	for _, p := range paid {
		at := lineDay{p.LineID, p.Day}
		before, known := days[at]
		open[at] = p.Open && (!known || before && open[at])
		days[at] = true
	}
	return days, open, err
}

// place tells which line bills each day now, and the days that none does as a whole. Where
// two lines would go on to the same day of one, neither does, and the day is charged again.
func (c creditCarry) place(from, to map[string]carryLine, days, open, taken map[lineDay]bool, loc *time.Location) (target map[lineDay]string, gone []lineDay) {
	target = map[lineDay]string{}
	claims := map[lineDay]int{}
	for d := range days {
		if id, found := c.lineFor(from[d.LineID], d.Day, open[d], to, loc); found {
			target[d] = id
			claims[lineDay{id, d.Day}]++
		}
	}
	for d := range days {
		id, found := target[d]
		at := lineDay{id, d.Day}
		if _, has := taken[at]; !found || claims[at] > 1 || has {
			delete(target, d)
			gone = append(gone, d)
		}
	}
	sortDays(gone)
	return target, gone
}

func sortDays(days []lineDay) {
	slices.SortFunc(days, func(x, y lineDay) int { return cmp.Or(cmp.Compare(x.LineID, y.LineID), x.Day.Compare(y.Day)) })
}

// lineFor finds the line that bills all of what a line did of a day, or a part of it if the day is
// open: of the same price interval, else of the same price in an interval that is new. Else it is the
// last line of the interval before: late usage of its time may have been charged for the day, and
// what is closed takes no more (semantics 10.2.7). What was paid of other usage is given back with that
// line. What an invoice that is replaced paid of such a day comes back like that of a void one.
func (c creditCarry) lineFor(l carryLine, day period.Date, open bool, to map[string]carryLine, loc *time.Location) (id string, found bool) {
	if l.IntervalID == "" {
		return "", false
	}
	part, late := l.on(day, loc)
	for _, same := range []func(carryLine) bool{
		func(other carryLine) bool { return other.IntervalID == l.IntervalID },
		func(other carryLine) bool { return other.PriceID == l.PriceID && !c.intervals[other.IntervalID] },
	} {
		for _, key := range slices.Sorted(maps.Keys(to)) {
			other := to[key]
			if !same(other) {
				continue
			}
			if !part.Start.Before(other.Time.Start) && !part.End.After(other.Time.End) {
				return key, true
			}
			if _, some := part.Intersect(other.Time); some && open && id == "" {
				id = key
			}
			if late && other.Time.Start.Before(l.Time.End) && (id == "" || other.Time.Start.After(to[id].Time.Start)) {
				id = key
			}
		}
		if id != "" {
			return id, true
		}
	}
	for key, other := range to {
		if !l.Replaced && other.IntervalID == l.IntervalID && !other.Time.End.After(part.Start) && (id == "" || other.Time.Start.After(to[id].Time.Start)) {
			id = key
		}
	}
	return id, id != ""
}

// on is the part of a local day that a line charges. Usage that came late may be charged
// for a day after all of the line's time, and counts as of its last moment.
func (l carryLine) on(day period.Date, loc *time.Location) (part period.Period, late bool) {
	whole := period.Period{Start: day.In(loc), End: day.AddDays(1).In(loc)}
	if part, some := whole.Intersect(l.Time); some {
		return part, false
	}
	return period.Period{Start: l.Time.End.Add(-time.Microsecond), End: l.Time.End}, true
}

// carryDays makes days those of other lines.
func carryDays(tx *store.Tx, target map[lineDay]string, to map[string]carryLine) error {
	type pair struct{ from, to string }
	together := map[pair][]period.Date{}
	for d, id := range target {
		together[pair{d.LineID, id}] = append(together[pair{d.LineID, id}], d.Day)
	}
	for p, days := range together {
		if err := credit.Carry(tx, p.from, days, p.to, to[p.to].InvoiceID); err != nil {
			return err
		}
		err := tx.Model(&invoice.ClosedDay{}).Where("line_id = ? AND day IN ?", p.from, days).Update("line_id", p.to).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// giveBackDays gives back what credits paid of days that no line bills as before. Their
// entries name the invoice that bills their price interval next, if theirs is gone.
func (c creditCarry) giveBackDays(tx *store.Tx, ledgers []*credit.Ledger, gone []lineDay, paid map[lineDay]bool, from, to map[string]carryLine) error {
	left, err := stillThere(tx, from)
	if err != nil {
		return err
	}
	for _, d := range gone {
		if err := tx.Where("line_id = ? AND day = ?", d.LineID, d.Day).Delete(&invoice.ClosedDay{}).Error; err != nil {
			return err
		}
		if !paid[d] {
			continue
		}
		l := from[d.LineID]
		for _, ledger := range ledgers {
			if err := credit.GiveBackDay(tx, ledger, d.LineID, d.Day, l.Replaced, c.lapsed); err != nil {
				return err
			}
		}
		if left[l.InvoiceID] {
			continue
		}
		var shown *string
		for _, key := range slices.Sorted(maps.Keys(to)) {
			if other := to[key]; other.IntervalID == l.IntervalID {
				shown = &other.InvoiceID
			}
		}
		if err := credit.Show(tx, d.LineID, []period.Date{d.Day}, shown); err != nil {
			return err
		}
	}
	return nil
}

// stillThere tells which invoices of lines there are.
func stillThere(tx *store.Tx, lines map[string]carryLine) (map[string]bool, error) {
	var ids []string
	for _, l := range lines {
		ids = append(ids, l.InvoiceID)
	}
	var found []string
	if err := tx.Model(&invoice.Invoice{}).Where("id IN ?", ids).Pluck("id", &found).Error; err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, id := range found {
		left[id] = true
	}
	return left, nil
}
