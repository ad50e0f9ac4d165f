package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Prior is what other documents charged that bears on an invoice.
type Prior struct {
	Of      []PriorCharge    // by service
	Earlier []charge.Charged // lines of the periods and cycles that its services belong to, oldest first
	Void    bool             // one of those documents charges no longer what it did
}

// NoPrior is that of an invoice of so many services that no other document bears on.
func NoPrior(services int) Prior { return Prior{Of: make([]PriorCharge, services)} }

// PriorCharge is what other invoices charged of a service period that is charged to date. The next
// line subtracts it (price models 5.6). Void invoices and undone lines do not count.
type PriorCharge struct {
	Amount  money.Decimal // in the currency of the invoice
	Credits money.Decimal // the part that credits paid, in the currency of the price
	Left    money.Decimal // the part that credits could have paid on the last invoice that is not partial, in the same currency

	Lines []string // ids of the lines of those invoices that count

	Void bool // one of those invoices no longer charges it

	issued []issuedPart // the lines that count
}

// issuedPart is what a line of an issued invoice added to a service that is charged to date.
type issuedPart struct {
	from            time.Time // of the time that it added
	amount, credits money.Decimal
	lineID          string
}

// after are the charges up to a draft with what was invoiced of the time after it: a partial invoice may come before
// the draft of the part that ended is issued.
func (c PriorCharge) after(draft PriorCharge, from time.Time) PriorCharge {
	for _, part := range c.issued {
		if part.from.After(from) {
			draft.Amount, draft.Credits = draft.Amount.Add(part.amount), draft.Credits.Add(part.credits)
			draft.Lines, draft.issued = append(draft.Lines, part.lineID), append(draft.issued, part)
		}
	}
	return draft
}

// priorLine is a line of an issued invoice that charged a price interval.
type priorLine struct {
	ID          string
	IntervalID  string
	StartAt     time.Time
	EndAt       time.Time
	BilledFrom  time.Time
	InvoiceDate time.Time
	IssuedAt    time.Time
	Partial     bool
	Seq         int64 // of the invoice
	Left        money.Decimal
	Amount      money.Decimal
	Quantity    money.Decimal
	Subtotal    money.Decimal

	Adjustments []rating.Applied `gorm:"serializer:json"`

	Void     bool       // it charges nothing: its invoice is void, or a change undid it
	VoidedAt *time.Time // since when
}

// charge reports whether the line charged for a time that a service of the invoice
// begins with: as an earlier part of the billing cycle, or as a partial invoice.
func (l priorLine) charge(inv Invoice, s subscription.ServicePeriod) bool {
	if l.IntervalID != s.Interval.ID || !l.StartAt.Equal(s.Period.Start) {
		return false
	}
	switch {
	case !l.BilledFrom.Equal(s.From):
		return l.BilledFrom.Before(s.From)
	case inv.Source != SourcePartial:
		return l.Partial
	case inv.Status == StatusDraft:
		return true // of all that was invoiced by now
	}
	return l.Partial && l.Seq < inv.Seq
}

// earlier reports whether the line is on an earlier document than an invoice: on one of an earlier date,
// or of the same date and issued before (price models 6.7.5). A partial invoice at the very instant is for
// the time from then on.
func (l priorLine) earlier(inv Invoice) bool {
	switch {
	case l.Partial && inv.Source != SourcePartial && !l.BilledFrom.Before(inv.InvoiceDate):
		return false
	case !l.InvoiceDate.Equal(inv.InvoiceDate) || inv.Status == StatusDraft || inv.IssuedAt == nil:
		return !l.InvoiceDate.After(inv.InvoiceDate)
	}
	return l.IssuedAt.Before(*inv.IssuedAt) || l.IssuedAt.Equal(*inv.IssuedAt) && l.Seq < inv.Seq
}

