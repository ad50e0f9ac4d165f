package billing

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/license"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Change is what a change of a subscription brought about.
type Change struct {
	Terms           subscription.Terms // after it
	CreatedInvoices []invoice.View     // drafts included
	VoidedInvoices  []invoice.View
	CreatedNotes    []invoice.CreditNote
	VoidedNotes     []invoice.CreditNote
}

// change changes a subscription and brings its invoices into line: what was charged
// for a time that is not served is credited or replaced, drafts follow, what is billed
// by now is issued where that is due. Unless it may credit and void, a change that
// would is refused. So is any while another one is pending. Of balances of credits alerts
// compare what they were before it and after it.
func change(tx *store.Tx, subscriptionID string, mayCredit bool, edit func(t subscription.Terms, b history) error) (c Change, err error) {
	err = credit.Together(tx, func(tx *store.Tx) error {
		c, err = changeTogether(tx, subscriptionID, mayCredit, edit)
		return err
	})
	return c, err
}

func changeTogether(tx *store.Tx, subscriptionID string, mayCredit bool, edit func(t subscription.Terms, b history) error) (Change, error) {
	terms, err := subscription.Lock(tx, subscriptionID)
	if err != nil {
		return Change{}, err
	}
	if err := subscription.RefuseIfPending(tx, subscriptionID); err != nil {
		return Change{}, err
	}
	before, err := lockHistory(tx, subscriptionID)
	if err != nil {
		return Change{}, err
	}
	drafts, err := invoice.WithExpected(tx, slices.Clone(before.Drafts), "subscription_id = ?", terms.ID)
	if err != nil {
		return Change{}, err
	}
	carried := carryFrom(terms, drafts)
	if err := terms.SaveRevision(tx); err != nil {
		return Change{}, err
	}
	if err := spendGranted(tx, terms); err != nil {
		return Change{}, err
	}
	was := terms
	if err := edit(terms, before); err != nil {
		return Change{}, err
	}
	if terms, err = subscription.Find(tx, subscriptionID); err != nil {
		return Change{}, err
	}
	err = applyTerms(tx, &terms, before, mayCredit,
		func() error { return terms.Notify(tx) },
		func(bool) error {
			if err := before.keepDraftedFees(tx, was, terms); err != nil {
				return err
			}
			return reissue(tx, &terms, before, carried, mayCredit)
		})
	if err != nil {
		return Change{}, err
	}
	return compare(tx, terms, before)
}

// NextChange returns the earliest instant, at or before by, at which a subscription
// changes so that what was charged may have to be credited.
func NextChange(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next change")
	return subscription.NextChange(tx, by)
}

// ChangeNext puts the subscription whose change came first on the plan that it is to be
// on, and credits what the change makes too much.
// It reports false when none has come.
func ChangeNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "change the subscription that is due")
	terms, found, err := subscription.LockChanging(tx)
	if err != nil || !found {
		return false, err
	}
	before, err := lockHistory(tx, terms.ID)
	if err != nil {
		return false, err
	}
	terms.NotifyTrialEnd(tx)
	carried := carryFrom(terms, nil)
	return true, applyTerms(tx, &terms, before, true, nil, func(opened bool) error {
		if opened { // the invoices that take the place of those issue themselves
			if err := refreshDrafts(tx, &terms); err != nil {
				return err
			}
		}
		return carried.on(tx, terms)
	})
}

// applyTerms makes all that depends on the terms of a subscription follow them: its plan interval, what
// its plan grants, and what was issued. It is the one sequence for a change that a request makes and for
// one that falls due. Before is what was charged until then. The subscription is announced, where
// announce is given, once it is on its plan interval. The function documents makes drafts, and what is
// due, follow; opened is what settle reports.
func applyTerms(tx *store.Tx, t *subscription.Terms, before history, mayCredit bool, announce func() error, documents func(opened bool) error) error {
	if err := subscription.ActivatePlanInterval(tx, t); err != nil {
		return err
	}
	if announce != nil {
		if err := announce(); err != nil {
			return err
		}
	}
	if err := grantCredits(tx, t); err != nil {
		return err
	}
	if err := license.SyncGrants(tx, t); err != nil {
		return err
	}
	if err := before.markLapsed(tx, *t); err != nil {
		return err
	}
	opened, err := settle(tx, t, before, mayCredit)
	if err != nil {
		return err
	}
	if err := documents(opened); err != nil {
		return err
	}
	if err := refundGrants(tx, *t, mayCredit, func(invoice.Invoice) bool { return true }); err != nil {
		return err
	}
	if err := refundLapsed(tx, *t, before, mayCredit); err != nil {
		return err
	}
	if err := undoGrants(tx, *t); err != nil {
		return err
	}
	return alert.ScheduleEvaluation(tx, t.ID)
}

const wouldCredit = "this would credit or void an issued invoice, which allow_invoice_credit_or_void forbids"

// mostRounds bounds how often one change corrects what it had issued itself.
const mostRounds = 10

