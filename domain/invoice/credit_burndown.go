package invoice

import (
	"maps"
	"slices"

	"tollkeeper/domain/account"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// BurnDownLedger brings a ledger up to date. What pays for an invoice that is being issued
// is committed, and what it was paid too much is given back (semantics 10.2.5).
func BurnDownLedger(tx *store.Tx, customerID string, currency money.Currency, issuing string) (err error) {
	defer fault.Doing(&err, "bring the %s ledger of customer %s up to date", currency, customerID)
	ledger, err := credit.Lock(tx, customerID, currency)
	if err != nil {
		return err
	}
	return BurnDownLocked(tx, ledger, issuing)
}

// BurnDownLocked is [BurnDownLedger] for a ledger that the transaction has locked.
func BurnDownLocked(tx *store.Tx, ledger *credit.Ledger, issuing string) error {
	payers, err := payersOf(tx, []string{ledger.CustomerID})
	if err != nil {
		return err
	}
	return payers.burnDown(tx, ledger, issuing)
}

// BurnDownSeveral is [BurnDownLocked] for ledgers of different customers. What these have in common is read once. It
// stops between two ledgers when over says that the time is up, and returns how many it did.
func BurnDownSeveral(tx *store.Tx, ledgers []credit.Ledger, over func() bool) (done int, err error) {
	var customers []string
	for _, l := range ledgers {
		customers = append(customers, l.CustomerID)
	}
	payers, err := payersOf(tx, customers)
	if err != nil {
		return 0, err
	}
	for done < len(ledgers) && (done == 0 || !over()) {
		if err := payers.burnDown(tx, &ledgers[done], ""); err != nil {
			return 0, err
		}
		done++
	}
	return done, nil
}

// payers are what the ledgers of customers are brought up to date with.
type payers struct {
	drafts   map[string]openDrafts // by customer, as the next
	calendar func(customerID string) credit.Calendar
}

// payersOf reads what the ledgers of customers are brought up to date with. The ledgers are locked before: a change
// of a draft waits for them.
func payersOf(tx *store.Tx, customerIDs []string) (p payers, err error) {
	if p.calendar, err = calendarsOf(tx, customerIDs); err != nil {
		return p, err
	}
	p.drafts, err = openDraftsOf(tx, customerIDs)
	return p, err
}

// burnDown brings a locked ledger up to date with what the drafts of its customer ask for.
func (p payers) burnDown(tx *store.Tx, ledger *credit.Ledger, issuing string) error {
	return p.drafts[ledger.CustomerID].burnDown(tx, ledger, p.calendar(ledger.CustomerID), issuing)
}

// burnDown brings a locked ledger up to date with what the drafts ask for.
func (o openDrafts) burnDown(tx *store.Tx, ledger *credit.Ledger, days credit.Calendar, issuing string) error {
	d, err := o.demand(tx, ledger.Currency, days, issuing)
	if err != nil {
		return err
	}
	if err := credit.Deduct(tx, ledger, d.charges, days, len(o.invoices) > 0); err != nil {
		return err
	}
	if err := d.closeDays(tx); err != nil || issuing == "" {
		return err
	}
	if err := credit.GiveBackOfInvoice(tx, ledger, issuing, d.Whole); err != nil {
		return err
	}
	return credit.GiveBackOfParts(tx, ledger, d.parts)
}

// CalendarOf returns the local days of a customer and when they close.
func CalendarOf(tx *store.Tx, customerID string) (credit.Calendar, error) {
	calendars, err := calendarsOf(tx, []string{customerID})
	if err != nil {
		return credit.Calendar{}, err
	}
	return calendars(customerID), nil
}

func calendarsOf(tx *store.Tx, customerIDs []string) (func(customerID string) credit.Calendar, error) {
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	buyers, err := customer.FindAll(tx, customerIDs)
	return func(id string) credit.Calendar { return calendar(settings, buyers[id].Location()) }, err
}

// commitCredits commits what credits pay of a draft that is being issued, out of the locked ledgers of its customer.
// It returns the terms of the draft. It comes before the lines are worked out, so both are done once.
func (p payers) commitCredits(tx *store.Tx, i Invoice, ledgers []credit.Ledger) (subscription.Terms, error) {
	err := credit.Together(tx, func(tx *store.Tx) error {
		for k := range ledgers {
			if err := p.burnDown(tx, &ledgers[k], i.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return p.drafts[i.CustomerID].terms(i), err
}

// creditReader reads what credits pay of the service periods of an invoice, by line id. Readers
// are [CreditsFor], committedCredits and noCredits.
type creditReader func(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) (map[string]money.Decimal, error)

// committedCredits reads what the ledgers hold for a draft whose credits are committed.
func committedCredits(tx *store.Tx, _ subscription.Terms, inv Invoice, services []subscription.ServicePeriod) (map[string]money.Decimal, error) {
	return credit.Paid(tx, linesInArrears(inv, services), credit.Days{})
}

// noCredits is for a draft whose customer has no ledger.
func noCredits(*store.Tx, subscription.Terms, Invoice, []subscription.ServicePeriod) (map[string]money.Decimal, error) {
	return nil, nil
}

// linesInArrears are the ids of the lines that credits may pay for.
func linesInArrears(inv Invoice, services []subscription.ServicePeriod) (ids []string) {
	for _, s := range services {
		if !s.Interval.Price.InAdvance() {
			ids = append(ids, LineID(inv.ID, s))
		}
	}
	return ids
}

// returnCredits gives back what credits paid of an invoice that is void and that no other
// one replaces (semantics 8.1.15).
func returnCredits(tx *store.Tx, inv Invoice) error {
	lines, err := credit.LinesPaid(tx, inv.ID)
	if err != nil || len(lines) == 0 {
		return err
	}
	for _, currency := range slices.Sorted(maps.Keys(lines)) {
		if err := BurnDownLedger(tx, inv.CustomerID, currency, ""); err != nil { // nothing of it is pending
			return err
		}
		ledger, err := credit.Lock(tx, inv.CustomerID, currency)
		if err != nil {
			return err
		}
		for _, id := range lines[currency] {
			if err := credit.GiveBackVoid(tx, ledger, id); err != nil {
				return err
			}
		}
		if err := BurnDownLocked(tx, ledger, ""); err != nil {
			return err
		}
	}
	return nil
}

// CreditsFor tells what credits pay of the lines of an invoice, by their ids: of a draft, as
// it would be by now.
func CreditsFor(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod) (map[string]money.Decimal, error) {
	return CreditsForDays(tx, t, inv, services, credit.Days{})
}

// CreditsForDays is [CreditsFor] for some of the local days of the services.
func CreditsForDays(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.ServicePeriod, of credit.Days) (map[string]money.Decimal, error) {
	lineIDs := linesInArrears(inv, services)
	if len(lineIDs) == 0 {
		return nil, nil
	}
	if inv.Status != StatusDraft {
		return credit.Paid(tx, lineIDs, of)
	}
	ledgers, err := credit.Ledgers(tx, inv.CustomerID)
	if err != nil || len(ledgers) == 0 {
		return nil, err
	}
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	days := calendar(settings, t.Customer.Location())
	paid := map[string]money.Decimal{}
	for _, l := range ledgers {
		if !slices.ContainsFunc(services, func(s subscription.ServicePeriod) bool { return paidByCredits(s, l.Currency) }) {
			continue
		}
		d, err := CreditDemandOf(tx, inv.CustomerID, l.Currency, days, "")
		if err != nil {
			return nil, err
		}
		foreseen, err := credit.Preview(tx, inv.CustomerID, l.Currency, d.charges, of)
		if err != nil {
			return nil, err
		}
		for id, amount := range foreseen {
			paid[id] = amount
		}
	}
	return paid, nil
}
