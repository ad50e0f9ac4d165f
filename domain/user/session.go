package user

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ErrNoSession says that a token opens no session: there is none, it has ended or was revoked, or
// it waits for a second factor.
var ErrNoSession = errors.New("no such session")

// How long sessions last: from when they were used last, and in all (semantics 21.1.6).
const (
	idle     = 2 * time.Hour
	lifetime = 12 * time.Hour

	keptIdle     = 14 * 24 * time.Hour // on a device of one's own
	keptLifetime = 30 * 24 * time.Hour

	waitingLifetime = 10 * time.Minute // for the second factor
)

// Session is a person who is signed in, at one account.
type Session struct {
	ID           string
	Person       Person // id, email and name
	SecondFactor bool   // the person has one
	AccountID    string // "" while none is chosen, or the person is no member of it any more
	Role         Role   // in that account; "" without one
	CSRF         string // what forms carry, see [FormToken]
	CreatedAt    time.Time
	EndsAt       time.Time
	Kept         bool // on a device of the person's own
}

// Rights are what the person may do in the account, as those of an API key.
func (s Session) Rights() account.Rights { return s.Role.Rights() }

// Begin returns a context of the session's account in which changes are in the audit log as
// those of the person (semantics 21.2.3). action is the operation of the contract, or what it is in the console.
func (s Session) Begin(ctx context.Context, action, requestID string) context.Context {
	return s.Person.begin(store.WithAccount(ctx, s.AccountID), action, requestID)
}

// FindSession returns the session that a token opens, or [ErrNoSession].
func FindSession(ctx context.Context, st *store.Store, token string) (Session, error) {
	s, waiting, err := findSession(ctx, st, token)
	if err == nil && waiting {
		return Session{}, ErrNoSession
	}
	return s, err
}

// FindWaiting returns the session that a token opens once a second factor is given, or
// [ErrNoSession]. Its account and role are empty.
func FindWaiting(ctx context.Context, st *store.Store, token string) (Session, error) {
	s, waiting, err := findSession(ctx, st, token)
	if err == nil && !waiting {
		return Session{}, ErrNoSession
	}
	s.AccountID, s.Role = "", ""
	return s, err
}

func findSession(ctx context.Context, st *store.Store, token string) (s Session, waiting bool, err error) {
	if token == "" {
		return s, false, ErrNoSession
	}
	var found []struct {
		Session, Person, Email, Name string
		SecondFactor                 bool
		Account, AccountRole         string
		Began, Ends                  time.Time
		IsWaiting, IsKept            bool
	}
	ctx = store.WithAudit(ctx, "") // the use of a session changes nothing
	err = st.Shared(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT * FROM find_session(digest => ?)", digest(token)).Scan(&found).Error
	})
	if err != nil {
		return s, false, err
	}
	if len(found) == 0 {
		return s, false, ErrNoSession
	}
	f := found[0]
	s = Session{
		ID: f.Session, Person: Person{ID: f.Person, Email: f.Email, Name: f.Name}, SecondFactor: f.SecondFactor,
		AccountID: f.Account, Role: Role(f.AccountRole), CSRF: FormToken(token), CreatedAt: f.Began.UTC(), EndsAt: f.Ends.UTC(), Kept: f.IsKept,
	}
	return s, f.IsWaiting, nil
}

// Request is what is known of where an attempt comes from.
type Request struct {
	ID      string // of the request, for the audit log
	Address string // of the client
	Browser string // as it names itself
	Keep    bool   // the device is the person's own
	Known   string // what the browser keeps of who signed in there before, see [RememberBrowser]
}

// longestBrowser is how much is kept of what a browser says of itself, in bytes.
const longestBrowser = 300

