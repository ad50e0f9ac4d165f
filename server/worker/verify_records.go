package worker

import (
	"context"
	"slices"
	"time"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/seal"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// check verifies a part of the records of an account, and the next part each time, until it
// reports that there are no more.
type check func(tx *store.Tx) (found []store.Finding, more bool, err error)

// whole is a check of one part.
func whole(find func(*store.Tx) ([]store.Finding, error)) check {
	return func(tx *store.Tx) ([]store.Finding, bool, error) {
		found, err := find(tx)
		return found, false, err
	}
}

// listed is a check that names what is wrong in one way.
func listed(find func(*store.Tx) ([]string, error), wrong string) check {
	return whole(func(tx *store.Tx) (found []store.Finding, err error) {
		ids, err := find(tx)
		for _, id := range ids {
			found = append(found, store.Finding{Document: id, Wrong: wrong})
		}
		return found, err
	})
}

// parts is a check that goes on after a place, which is zero at first and at the end.
func parts[P any](find func(tx *store.Tx, after P) (found []store.Finding, next P, err error), zero func(P) bool) check {
	var after P
	return func(tx *store.Tx) (found []store.Finding, more bool, err error) {
		var next P
		if found, next, err = find(tx, after); err == nil {
			after = next
		}
		return found, err == nil && !zero(next), err
	}
}

func is[P comparable](p P) bool { return p == *new(P) }

// checks are those of an account's records, beside its documents.
func checks() []check {
	return []check{
		listed(customer.BrokenBalances, "the balance does not follow from its transactions"),
		listed(credit.BrokenLedgers, "an entry of the credit ledger is missing"),
		listed(allocation.Strays, "credits of an allocation were granted for no period"),
		listed(credit.UnbalancedLedgers, "the credit ledger does not follow from its entries and blocks"),
		listed(credit.WrongBlocks, "the credit block does not hold what its entries left it"),
		listed(billing.WrongCredits, "the invoice was not paid by credits as it says"),
		whole(invoice.WrongNumbers),
		whole(store.Orphans),
		parts(event.Verify, is[int64]),
		parts(event.VerifyKeys, is[string]),
		parts(usage.Verify, time.Time.IsZero),
		whole(usage.VerifyStray),
		parts(seal.Verify, is[seal.Place]),
		whole(seal.Unnoted),
	}
}

// verifyRecords adds what is wrong with an account's records. Each part is read in a
// transaction of its own.
func (v *Verification) verifyRecords(ctx context.Context, st *store.Store) error {
	for _, part := range checks() {
		for more := true; more; {
			var found []store.Finding
			err := st.View(ctx, func(tx *store.Tx) (err error) {
				found, more, err = part(tx)
				return err
			})
			if err != nil {
				return err
			}
			for _, f := range found {
				v.add(Finding{store.AccountID(ctx), f.Document, f.Wrong})
			}
			if err := v.rest(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a finding. Parts may overlap, and find the same.
func (v *Verification) add(f Finding) {
	if !slices.Contains(v.Findings[max(0, len(v.Findings)-overlap):], f) {
		v.Findings = append(v.Findings, f)
	}
}

// overlap is how many findings two parts may have in common.
const overlap = 200
