package worker

import (
	"context"
	"errors"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/allocation"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/usage"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// Verification is the result of verifying the books of all accounts, or of one.
type Verification struct {
	Invoices   int       // verified
	Recomputed int       // of those, computed again from events and prices
	Referred   int       // of those, compared with the reference model
	Findings   []Finding // contradictions

	LeftOut map[string]int // invoices that could not be compared with the reference model, by reason

	panics []error // of accounts whose books cannot be read; each is also a finding
}

// Finding is a contradiction in the books of an account.
type Finding struct{ Account, Document, Wrong string }

// Verify verifies the books of all accounts, or of the one with that id: issued invoices and
// credit notes, balances and ledgers. It changes nothing and locks nothing: each transaction
// reads a part. All invoices are compared with the reference model.
func Verify(ctx context.Context, st *store.Store, only string) (Verification, error) {
	return verifySample(ctx, st, only, billing.Sample{})
}

// verifySample is Verify, but compares only a sample of the invoices with the reference model.
func verifySample(ctx context.Context, st *store.Store, only string, sample billing.Sample) (Verification, error) {
	ids := []string{only}
	if only == "" {
		accounts, err := account.List(ctx, st)
		if err != nil {
			return Verification{}, err
		}
		ids = make([]string, len(accounts))
		for i, a := range accounts {
			ids[i] = a.ID
		}
	}
	var all Verification
	for _, id := range ids {
		err := fault.Recovered(func() error { return all.verify(store.WithAccount(ctx, id), st, sample) })
		var panicked *fault.Panic
		switch {
		case errors.As(err, &panicked):
			all.panics = append(all.panics, err)
			all.Findings = append(all.Findings, Finding{id, id, "the books of the account cannot be read: " + panicked.Error()})
		case err != nil:
			return all, err
		}
	}
	return all, nil
}

func (v *Verification) verify(ctx context.Context, st *store.Store, sample billing.Sample) error {
	ctx = usage.ReadEvents(ctx) // since wrong buckets make wrong invoices
	for place, more := int64(0), true; more; more = place > 0 {
		var part billing.Verified
		err := st.View(ctx, func(tx *store.Tx) (err error) {
			part, place, err = billing.Verify(tx, place, sample)
			return err
		})
		if err != nil {
			return err
		}
		v.Invoices, v.Recomputed, v.Referred = v.Invoices+part.Invoices, v.Recomputed+part.Recomputed, v.Referred+part.Referred
		for reason, count := range part.LeftOut {
			if v.LeftOut == nil {
				v.LeftOut = map[string]int{}
			}
			v.LeftOut[reason] += count
		}
		for _, f := range part.Findings {
			v.Findings = append(v.Findings, Finding{store.AccountID(ctx), f.Document, f.Wrong})
		}
	}
	for _, ledger := range []struct {
		broken func(*store.Tx) ([]string, error)
		wrong  string
	}{
		{customer.BrokenBalances, "the balance does not follow from its transactions"},
		{credit.BrokenLedgers, "an entry of the credit ledger is missing"},
		{allocation.Strays, "credits of an allocation were granted for no period"},
		{credit.UnbalancedLedgers, "the credit ledger does not follow from its entries and blocks"},
		{credit.WrongBlocks, "the credit block does not hold what its entries left it"},
		{billing.WrongCredits, "the invoice was not paid by credits as it says"},
	} {
		err := st.View(ctx, func(tx *store.Tx) error {
			ids, err := ledger.broken(tx)
			for _, id := range ids {
				v.Findings = append(v.Findings, Finding{store.AccountID(ctx), id, ledger.wrong})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Waits of VerifyNightly.
const (
	beforeFirst = time.Minute // after the start of a server, which has other work then
	betweenTwo  = 24 * time.Hour
)

// A night compares only a part of the invoices with the reference model, which is slow: one
// of seven, at most a thousand, and another part each night. The number of invoices is that
// of the last verification.
const (
	nights        = 7
	mostReferred  = 1_000
	nightsAtFirst = 28 // before the first verification of this process
)

// sample returns the part that a night compares.
func (w *Worker) sample(night time.Time) billing.Sample {
	of := nightsAtFirst
	if last := w.books.Load(); last != nil {
		of = max(nights, last.Invoices/mostReferred+1)
	}
	return billing.Sample{Of: of, Turn: int(night.Unix() / int64(betweenTwo/time.Second))}
}

// VerifyNightly verifies all books every day until ctx ends. [Worker.Books] returns the
// result. Of several servers one verifies at a time.
func (w *Worker) VerifyNightly(ctx context.Context) {
	timer := time.NewTimer(beforeFirst)
	defer timer.Stop()
	var night time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case night = <-timer.C:
		}
		timer.Reset(betweenTwo)
		done := false
		w.Runner.Run(ctx, background.Unit{Work: "verify the books"}, func() (err error) {
			done, err = w.VerifyBooks(ctx, w.sample(night))
			return err
		})
		if !done {
			timer.Reset(beforeFirst)
		}
	}
}

// VerifyBooks verifies all books once, unless another server is doing so, and compares a sample of the
// invoices with the reference model.
func (w *Worker) VerifyBooks(ctx context.Context, sample billing.Sample) (done bool, err error) {
	release, free, err := w.Store.Lock(ctx, "verify the books")
	if err != nil || !free {
		return false, err
	}
	defer release()
	v, err := verifySample(ctx, w.Store, "", sample)
	if err != nil {
		return false, err
	}
	w.books.Store(&v)
	w.Verified(v)
	for _, err := range v.panics {
		w.Runner.ReportPanic(ctx, background.Unit{Work: "verify the books"}, err, true)
	}
	for _, f := range v.Findings {
		w.Log.Error("the books do not agree", "account", f.Account, "document", f.Document, "wrong", f.Wrong)
	}
	return true, nil
}
