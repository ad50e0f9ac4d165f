package user

import (
	"cmp"
	"context"
	"errors"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// errChanged says that what an attempt was compared with has changed meanwhile.
var errChanged = errors.New("the password was changed meanwhile")

// SignIn begins a session for who knows the password of the person with an address, or fails with a
// [Refusal] or [ErrBusy]. If the person has a second factor, the session waits for it.
func SignIn(ctx context.Context, st *store.Store, email, password string, from Request) (token string, waiting bool, err error) {
	if from.Known == "" && hashes.isFull() {
		return "", false, ErrBusy // before the database is asked
	}
	ctx = store.WithAudit(ctx, "") // it changes nothing
	var known struct{ Person, Stored string }
	var browser string
	var counted counts
	var slowed slowdown
	err = st.Shared(ctx, func(db *gorm.DB) error {
		if err := db.Raw("SELECT * FROM find_sign_in(?)", emailKey(email)).Scan(&known).Error; err != nil {
			return err
		}
		if browser, err = from.browserOf(db, known.Person); err != nil {
			return err
		}
		counted = signInCounts(emailKey(email), browser, from.Address)
		slowed, err = counted.count(db)
		return err
	})
	if err := cmp.Or(err, slowed.waits()); err != nil {
		return "", false, err
	}
	who := "" // a stranger, as long as the browser is not known
	if browser != "" {
		who = known.Person
	}
	right, err := matches(ctx, password, known.Stored, who)
	if err != nil {
		return "", false, counted.takeBack(ctx, st, err)
	}
	if !right {
		return "", false, slowed.failed()
	}
	token, waiting, err = admit(ctx, st, known.Person, known.Stored, counted, from)
	if errors.Is(err, errChanged) {
		err = slowed.failed()
	}
	return token, waiting, err
}

// admit begins the session of a person whose password was right.
func admit(ctx context.Context, st *store.Store, personID, stored string, counted counts, from Request) (token string, waiting bool, err error) {
	err = as(ctx, st, personID, func(db *gorm.DB) error {
		var now []struct {
			Password  *string
			Confirmed bool
		}
		err := db.Raw("SELECT password, totp_confirmed AS confirmed FROM credentials WHERE person_id = ? FOR SHARE", personID).Scan(&now).Error
		if err != nil {
			return err
		}
		if len(now) == 0 || now[0].Password == nil || *now[0].Password != stored {
			return errChanged
		}
		waiting = now[0].Confirmed
		if err := counted.forgive(db); err != nil { // codes of a second factor are counted apart
			return err
		}
		if err := db.Exec("SELECT forget_sessions()").Error; err != nil {
			return err
		}
		if token, err = startSession(db, personID, waiting, from); err != nil || waiting {
			return err
		}
		return noteSignIn(db, personID, from)
	})
	return token, waiting, err
}

// noteSignIn writes into the audit log of each account of a person that they signed in (semantics 14.8.8). It is
// the last thing of a transaction, which belongs to one of these accounts from then on.
func noteSignIn(db *gorm.DB, personID string, from Request) error {
	var p Person
	if err := db.Raw("SELECT id, email, name FROM people WHERE id = ?", personID).Scan(&p).Error; err != nil {
		return err
	}
	return writeEverywhere(db.WithContext(p.begin(db.Statement.Context, "signIn", from.ID)))
}
