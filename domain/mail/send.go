package mail

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Lease is how long a server has for an attempt. Whether a mail was taken that a server died with, is not
// known then.
const Lease = 5 * time.Minute

// waits are how long the next attempt waits after each that failed. The last is four days after the first, as
// mail servers have it (semantics 18.2.2).
var waits = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
	12 * time.Hour, 20 * time.Hour, 24 * time.Hour, 24 * time.Hour,
}

// AllDue returns the accounts that have mails to be sent by now, which is real time.
func AllDue(ctx context.Context, st *store.Store, now time.Time) (accounts []string, err error) {
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT account_id FROM mails_due(?)", now).Scan(&accounts).Error
	})
	return accounts, err
}

// errCutOff is what is known of a mail that a server died with.
const errCutOff = "the server ended during the attempt; whether the mail was taken is not known"

// opensPortals says that the transaction knows mails with links to the portal, which have none until they are sent. For
// servers that do not, the database keeps these mails back.
func opensPortals(tx *store.Tx) error {
	return tx.Exec("SELECT set_config('tollkeeper.opens_portals', 'on', true)").Error
}

// Claim takes the mail of the account that has been due longest. Found is false when there is none. Mails that a server
// died with become uncertain (semantics 18.2.3).
func Claim(tx *store.Tx, now time.Time) (m Mail, found bool, err error) {
	if err := opensPortals(tx); err != nil {
		return m, false, err
	}
	err = tx.Model(&Mail{}).Where("status = ? AND claimed_until <= ?", StatusPending, now).
		Updates(map[string]any{
			"status": StatusUncertain, "next_attempt_at": nil,
			"attempts": gorm.Expr("attempts || jsonb_build_array(jsonb_build_object('at', claimed_until, 'code', 0, 'error', ?::text))", errCutOff),
		}).Error
	if err != nil {
		return m, false, err
	}
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
		Where("status = ? AND next_attempt_at <= ? AND claimed_until IS NULL", StatusPending, now).Order("next_attempt_at, seq").Take(&m).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("claim a mail: %w", err)
	}
	until := now.Add(Lease).Truncate(time.Microsecond)
	m.ClaimedUntil = &until
	return m, true, m.save(tx, "claimed_until")
}

func (m *Mail) save(tx *store.Tx, columns ...string) error {
	return tx.Model(m).Select(columns).Updates(m).Error
}

// Result is what is known after an attempt.
type Result int

// Results.
const (
	Taken    Result = iota
	Later           // the mail server did not take it now
	Refused         // and will not
	CutOff          // not known
	Released        // no attempt was made
)

// Outcome is what came of an attempt.
type Outcome struct {
	Result
	At    time.Time // real time
	Code  int       // of the mail server; 0: none
	Error string    // "" where it was taken
}

// Record puts what came of an attempt on record, and plans the next one if there is one.
func Record(tx *store.Tx, claimed Mail, o Outcome) error {
	if err := opensPortals(tx); err != nil {
		return err
	}
	var m Mail
	err := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", claimed.ID).Take(&m).Error
	if err := store.Found(err, "Mail", claimed.ID); err != nil {
		if fault.Is(err, fault.KindMissing) {
			return nil // it was forgotten
		}
		return err
	}
	mine := m.ClaimedUntil != nil && m.ClaimedUntil.Equal(*claimed.ClaimedUntil)
	if o.Result != Released {
		attempt := Attempt{At: o.At.UTC(), Code: o.Code}
		if o.Result != Taken {
			attempt.Error = &o.Error
		}
		m.Attempts = append(m.Attempts, attempt)
		m.Tries++
	}
	switch {
	case o.Result == Taken:
		m.Status, m.NextAttemptAt, m.ClaimedUntil = StatusSent, nil, nil
	case !mine || m.Status != StatusPending:
		// The attempt took too long, and others have decided.
	case o.Result == CutOff:
		m.Status, m.NextAttemptAt, m.ClaimedUntil = StatusUncertain, nil, nil
	case o.Result == Released:
		m.ClaimedUntil = nil
	case o.Result == Refused || m.Tries > len(waits):
		m.Status, m.NextAttemptAt, m.ClaimedUntil = StatusFailed, nil, nil
	default:
		wait := waits[m.Tries-1]
		next := o.At.Add(wait + rand.N(wait/10+1)).UTC()
		m.NextAttemptAt, m.ClaimedUntil = &next, nil
	}
	return m.save(tx, "attempts", "tries", "status", "next_attempt_at", "claimed_until")
}

// Forget deletes mails that are older by real time than their accounts keep them (semantics 18.2.4), some at a time. It tells whether
// there may be more.
func Forget(ctx context.Context, st *store.Store, now time.Time) (more bool, err error) {
	const atOnce = 1000
	var gone int64
	err = st.Shared(ctx, func(tx *gorm.DB) error {
		return tx.Raw("SELECT forget_mails(?, ?)", now, atOnce).Scan(&gone).Error
	})
	return gone == atOnce, err
}
