package worker

import (
	"context"
	"errors"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/usage"
	"tollkeeper/server/background"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Verification is the result of verifying the books of all accounts, or of one.
type Verification struct {
	Invoices   int       // verified
	Recomputed int       // of those, computed again from events and prices
	Referred   int       // of those, compared with the reference model
	Findings   []Finding // contradictions

	LeftOut map[string]int // invoices that could not be compared with the reference model, by reason

	Began time.Time // real time; of a verification of all books by a worker

	pause  func(context.Context) error // between two parts; nil: none
	panics []error                     // of accounts whose books cannot be read; each is also a finding
}

// Finding is a contradiction in the books of an account.
type Finding struct{ Account, Document, Wrong string }

// Verify verifies the books of all accounts, or of the one with that id: issued invoices and
// credit notes, balances and ledgers. It changes nothing and locks nothing: each transaction
// reads a part. All invoices are compared with the reference model.
func Verify(ctx context.Context, st *store.Store, only string) (Verification, error) {
	return verifySample(ctx, st, only, billing.Sample{}, nil)
}

// verifySample is Verify, but compares only a sample of the invoices with the reference model,
// and pauses between two parts.
func verifySample(ctx context.Context, st *store.Store, only string, sample billing.Sample, pause func(context.Context) error) (Verification, error) {
	ids := []string{only}
	if only == "" {
		var err error
		if ids, err = account.IDs(ctx, st); err != nil {
			return Verification{}, err
		}
	}
	all := Verification{pause: pause}
	defer func() { all.pause = nil }()
	for _, id := range ids {
		account := store.WithAccount(ctx, id)
		for _, books := range []func(context.Context, *store.Store) error{
			func(ctx context.Context, st *store.Store) error { return all.verifyDocuments(ctx, st, sample) },
			all.verifyRecords,
		} {
			err := fault.Recovered(func() error { return books(account, st) })
			var panicked *fault.Panic
			switch {
			case errors.As(err, &panicked):
				all.panics = append(all.panics, err)
				all.Findings = append(all.Findings, Finding{id, id, "the books of the account cannot be read: " + panicked.Error()})
			case err != nil:
				return all, err
			}
		}
	}
	return all, nil
}

// verifyDocuments adds what is wrong with an account's issued documents.
func (v *Verification) verifyDocuments(ctx context.Context, st *store.Store, sample billing.Sample) error {
	ctx = usage.ReadEvents(ctx) // since wrong buckets make wrong invoices
	for place, more := int64(0), true; more; more = place > 0 {
		var part billing.Verified
		next := place
		err := st.View(ctx, func(tx *store.Tx) (err error) { // which may run twice
			part, next, err = billing.Verify(tx, place, sample)
			return err
		})
		if err != nil {
			return err
		}
		place = next
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
		if err := v.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rest pauses between two parts.
func (v *Verification) rest(ctx context.Context) error {
	if v.pause == nil {
		return nil
	}
	return v.pause(ctx)
}

// Pace of VerifyContinuously.
const (
	beforeFirst = time.Minute // after the start of a server, which has other work then
	roundEvery  = time.Hour   // from the begin of one round to the next, at least
	restFor     = 4           // times as long as a part took, before the next part
)

// A round compares only a part of the invoices with the reference model, which is slow: one
// of seven, at most a thousand, and another part each round. The number of invoices is that
// of the last round.
const (
	rounds        = 7
	mostReferred  = 1_000
	roundsAtFirst = 28 // before the first round of this process
)

// sample returns the part that a round compares.
func (w *Worker) sample(began time.Time) billing.Sample {
	of := roundsAtFirst
	if last := w.books.Load(); last != nil {
		of = max(rounds, last.Invoices/mostReferred+1)
	}
	return billing.Sample{Of: of, Turn: int(began.Unix() / int64(roundEvery/time.Second))}
}

// VerifyContinuously verifies all books in rounds until ctx ends, in small parts with pauses
// between them: it takes a fifth of a processor at most. [Worker.Books] returns the result of
// the last round. Of several servers one verifies at a time.
func (w *Worker) VerifyContinuously(ctx context.Context) {
	ctx = store.For(ctx, store.Background)
	timer := time.NewTimer(beforeFirst)
	defer timer.Stop()
	var began time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case began = <-timer.C:
		}
		done := false
		w.Runner.Run(ctx, background.Unit{Work: "verify the books"}, func() (err error) {
			done, err = w.verifyBooks(ctx, w.sample(began), restingAfter(began))
			return err
		})
		next := beforeFirst
		if done {
			next = max(beforeFirst, roundEvery-time.Since(began)) //nolint:forbidigo // real time
		}
		timer.Reset(next)
	}
}

// restingAfter pauses for a multiple of the time since the last pause.
func restingAfter(last time.Time) func(context.Context) error {
	return func(ctx context.Context) error {
		timer := time.NewTimer(restFor * time.Since(last)) //nolint:forbidigo // real time
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case last = <-timer.C:
			return nil
		}
	}
}

// VerifyBooks verifies all books once, unless another server is doing so, and compares a sample of the
// invoices with the reference model.
func (w *Worker) VerifyBooks(ctx context.Context, sample billing.Sample) (done bool, err error) {
	return w.verifyBooks(ctx, sample, nil)
}

// verifyBooks is VerifyBooks with pauses.
func (w *Worker) verifyBooks(ctx context.Context, sample billing.Sample, pause func(context.Context) error) (done bool, err error) {
	release, free, err := w.Store.Lock(ctx, "verify the books")
	if err != nil || !free {
		return false, err
	}
	defer release()
	began := time.Now() //nolint:forbidigo // real time
	v, err := verifySample(ctx, w.Store, "", sample, pause)
	if err != nil {
		return false, err
	}
	v.Began = began
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