// PriorCharges is what other documents charged that bears on the services of an invoice. A draft of an
// earlier date is issued before this one, so it counts as it reads now.
func PriorCharges(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) (Prior, error) {
	b := charge.BearingOn(t, inv.InvoiceDate, services)
	prior, err := issuedPrior(tx, t, inv, services, b)
	if err != nil || inv.Status != StatusDraft || b.Empty() {
		return prior, err
	}
	drafts, err := earlierDrafts(tx, t, inv, b)
	if err != nil {
		return Prior{}, err
	}
	var before []draftedLine
	for _, draft := range drafts { // each of them counts for the next
		charged, err := Charged(tx, t, draft)
		if err != nil {
			return Prior{}, err
		}
		own, err := issuedPrior(tx, t, draft, charged, charge.BearingOn(t, draft.InvoiceDate, charged))
		if err != nil {
			return Prior{}, err
		}
		own.add(before, charged)
		paid, err := CreditsFor(tx, t, draft, charged)
		if err != nil {
			return Prior{}, err
		}
		lines, err := LinesPaid(tx, t, draft, charged, own, paid)
		if err != nil {
			return Prior{}, err
		}
		for k, l := range lines {
			before = append(before, draftedLine{charged[k], l})
		}
	}
	prior.add(before, services)
	return prior, nil
}

// draftedLine is a line of a draft of an earlier date.
type draftedLine struct {
	subscription.ServicePeriod
	Line Line
}

// add counts the lines of drafts, by date, as charged before.
func (p *Prior) add(drafts []draftedLine, services []subscription.ServicePeriod) {
	for _, d := range drafts {
		p.Earlier = append(p.Earlier, charge.Charged{ServicePeriod: d.ServicePeriod, Quantity: d.Line.Quantity, Subtotal: d.Line.Subtotal, Applied: d.Line.Adjustments})
		for k, s := range services {
			if l := d.Line; d.Interval.ID == s.Interval.ID && l.StartAt.Equal(s.Period.Start) && l.BilledFrom.Before(s.From) && !s.Interval.Price.Fixed() {
				p.Of[k] = p.Of[k].after(PriorCharge{Amount: l.Amount.Add(l.PartiallyInvoicedAmount), Credits: l.CreditsApplied, Left: l.left()}, l.BilledFrom)
			}
		}
	}
	slices.SortStableFunc(p.Earlier, func(a, b charge.Charged) int { return a.BilledOn.Compare(b.BilledOn) })
}

// IssuedPriorCharges is what other documents that are issued charged.
func IssuedPriorCharges(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) (Prior, error) {
	return issuedPrior(tx, t, inv, services, charge.BearingOn(t, inv.InvoiceDate, services))
}

// EarlierAmounts is what earlier invoices charged of the time of lines, of whose services only the price
// interval and the time need be known.
func EarlierAmounts(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) ([]PriorCharge, error) {
	prior, err := issuedPrior(tx, t, inv, services, charge.Bearing{})
	return prior.Of, err
}

func issuedPrior(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod, b charge.Bearing) (Prior, error) {
	prior := NoPrior(len(services))
	lines, err := priorLines(tx, t, inv, services, b)
	if err != nil {
		return prior, err
	}
	ids := make([]string, len(lines))
	for k, l := range lines {
		ids[k] = l.ID
	}
	var paid map[string]money.Decimal
	if len(ids) > 0 {
		if paid, err = credit.Paid(tx, ids, credit.Days{}); err != nil {
			return prior, err
		}
	}
	for k, s := range services {
		of := &prior.Of[k]
		for _, l := range lines {
			if !l.charge(inv, s) {
				continue
			}
			if of.Void = of.Void || l.Void; l.Void {
				continue
			}
			of.Amount, of.Credits = of.Amount.Add(l.Amount), of.Credits.Add(paid[l.ID])
			of.Lines = append(of.Lines, l.ID)
			of.issued = append(of.issued, issuedPart{l.BilledFrom, l.Amount, paid[l.ID], l.ID})
			if !l.Partial {
				of.Left = l.Left
			}
		}
		prior.Void = prior.Void || of.Void
	}
	prior.Earlier = b.Decreases
	intervals := intervalsByID(t)
	for _, l := range lines {
		interval, known := intervals[l.IntervalID]
		if !known || !l.earlier(inv) || l.EndAt.Before(b.Since) {
			continue
		}
		if l.Void {
			counted := l.VoidedAt == nil || inv.IssuedAt != nil && l.VoidedAt.After(*inv.IssuedAt) // when the invoice was issued
			prior.Void = prior.Void || counted
			continue
		}
		prior.Earlier = append(prior.Earlier, l.charged(interval))
	}
	slices.SortStableFunc(prior.Earlier, func(a, b charge.Charged) int { return a.BilledOn.Compare(b.BilledOn) })
	return prior, nil
}

