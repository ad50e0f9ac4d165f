package user

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// resetLife is how long a link for a new password works.
const resetLife = 24 * time.Hour

// StartReset returns the token of a link by which a person chooses a new password. Links that
// they have stay valid. An operator may ask for it; see [Session.StartReset] for people.
func StartReset(ctx context.Context, st *store.Store, personID string, withoutSecondFactor bool) (token string, err error) {
	err = as(ctx, st, personID, func(db *gorm.DB) error {
		if withoutSecondFactor {
			if err := endSecondFactor(db, personID); err != nil {
				return err
			}
		}
		if token, err = startReset(db, personID, resetLife); err != nil {
			return err
		}
		return writeEverywhere(db)
	})
	return token, err
}

// ForgottenLife is how long a link works that is mailed to who forgot the password.
const ForgottenLife = time.Hour

// How many links for a new password are asked for from a network, or in a browser that the person knows, before each
// makes the next one wait; and how many are mailed to one address before a pause.
const (
	freeForgotten = 10
	mostForgotten = 3
)

// CountForgotten counts that a link was asked for by mail, whether the address is a person's or not. Beyond some from a
// network, it fails with a [Refusal] that has the time to wait.
func CountForgotten(ctx context.Context, st *store.Store, email string, from Request) error {
	var slowed slowdown
	err := st.Shared(store.WithAudit(ctx, ""), func(db *gorm.DB) error {
		var person string
		if err := db.Raw("SELECT person FROM find_sign_in(?)", emailKey(email)).Scan(&person).Error; err != nil {
			return err
		}
		browser, err := from.browserOf(db, person)
		if err != nil {
			return err
		}
		counted := counts{keys: []string{countKey("forgotten from", network(from.Address))}, free: []int{freeForgotten}}
		if browser != "" {
			counted.keys = []string{countKey("browser", "forgotten", browser)}
		}
		slowed, err = counted.count(db)
		return err
	})
	return cmp.Or(err, slowed.waits())
}

// ErrMailedEnough says that several links were mailed to a person a short time ago. These links outlast the pause in
// which no other link is mailed.
var ErrMailedEnough = errors.New("several links were mailed already")

// StartForgotten returns the token of a link for the person with an address, which is mailed there, or fault.Missing, or
// [ErrMailedEnough]. The links that the person has stay valid.
func StartForgotten(ctx context.Context, st *store.Store, email string, from Request) (p Person, token string, err error) {
	if p, err = FindByEmail(store.WithAudit(ctx, ""), st, email); err != nil {
		return p, "", err
	}
	err = as(p.begin(ctx, "requestPasswordReset", from.ID), st, p.ID, func(db *gorm.DB) error {
		var mailed struct{ WaitSeconds int }
		err := db.Raw("SELECT wait_seconds FROM count_sign_in(ARRAY[?], ARRAY[?]::integer[], ?)", countKey("forgotten mails", p.ID), mostForgotten, int(kept.Seconds())).
			Scan(&mailed).Error
		if err != nil {
			return err
		}
		if mailed.WaitSeconds > 0 {
			return ErrMailedEnough
		}
		if token, err = startReset(db, p.ID, ForgottenLife); err != nil {
			return err
		}
		return writeEverywhere(db)
	})
	return p, token, err
}

// startReset adds a link to those that the transaction's person has. No request ends another link, else a stranger
// could keep a person from a new password (semantics 14.8.5).
func startReset(db *gorm.DB, personID string, life time.Duration) (token string, err error) {
	if err := db.Exec("DELETE FROM password_resets WHERE person_id = ? AND expires_at <= clock_timestamp()", personID).Error; err != nil {
		return "", err
	}
	token = newToken()
	return token, db.Exec("INSERT INTO password_resets (person_id, hash, expires_at) VALUES (?, ?, clock_timestamp() + ? * interval '1 second')",
		personID, digest(token), int(life.Seconds())).Error
}

// StartReset is [StartReset] for an owner and a member of their account. Who can choose a password
// for a person gets all accounts of that person. So the owner needs to be an owner of each.
func (s Session) StartReset(tx *store.Tx, personID string) (token string, err error) {
	if !s.Role.ManagesAccount() {
		return "", fault.Refused("only an owner may do this")
	}
	if _, err := lockMember(tx, personID); err != nil {
		return "", err
	}
	var elsewhere bool
	if err := tx.Raw("SELECT member_elsewhere(?, ?)", personID, s.Person.ID).Row().Scan(&elsewhere); err != nil {
		return "", err
	}
	if elsewhere {
		return "", fault.Refused("the person belongs to an account of which you are no owner; an operator of the server can reset the password")
	}
	if err := become(tx.DB, personID); err != nil {
		return "", err
	}
	return startReset(tx.DB, personID, resetLife)
}

