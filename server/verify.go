package server

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
	"tollkeeper/store"
)

// Verification is what a look through the books of all accounts came to.
type Verification struct {
	Invoices   int       // looked at
	Recomputed int       // of those, worked out anew from events and prices
	Referred   int       // of those, compared with the reference model
	Findings   []Finding // what cannot be

	LeftOut map[string]int // invoices that were to be compared with the reference model and were not, by the reason

	panics []error // of accounts whose books cannot be read; each is a finding too
}

// Finding is something that is wrong in the books of an account.
type Finding struct{ Account, Document, Wrong string }

// Verify looks through the books of all accounts, or of the one with that id: issued
// invoices and credit notes, balances and ledgers. It changes nothing, and holds nobody
// up: every transaction reads a part. All invoices are compared with the reference model.
func Verify(ctx context.Context, st *store.Store, only string) (Verification, error) {
	return verifySample(ctx, st, only, billing.Sample{})
}

// verifySample is Verify that compares a sample of the invoices with the reference model.
func verifySample(ctx context.Context, st *store.Store, only string, sample billing.Sample) (Verification, error) {
	ids := []string{only}
	if only == "" {
		accounts, err := account.List(ctx, st)
		if err != nil {
			return Verification{}, err
		}
		ids = toWire(accounts, func(a account.Account) string { return a.ID })
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
	ctx = usage.ReadEvents(ctx) // buckets are what an invoice may have been wrong by
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
	beforeFirst = time.Minute // a server that has just begun has better to do
	betweenTwo  = 24 * time.Hour
)

// How many of the invoices a night compares with the reference model, which is slow: one of
// seven, but no more than a thousand, and another part each night. How many there are is
// known from the last time.
const (
	nights        = 7
	mostReferred  = 1_000
	nightsAtFirst = 28 // when the server has just begun
)

// sample is the part of a night.
func (s *Server) sample(night time.Time) billing.Sample {
	of := nightsAtFirst
	if last := s.books.Load(); last != nil {
		of = max(nights, last.Invoices/mostReferred+1)
	}
	return billing.Sample{Of: of, Turn: int(night.Unix() / int64(betweenTwo/time.Second))}
}

// VerifyNightly verifies the books every day until ctx ends, and keeps the result for
// /readyz?deep and /metrics. Of several servers one does it at a time.
func (s *Server) VerifyNightly(ctx context.Context) {
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
		s.background(ctx, unit{work: "verify the books"}, func() (err error) {
			done, err = s.verifyBooks(ctx, s.sample(night))
			return err
		})
		if !done {
			timer.Reset(beforeFirst)
		}
	}
}

// verifyBooks verifies the books, unless another server is at it.
func (s *Server) verifyBooks(ctx context.Context, sample billing.Sample) (done bool, err error) {
	release, free, err := s.store.Lock(ctx, "verify the books")
	if err != nil || !free {
		return false, err
	}
	defer release()
	v, err := verifySample(ctx, s.store, "", sample)
	if err != nil {
		return false, err
	}
	s.books.Store(&v)
	s.metrics.verified(v)
	for _, err := range v.panics {
		s.reportPanic(ctx, unit{work: "verify the books"}, err, true)
	}
	for _, f := range v.Findings {
		s.log.Error("the books do not agree", "account", f.Account, "document", f.Document, "wrong", f.Wrong)
	}
	return true, nil
}