// reissue draws the drafts by the terms, issues what is due, and corrects that. A line that
// a correction takes away may still hold in part, on an invoice that is void by then, so the
// drafts are drawn again after it: what is void is billed by what replaces it.
func reissue(tx *store.Tx, t *subscription.Terms, before history, carried creditCarry, mayCredit bool) error {
	carried.lapsed = map[string]bool{}
	for _, g := range before.lapsed {
		carried.lapsed[g.BlockID] = true
	}
	for range mostRounds {
		if err := refreshDrafts(tx, t); err != nil {
			return err
		}
		if err := carried.on(tx, *t); err != nil {
			return err
		}
		if err := issueDue(tx, t.ID); err != nil {
			return err
		}
		opened, err := settleNew(tx, t, before, mayCredit)
		if err != nil {
			return err
		}
		if !opened {
			return carried.on(tx, *t)
		}
	}
	return fmt.Errorf("invoices of subscription %s do not settle in %d rounds", t.ID, mostRounds)
}

// settle corrects what was issued, as of now. It reports whether it took lines away that
// may have to be billed again: by replacing their invoice, or by crediting them whole.
func settle(tx *store.Tx, t *subscription.Terms, b history, mayCredit bool) (opened bool, err error) {
	c, err := correct(*t, b, tx.Now)
	if err != nil {
		return false, err
	}
	if !mayCredit && !c.none() {
		return false, fault.Refused("%s", wouldCredit)
	}
	for _, inv := range c.Replace {
		if err := replace(tx, inv); err != nil {
			return false, err
		}
		if err := b.keepLapsedFees(tx, *t, inv); err != nil {
			return false, err
		}
	}
	if err := writeCreditNotes(tx, c.Credits); err != nil {
		return false, err
	}
	for _, l := range c.Undone {
		if err := tx.Create(&invoice.UndoneLine{Record: tx.Record("undone"), InvoiceLineID: l.ID}).Error; err != nil {
			return false, err
		}
	}
	next, more := t.NextChange(tx.Now)
	if !more {
		return c.opens(), t.SetNextChange(tx, nil)
	}
	return c.opens(), t.SetNextChange(tx, &next)
}

// settleNew corrects what the change itself had issued, of a date that is past: less of a
// fee may be due since. It reports what settle does.
func settleNew(tx *store.Tx, t *subscription.Terms, before history, mayCredit bool) (opened bool, err error) {
	b, err := lockHistory(tx, t.ID)
	if err != nil {
		return false, err
	}
	isNew := func(inv invoice.Invoice) bool {
		return !slices.ContainsFunc(before.Issued, func(old invoice.Invoice) bool { return old.ID == inv.ID })
	}
	if !slices.ContainsFunc(b.Issued, isNew) {
		return false, nil
	}
	if err := b.markLapsed(tx, *t); err != nil {
		return false, err
	}
	return settle(tx, t, b, mayCredit)
}

// replace voids an invoice, so that another can be made in its place.
func replace(tx *store.Tx, inv invoice.Invoice) error {
	keep := func(*store.Tx, invoice.Invoice) error { return nil } // what credits paid: see carry_credits.go
	if _, err := invoice.VoidWith(tx, inv.ID, keep); err != nil {
		return err
	}
	inv.Replaced = true
	if err := inv.Save(tx, "replaced"); err != nil {
		return err
	}
	return inv.MoveAddedLinesToReplacement(tx)
}

// writeCreditNotes issues one credit note for each invoice of which something is credited.
func writeCreditNotes(tx *store.Tx, credits []invoice.Reversal) error {
	for _, together := range byInvoice(credits) {
		if _, err := invoice.Credit(tx, together[0].Line.InvoiceID, together.lines()); err != nil {
			return err
		}
	}
	return nil
}

type reversals []invoice.Reversal

// byInvoice puts what is credited of one invoice on one credit note.
func byInvoice(credits []invoice.Reversal) (notes []reversals) {
	at := map[string]int{}
	for _, taken := range credits {
		k, known := at[taken.Line.InvoiceID]
		if !known {
			k = len(notes)
			at[taken.Line.InvoiceID] = k
			notes = append(notes, nil)
		}
		notes[k] = append(notes[k], taken)
	}
	return notes
}

func (all reversals) lines() []invoice.CreditedLine {
	lines := make([]invoice.CreditedLine, len(all))
	for k, taken := range all {
		lines[k] = invoice.CreditedLine{LineID: taken.Line.ID, Amount: taken.Amount, Period: &taken.Period, Undone: taken.Undone}
	}
	return lines
}

// compare tells what has become of a subscription's documents.
func compare(tx *store.Tx, t subscription.Terms, before history) (Change, error) {
	c := Change{Terms: t}
	wasThere, wasValid := map[string]bool{}, map[string]bool{}
	for _, rows := range [][]invoice.Invoice{before.Drafts, before.Issued, before.Partial, before.Void, before.Replaced} {
		for _, row := range rows {
			wasThere[row.ID], wasValid[row.ID] = true, row.Status != invoice.StatusVoid
		}
	}
	now, err := invoice.OfSubscription(tx, t.ID)
	if err != nil {
		return c, err
	}
	for _, v := range now {
		switch {
		case !wasThere[v.ID] && v.Source == invoice.SourceSubscription:
			c.CreatedInvoices = append(c.CreatedInvoices, v)
		case wasValid[v.ID] && v.Status == invoice.StatusVoid:
			c.VoidedInvoices = append(c.VoidedInvoices, v)
		}
		for _, note := range v.CreditNotes {
			switch held, known := before.Notes[note.ID]; {
			case !known:
				c.CreatedNotes = append(c.CreatedNotes, note)
			case held && note.VoidedAt != nil:
				c.VoidedNotes = append(c.VoidedNotes, note)
			}
		}
	}
	return c, errors.Join(invoice.Complete(tx, c.CreatedNotes), invoice.Complete(tx, c.VoidedNotes))
}