// FindReset returns the person who chooses a new password by a link, or [ErrLinkEnded].
func FindReset(ctx context.Context, st *store.Store, token string) (p Person, err error) {
	err = st.Shared(store.WithAudit(ctx, ""), func(db *gorm.DB) error {
		p, err = enterReset(db, token)
		return err
	})
	return p, err
}

// enterReset makes a transaction that of the person of a link.
func enterReset(db *gorm.DB, token string) (p Person, err error) {
	var found []string
	if err := db.Raw("SELECT person FROM find_password_reset(digest => ?)", digest(token)).Scan(&found).Error; err != nil {
		return p, err
	}
	if len(found) == 0 {
		return p, ErrLinkEnded
	}
	return be(db, found[0])
}

// Reset gives the person of a link a new password. All their sessions and links end, and what
// failed before is not counted any more. A second factor stays.
func Reset(ctx context.Context, st *store.Store, token, password string, from Request) error {
	p, err := FindReset(ctx, st, token)
	if err != nil {
		return err
	}
	if err := checkPassword(password, p.Email, p.Name); err != nil {
		return err
	}
	stored, err := hashPassword(ctx, password, p.ID)
	if err != nil {
		return err
	}
	return as(p.begin(ctx, "resetPassword", from.ID), st, p.ID, func(db *gorm.DB) error {
		used := db.Exec("DELETE FROM password_resets WHERE hash = ? AND expires_at > clock_timestamp()", digest(token))
		if used.Error != nil {
			return used.Error
		}
		if used.RowsAffected == 0 {
			return ErrLinkEnded
		}
		if err := setPassword(db, p.ID, stored); err != nil {
			return err
		}
		if err := db.Exec("DELETE FROM sessions WHERE person_id = ?", p.ID).Error; err != nil {
			return err
		}
		here := signInCounts(p.EmailKey, "", from.Address)
		if err := (counts{keys: here.keys[:2], own: 2}).forgive(db); err != nil {
			return err
		}
		return writeEverywhere(db)
	})
}

func setPassword(db *gorm.DB, personID, stored string) error {
	if err := db.Exec("DELETE FROM password_resets WHERE person_id = ?", personID).Error; err != nil {
		return err
	}
	return db.Exec(`INSERT INTO credentials (person_id, password) VALUES (?, ?)
		ON CONFLICT (person_id) DO UPDATE SET password = excluded.password`, personID, stored).Error
}

// ChangePassword gives the person of a session another password. It ends their other sessions.
func (s Session) ChangePassword(ctx context.Context, st *store.Store, current, password string, from Request) error {
	if err := s.prove(ctx, st, current); err != nil {
		return err
	}
	if err := checkPassword(password, s.Person.Email, s.Person.Name); err != nil {
		return err
	}
	stored, err := hashPassword(ctx, password, s.Person.ID)
	if err != nil {
		return err
	}
	return as(s.Person.begin(ctx, "changePassword", from.ID), st, s.Person.ID, func(db *gorm.DB) error {
		if err := setPassword(db, s.Person.ID, stored); err != nil {
			return err
		}
		if err := s.endOthers(db); err != nil {
			return err
		}
		return writeEverywhere(db)
	})
}

// prove checks the password of the session's person. It fails with a [Refusal] or [ErrBusy].
func (s Session) prove(ctx context.Context, st *store.Store, password string) error {
	counted := passwordCounts(s)
	var slowed slowdown
	var stored string
	err := as(store.WithAudit(ctx, ""), st, s.Person.ID, func(db *gorm.DB) (err error) {
		if slowed, err = counted.count(db); err != nil {
			return err
		}
		return db.Raw("SELECT coalesce(password, '') FROM credentials WHERE person_id = ?", s.Person.ID).Scan(&stored).Error
	})
	if err := cmp.Or(err, slowed.waits()); err != nil {
		return err
	}
	right, err := matches(ctx, password, stored, s.Person.ID)
	if err != nil {
		return counted.takeBack(ctx, st, err)
	}
	if !right {
		return slowed.failed()
	}
	return as(store.WithAudit(ctx, ""), st, s.Person.ID, counted.forgive)
}

// Delete removes a person from the server, with their memberships and sessions. It is for an
// operator, with the login of the owner of the database.
func Delete(ctx context.Context, st *store.Store, personID string) error {
	return st.AsOwner(ctx, func(db *gorm.DB) error {
		if _, err := be(db, personID); err != nil {
			return err
		}
		if err := writeEverywhere(db); err != nil {
			return err
		}
		if err := db.Exec("DELETE FROM memberships WHERE person_id = ?", personID).Error; err != nil {
			return err
		}
		return db.Exec("DELETE FROM people WHERE id = ?", personID).Error
	})
}

// List returns all people, the oldest first, to the operator.
func List(ctx context.Context, st *store.Store) (all []Person, err error) {
	err = st.AsOwner(ctx, func(db *gorm.DB) error { return db.Order("seq").Find(&all).Error })
	return all, err
}