// startSession makes a session of the transaction's person, and returns its token.
func startSession(db *gorm.DB, personID string, waiting bool, from Request) (token string, err error) {
	token = newToken()
	quiet, ends := idle, lifetime
	switch {
	case waiting:
		quiet, ends = waitingLifetime, waitingLifetime
	case from.Keep:
		quiet, ends = keptIdle, keptLifetime
	}
	err = db.Exec(`INSERT INTO sessions (id, hash, person_id, chosen_account_id, ends_at, idle_seconds, waiting, kept, address, browser)
		SELECT ?, ?, p.id, (
				SELECT m.account_id FROM memberships AS m WHERE m.person_id = p.id
				ORDER BY m.account_id = p.last_account_id DESC NULLS LAST, m.seq LIMIT 1),
			clock_timestamp() + ? * interval '1 second', ?, ?, ?, ?, ?
		FROM people AS p WHERE p.id = ?`,
		store.NewID("sess"), digest(token), int(ends.Seconds()), int(quiet.Seconds()), waiting, from.Keep,
		clean(from.Address, longestBrowser), clean(from.Browser, longestBrowser), personID).Error
	return token, err
}

// Choose has the session look at another account of its person.
func (s Session) Choose(ctx context.Context, st *store.Store, accountID string) error {
	return as(store.WithAudit(ctx, ""), st, s.Person.ID, func(db *gorm.DB) error {
		chosen := db.Exec(`UPDATE sessions SET chosen_account_id = ? WHERE id = ? AND EXISTS (
				SELECT FROM memberships WHERE person_id = ? AND account_id = ?)`, accountID, s.ID, s.Person.ID, accountID)
		if chosen.Error != nil {
			return chosen.Error
		}
		if chosen.RowsAffected == 0 {
			return fault.Missing("Account", accountID)
		}
		return db.Exec("UPDATE people SET last_account_id = ? WHERE id = ?", accountID, s.Person.ID).Error
	})
}

// as runs fn in a transaction of a person and of no account.
func as(ctx context.Context, st *store.Store, personID string, fn func(db *gorm.DB) error) error {
	return st.Shared(ctx, func(db *gorm.DB) error {
		if err := become(db, personID); err != nil {
			return err
		}
		return fn(db)
	})
}

// OpenSession is a session as a list shows it.
type OpenSession struct {
	ID         string
	CreatedAt  time.Time
	LastUsedAt time.Time // to the minute
	EndsAt     time.Time
	Kept       bool
	Address    string
	Browser    string
}

// works is the condition of a session that has not ended.
const works = "ends_at > clock_timestamp() AND last_used_at + idle_seconds * interval '1 second' > clock_timestamp()"

// Sessions are those of a person that have not ended, the newest first.
func Sessions(ctx context.Context, st *store.Store, personID string) (all []OpenSession, err error) {
	err = as(ctx, st, personID, func(db *gorm.DB) error {
		return db.Raw(`SELECT id, created_at, last_used_at, ends_at, kept, address, browser FROM sessions
			WHERE person_id = ? AND NOT waiting AND `+works+` ORDER BY created_at DESC, id`, personID).Scan(&all).Error
	})
	return all, err
}

// End ends the session: the person signs out.
func (s Session) End(ctx context.Context, st *store.Store) error { return s.Revoke(ctx, st, s.ID) }

// Revoke ends a session of the same person.
func (s Session) Revoke(ctx context.Context, st *store.Store, id string) error {
	return as(store.WithAudit(ctx, ""), st, s.Person.ID, func(db *gorm.DB) error {
		ended := db.Exec("DELETE FROM sessions WHERE id = ? AND person_id = ?", id, s.Person.ID)
		if ended.Error == nil && ended.RowsAffected == 0 {
			return fault.Missing("Session", id)
		}
		return ended.Error
	})
}

// RevokeOthers ends all sessions of the person but this one.
func (s Session) RevokeOthers(ctx context.Context, st *store.Store) error {
	return as(store.WithAudit(ctx, ""), st, s.Person.ID, s.endOthers)
}

func (s Session) endOthers(db *gorm.DB) error {
	return db.Exec("DELETE FROM sessions WHERE person_id = ? AND id <> ?", s.Person.ID, s.ID).Error
}