func intervalsByID(t subscription.Terms) map[string]subscription.PriceInterval {
	found := make(map[string]subscription.PriceInterval, len(t.Intervals))
	for _, i := range t.Intervals {
		found[i.ID] = i
	}
	return found
}

// charged is the line as later documents see it.
func (l priorLine) charged(interval subscription.PriceInterval) charge.Charged {
	return charge.Charged{
		ServicePeriod: subscription.ServicePeriod{
			Interval: interval, Period: period.Period{Start: l.StartAt, End: l.EndAt}, From: l.BilledFrom, BilledOn: l.InvoiceDate,
		},
		Quantity: l.Quantity, Subtotal: l.Subtotal, Applied: l.Adjustments,
	}
}

// priorLines are the lines that other invoices have of the prices of services, and of the prices that bear
// on them, in the order of the time that they add.
func priorLines(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod, b charge.Bearing) (lines []priorLine, err error) {
	intervals, since := slices.Clone(b.Intervals), b.Since
	for _, s := range services {
		if charge.IsContinuation(s) || t.PartialAt != nil && !s.From.After(*t.PartialAt) {
			if len(intervals) == 0 || s.Period.Start.Before(since) {
				since = s.Period.Start
			}
			intervals = append(intervals, s.Interval.ID)
		}
	}
	if len(intervals) == 0 {
		return nil, nil
	}
	err = tx.Raw(`SELECT l.id, l.interval_id, l.start_at, l.end_at, l.billed_from, l.adjusted_subtotal - l.license_credits AS "left", l.amount, l.quantity, l.subtotal, l.adjustments,
			i.source = 'partial' AS partial, i.seq, i.invoice_date, i.issued_at,
			i.status = 'void' OR undone.at IS NOT NULL AS void, coalesce(undone.at, i.voided_at) AS voided_at
		FROM invoice_lines l JOIN invoices i ON i.account_id = l.account_id AND i.id = l.invoice_id
		CROSS JOIN LATERAL (SELECT min(n.created_at) AS at FROM credit_note_lines c JOIN credit_notes n ON n.account_id = c.account_id AND n.id = c.credit_note_id
			WHERE c.account_id = l.account_id AND c.invoice_line_id = l.id AND c.undone AND n.voided_at IS NULL) undone
		WHERE l.account_id = ? AND l.interval_id IN ? AND i.id <> ? AND l.end_at >= ? ORDER BY l.billed_from, i.seq`,
		tx.AccountID, intervals, inv.ID, since).Scan(&lines).Error
	return lines, err
}

// earlierDrafts are the drafts of earlier dates since the documents of an invoice bear on it, by date. One that
// is dated at the instant of a partial invoice is for the time before.
func earlierDrafts(tx *store.Tx, t subscription.Terms, inv Invoice, b charge.Bearing) (drafts []Invoice, err error) {
	before := "invoice_date < ?"
	if inv.Source == SourcePartial {
		before = "invoice_date <= ?"
	}
	err = tx.Where("subscription_id = ? AND status = ? AND source = ? AND id <> ? AND invoice_date >= ?", t.ID, StatusDraft, SourceSubscription, inv.ID, b.Since).
		Where(before, inv.InvoiceDate).Order("invoice_date, seq").Find(&drafts).Error
	return drafts, err
}

// RefuseBefore refuses to issue an invoice by hand while a draft of an earlier date is to
// charge for a part of the time that it charges for.
func (i Invoice) RefuseBefore(tx *store.Tx, t subscription.Terms) error {
	if i.SubscriptionID == nil {
		return nil
	}
	services, err := Charged(tx, t, i)
	if err != nil || !slices.ContainsFunc(services, charge.IsContinuation) {
		return err
	}
	var drafts int64
	err = tx.Model(&Invoice{}).Where("subscription_id = ? AND status = ? AND invoice_date < ?", t.ID, StatusDraft, i.InvoiceDate).
		Count(&drafts).Error
	if err == nil && drafts > 0 {
		err = fault.Refused("the invoice of an earlier part of the billing cycle must be issued first")
	}
	return err
}
