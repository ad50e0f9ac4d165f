package user

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// issuer is what apps for codes show beside the address.
const issuer = "Tollkeeper"

// Codes are of 6 digits and change every 30 seconds. One before and one after the present one is
// taken too, since clocks differ.
const (
	step  = 30 // seconds
	drift = 1  // steps
)

var codes = totp.ValidateOpts{Period: step, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// How many recovery codes there are, and how many random bytes each has.
const (
	recoveryCodes  = 10
	recoveryLength = 10
)

// SecondFactorKey is what an app for codes needs.
type SecondFactorKey struct {
	Secret string // base 32, to be typed
	URL    string // otpauth, for a code that is scanned
}

// secretLasts is how long the secret of a second factor waits for its first code.
const secretLasts = 10 * time.Minute

// BeginSecondFactor makes the secret of a second factor. It counts once a code was given for it in this session,
// within ten minutes; until then another call returns the same. A secret that another session began ends
// (semantics 14.8.7).
func (s Session) BeginSecondFactor(ctx context.Context, st *store.Store) (k SecondFactorKey, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: s.Person.Email, Period: step, Digits: otp.DigitsSix})
	if err != nil {
		return k, err
	}
	var kept []string
	err = as(store.WithAudit(ctx, ""), st, s.Person.ID, func(db *gorm.DB) error {
		f, err := lockFactor(db, s.Person.ID)
		if err != nil {
			return err
		}
		if !f.TotpConfirmed && f.begunBy(s) {
			kept = []string{*f.TotpSecret}
			return nil
		}
		return db.Raw(`INSERT INTO credentials (person_id, totp_secret, totp_session, totp_begun_at) VALUES (?, ?, ?, clock_timestamp())
			ON CONFLICT (person_id) DO UPDATE SET totp_secret = excluded.totp_secret, totp_session = excluded.totp_session,
				totp_begun_at = excluded.totp_begun_at, totp_step = 0
			WHERE NOT credentials.totp_confirmed RETURNING totp_secret`, s.Person.ID, key.Secret(), s.ID).Scan(&kept).Error
	})
	if err != nil {
		return k, err
	}
	if len(kept) == 0 {
		return k, fault.Refused("the second factor is on already")
	}
	k.Secret = kept[0]
	k.URL = strings.Replace(key.URL(), key.Secret(), k.Secret, 1)
	return k, nil
}

// ConfirmSecondFactor switches the second factor on by the password and a code of the secret that the session began,
// and returns recovery codes, which cannot be asked for again. The other sessions of the person end: they were begun
// without it, perhaps by another person. It fails with a [Refusal].
func (s Session) ConfirmSecondFactor(ctx context.Context, st *store.Store, password, code string, from Request) (recovery []string, err error) {
	if err := s.prove(ctx, st, password); err != nil {
		return nil, err
	}
	counted := passwordCounts(s)
	slowed, err := s.attempt(ctx, st, counted)
	if err != nil {
		return nil, err
	}
	err = as(s.Person.begin(ctx, "switchOnSecondFactor", from.ID), st, s.Person.ID, func(db *gorm.DB) error {
		f, err := lockFactor(db, s.Person.ID)
		if err != nil {
			return err
		}
		if f.TotpConfirmed {
			return fault.Refused("the second factor is on already")
		}
		if !f.begunBy(s) {
			return fault.Refused("the second factor was not begun in this session within ten minutes; scan the code again")
		}
		if right, err := f.take(db, code); err != nil || !right {
			return cmp.Or(err, slowed.failed())
		}
		if err := db.Exec("UPDATE credentials SET totp_confirmed = true, totp_session = NULL, totp_begun_at = NULL WHERE person_id = ?", s.Person.ID).Error; err != nil {
			return err
		}
		if err := db.Exec("UPDATE people SET second_factor_at = clock_timestamp() WHERE id = ?", s.Person.ID).Error; err != nil {
			return err
		}
		if recovery, err = newRecovery(db, s.Person.ID); err != nil {
			return err
		}
		if err := s.endOthers(db); err != nil {
			return err
		}
		if err := counted.forgive(db); err != nil {
			return err
		}
		return writeEverywhere(db)
	})
	return recovery, err
}

