package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// PriorCharge is what other invoices charged of a service period that is charged to date. The next
// line subtracts it (price models 5.6). Void invoices and undone lines do not count.
type PriorCharge struct {
	Amount  money.Decimal // in the currency of the invoice
	Credits money.Decimal // the part that credits paid, in the currency of the price
	Left    money.Decimal // the part that credits could have paid on the last invoice that is not partial, in the same currency

	ToDate *rating.Earlier // the amounts to date on the last invoice that is not partial; nil: there is none

	Void bool // one of those invoices no longer charges it
}

// priorLine is a line of an issued invoice that charged a price interval.
type priorLine struct {
	ID         string
	IntervalID string
	StartAt    time.Time
	BilledFrom time.Time
	Partial    bool
	Seq        int64 // of the invoice
	Left       money.Decimal
	Amount     money.Decimal
	Subtotal   money.Decimal

	Adjustments []rating.Applied `gorm:"serializer:json"`

	Void bool // it charges nothing: its invoice is void, or a change undid it
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

// PriorCharges is what other invoices charged of the services of one. A draft of an earlier
// date is issued before this one, so it counts as it reads now.
func PriorCharges(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) ([]PriorCharge, error) {
	all, err := IssuedPriorCharges(tx, t, inv, services)
	if err != nil || inv.Status != StatusDraft || !slices.ContainsFunc(services, charge.IsContinuation) {
		return all, err
	}
	drafts, err := priorDrafts(tx, t, inv)
	if err != nil {
		return nil, err
	}
	for k, s := range services {
		for _, l := range drafts {
			if l.IntervalID != nil && *l.IntervalID == s.Interval.ID && l.StartAt.Equal(s.Period.Start) && l.BilledFrom.Before(s.From) {
				all[k] = PriorCharge{Amount: l.Amount.Add(l.PartiallyInvoicedAmount), Credits: l.CreditsApplied, Left: l.left(), ToDate: &rating.Earlier{Subtotal: l.Subtotal, Applied: l.Adjustments}}
			}
		}
	}
	return all, nil
}

// IssuedPriorCharges is what other invoices that are issued charged.
func IssuedPriorCharges(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) ([]PriorCharge, error) {
	all := make([]PriorCharge, len(services))
	lines, err := priorLines(tx, t, inv, services)
	if err != nil || len(lines) == 0 {
		return all, err
	}
	ids := make([]string, len(lines))
	for k, l := range lines {
		ids[k] = l.ID
	}
	paid, err := credit.Paid(tx, ids, credit.Days{})
	if err != nil {
		return nil, err
	}
	for k, s := range services {
		for _, l := range lines {
			if !l.charge(inv, s) {
				continue
			}
			if all[k].Void = all[k].Void || l.Void; l.Void {
				continue
			}
			all[k].Amount, all[k].Credits = all[k].Amount.Add(l.Amount), all[k].Credits.Add(paid[l.ID])
			if !l.Partial {
				all[k].Left, all[k].ToDate = l.Left, &rating.Earlier{Subtotal: l.Subtotal, Applied: l.Adjustments}
			}
		}
	}
	return all, nil
}

// priorLines are the lines that other invoices have of the prices of services, in the
// order of the time that they add.
func priorLines(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) (lines []priorLine, err error) {
	var intervals []string
	for _, s := range services {
		if charge.IsContinuation(s) || t.PartialAt != nil && !s.From.After(*t.PartialAt) {
			intervals = append(intervals, s.Interval.ID)
		}
	}
	if len(intervals) == 0 {
		return nil, nil
	}
	err = tx.Raw(`SELECT l.id, l.interval_id, l.start_at, l.billed_from, l.adjusted_subtotal - l.license_credits AS "left", l.amount, l.subtotal, l.adjustments,
			i.source = 'partial' AS partial, i.seq,
			i.status = 'void' OR EXISTS (SELECT FROM credit_note_lines c JOIN credit_notes n ON n.account_id = c.account_id AND n.id = c.credit_note_id
				WHERE c.account_id = l.account_id AND c.invoice_line_id = l.id AND c.undone AND n.voided_at IS NULL) AS void
		FROM invoice_lines l JOIN invoices i ON i.account_id = l.account_id AND i.id = l.invoice_id
		WHERE l.account_id = ? AND l.interval_id IN ? AND i.id <> ? ORDER BY l.billed_from, i.seq`,
		tx.AccountID, intervals, inv.ID).Scan(&lines).Error
	return lines, err
}

// priorDrafts are the lines of drafts of earlier dates, by date.
func priorDrafts(tx *store.Tx, t subscription.Terms, inv Invoice) (all []Line, err error) {
	var drafts []Invoice
	err = tx.Where("subscription_id = ? AND status = ? AND invoice_date < ?", t.ID, StatusDraft, inv.InvoiceDate).
		Order("invoice_date, seq").Find(&drafts).Error
	if err != nil {
		return nil, err
	}
	for _, draft := range drafts {
		of, err := lines(tx, t, draft, draftAdditions{}, CreditsFor)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
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