// newRecovery makes recovery codes of the transaction's person.
func newRecovery(db *gorm.DB, personID string) (recovery []string, err error) {
	for range recoveryCodes {
		text := recoveryCode()
		recovery = append(recovery, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		if err := db.Exec("INSERT INTO recovery_codes (person_id, hash) VALUES (?, ?)", personID, digest(text)).Error; err != nil {
			return nil, err
		}
	}
	return recovery, nil
}

// EndSecondFactor switches the second factor off, for who knows the password.
func (s Session) EndSecondFactor(ctx context.Context, st *store.Store, password string, from Request) error {
	if err := s.prove(ctx, st, password); err != nil {
		return err
	}
	return as(s.Person.begin(ctx, "switchOffSecondFactor", from.ID), st, s.Person.ID, func(db *gorm.DB) error {
		if err := endSecondFactor(db, s.Person.ID); err != nil {
			return err
		}
		return writeEverywhere(db)
	})
}

// RenewRecovery makes other recovery codes, for who knows the password. Those of before end.
func (s Session) RenewRecovery(ctx context.Context, st *store.Store, password string, from Request) (recovery []string, err error) {
	if err := s.prove(ctx, st, password); err != nil {
		return nil, err
	}
	err = as(s.Person.begin(ctx, "renewRecoveryCodes", from.ID), st, s.Person.ID, func(db *gorm.DB) error {
		f, err := lockFactor(db, s.Person.ID)
		if err != nil {
			return err
		}
		if !f.TotpConfirmed {
			return fault.Refused("the second factor is off")
		}
		if err := db.Exec("DELETE FROM recovery_codes WHERE person_id = ?", s.Person.ID).Error; err != nil {
			return err
		}
		if recovery, err = newRecovery(db, s.Person.ID); err != nil {
			return err
		}
		return writeEverywhere(db)
	})
	return recovery, err
}

// endSecondFactor takes the second factor from the transaction's person.
func endSecondFactor(db *gorm.DB, personID string) error {
	for _, statement := range []string{
		"UPDATE credentials SET totp_secret = NULL, totp_confirmed = false, totp_step = 0, totp_session = NULL, totp_begun_at = NULL WHERE person_id = ?",
		"DELETE FROM recovery_codes WHERE person_id = ?",
		"UPDATE people SET second_factor_at = NULL WHERE id = ?",
	} {
		if err := db.Exec(statement, personID).Error; err != nil {
			return err
		}
	}
	return nil
}

// CompleteSignIn exchanges a session that waits for the second factor for one that does not. code
// is of the app or a recovery code, each of which works once. It fails with a [Refusal].
func CompleteSignIn(ctx context.Context, st *store.Store, waiting, code string, from Request) (token string, err error) {
	s, err := FindWaiting(ctx, st, waiting)
	if err != nil {
		return "", err
	}
	from.Keep = s.Kept
	var browser string
	err = as(store.WithAudit(ctx, ""), st, s.Person.ID, func(db *gorm.DB) error {
		browser, err = from.browserOf(db, s.Person.ID)
		return err
	})
	if err != nil {
		return "", err
	}
	counted := codeCounts(s.Person.ID, browser, from.Address)
	slowed, err := s.attempt(ctx, st, counted)
	if err != nil {
		return "", err
	}
	err = as(store.WithAudit(ctx, ""), st, s.Person.ID, func(db *gorm.DB) error {
		f, err := lockFactor(db, s.Person.ID)
		if err != nil {
			return err
		}
		right, err := f.take(db, code)
		if err == nil && !right {
			right, err = takeRecovery(db, s.Person.ID, code)
		}
		if err != nil || !right {
			return cmp.Or(err, slowed.failed())
		}
		ended := db.Exec("DELETE FROM sessions WHERE id = ? AND waiting", s.ID)
		if ended.Error != nil {
			return ended.Error
		}
		if ended.RowsAffected == 0 { // the password was reset meanwhile
			return ErrNoSession
		}
		if err := counted.forgive(db); err != nil {
			return err
		}
		if token, err = startSession(db, s.Person.ID, false, from); err != nil {
			return err
		}
		return noteSignIn(db, s.Person.ID, from)
	})
	return token, err
}

// attempt counts an attempt as one that failed, before it is made.
func (s Session) attempt(ctx context.Context, st *store.Store, counted counts) (slowed slowdown, err error) {
	err = as(store.WithAudit(ctx, ""), st, s.Person.ID, func(db *gorm.DB) error {
		slowed, err = counted.count(db)
		return err
	})
	return slowed, cmp.Or(err, slowed.waits())
}

// factor is the second factor of a person.
type factor struct {
	PersonID      string
	TotpSecret    *string
	TotpConfirmed bool
	TotpStep      int64
	TotpSession   *string
	TotpBegunAt   *time.Time
	Now           time.Time
}

// begunBy reports whether the session began the secret, and not too long ago.
func (f factor) begunBy(s Session) bool {
	return f.TotpSecret != nil && f.TotpSession != nil && *f.TotpSession == s.ID && f.TotpBegunAt != nil && f.Now.Sub(*f.TotpBegunAt) < secretLasts
}

// lockFactor returns the second factor of the transaction's person, so that a code is taken once.
func lockFactor(db *gorm.DB, personID string) (f factor, err error) {
	err = db.Raw("SELECT person_id, totp_secret, totp_confirmed, totp_step, totp_session, totp_begun_at, clock_timestamp() AS now FROM credentials WHERE person_id = ? FOR UPDATE",
		personID).Scan(&f).Error
	return f, err
}

// take uses a code of the app, if it is right. One that was used, or is older than one that was, is
// not.
func (f factor) take(db *gorm.DB, code string) (right bool, err error) {
	if f.TotpSecret == nil {
		return false, nil
	}
	code = digits(code)
	present := f.Now.Unix() / step
	for at := present - drift; at <= present+drift; at++ {
		expected, err := totp.GenerateCodeCustom(*f.TotpSecret, time.Unix(at*step, 0), codes)
		if err != nil {
			return false, err
		}
		if at > f.TotpStep && subtle.ConstantTimeCompare([]byte(expected), []byte(code)) == 1 {
			return true, db.Exec("UPDATE credentials SET totp_step = ? WHERE person_id = ?", at, f.PersonID).Error
		}
	}
	return false, nil
}

// digits are those of a code as people type it: 123 456.
func digits(code string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, code)
}

// recoveryCode is a new one, as it is compared.
func recoveryCode() string {
	var secret [recoveryLength]byte
	_, _ = rand.Read(secret[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(secret[:]))
}

// takeRecovery uses a recovery code, if it is one.
func takeRecovery(db *gorm.DB, personID, code string) (right bool, err error) {
	text := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
	used := db.Exec("DELETE FROM recovery_codes WHERE person_id = ? AND hash = ?", personID, digest(text))
	return used.RowsAffected == 1, used.Error
}
