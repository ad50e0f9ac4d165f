package user

import (
	"context"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/audit"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// invitationLife is how long the link of an invitation works (semantics 21.1.4).
const invitationLife = 3 * 24 * time.Hour

// Invitation asks somebody to become a member of an account, by a link that works once.
type Invitation struct {
	store.Record // created at real time
	ExpiresAt    time.Time
	AcceptedAt   *time.Time
	WithdrawnAt  *time.Time
	Email        string
	EmailKey     string
	Role         Role
	Hash         []byte // SHA-256 of what the link has
}

// TableName is what the table of invitations is called.
func (Invitation) TableName() string { return "invitations" }

// Invite makes an invitation to the transaction's account, and returns the token of its link. It
// replaces those that the address has.
func Invite(tx *store.Tx, email string, role Role) (i Invitation, token string, err error) {
	email, key, badEmail := readEmail(email)
	if err := fault.Join(badEmail, role.check()); err != nil {
		return i, "", err
	}
	var members int64
	err = tx.Raw("SELECT count(*) FROM memberships AS m JOIN people AS p ON p.id = m.person_id WHERE m.account_id = ? AND p.email_key = ?",
		tx.AccountID, key).Scan(&members).Error
	if err != nil {
		return i, "", err
	}
	if members > 0 {
		return i, "", fault.NotPartOf("email", "belongs to a member of the account already")
	}
	err = tx.Exec(`UPDATE invitations SET withdrawn_at = clock_timestamp()
		WHERE account_id = ? AND email_key = ? AND accepted_at IS NULL AND withdrawn_at IS NULL`, tx.AccountID, key).Error
	if err != nil {
		return i, "", err
	}
	token = newToken()
	err = tx.Raw(`INSERT INTO invitations (account_id, id, expires_at, email, email_key, role, hash)
		VALUES (?, ?, clock_timestamp() + ? * interval '1 second', ?, ?, ?, ?) RETURNING *`,
		tx.AccountID, store.NewID("invitation"), int(invitationLife.Seconds()), email, key, role, digest(token)).Scan(&i).Error
	return i, token, err
}

// open is the condition of an invitation whose link works.
const open = "accepted_at IS NULL AND withdrawn_at IS NULL AND expires_at > clock_timestamp()"

// Invitations are those of the transaction's account whose links work, the oldest first.
func Invitations(tx *store.Tx) (all []Invitation, err error) {
	err = tx.Where(open).Order("seq").Find(&all).Error
	return all, err
}

// Withdraw ends an invitation of the transaction's account.
func Withdraw(tx *store.Tx, id string) error {
	ended := tx.Exec("UPDATE invitations SET withdrawn_at = clock_timestamp() WHERE account_id = ? AND id = ? AND accepted_at IS NULL AND withdrawn_at IS NULL",
		tx.AccountID, id)
	if ended.Error == nil && ended.RowsAffected == 0 {
		return fault.Missing("Invitation", id)
	}
	return ended.Error
}

// Invited is an invitation as its link shows it.
type Invited struct {
	AccountID   string
	AccountName string
	Email       string
	Role        Role
	Known       bool // the address is that of a person, who signs in to accept
}

// FindInvitation returns what a link invites to, or [ErrLinkEnded].
func FindInvitation(ctx context.Context, st *store.Store, token string) (in Invited, err error) {
	err = st.Shared(store.WithAudit(ctx, ""), func(db *gorm.DB) error {
		found, err := enter(db, token)
		if err != nil {
			return err
		}
		return db.Raw(`SELECT a.id AS account_id, a.name AS account_name, i.email, i.role, EXISTS (SELECT FROM find_sign_in(i.email_key)) AS known
			FROM invitations AS i JOIN accounts AS a ON a.id = i.account_id WHERE i.account_id = ? AND i.id = ?`, found.Account, found.Invitation).Scan(&in).Error
	})
	return in, err
}

// place is where an invitation is found.
type place struct{ Invitation, Account string }

// enter makes a transaction that of the account that a link invites to.
func enter(db *gorm.DB, token string) (p place, err error) {
	var found []place
	if err := db.Raw("SELECT * FROM find_invitation(digest => ?)", digest(token)).Scan(&found).Error; err != nil {
		return p, err
	}
	if len(found) == 0 {
		return p, ErrLinkEnded
	}
	return found[0], within(db, found[0].Account)
}

// accept ends the invitation of a link, and makes the transaction that of its account. Of several
// who come at once, one is not refused.
func accept(db *gorm.DB, token string) (i Invitation, err error) {
	found, err := enter(db, token)
	if err != nil {
		return i, err
	}
	err = db.Raw("UPDATE invitations SET accepted_at = clock_timestamp() WHERE account_id = ? AND id = ? AND "+open+" RETURNING *",
		found.Account, found.Invitation).Scan(&i).Error
	if err == nil && i.ID == "" {
		err = ErrLinkEnded
	}
	return i, err
}

// errOtherPerson says that an invitation is for another address.
var errOtherPerson = fault.Refused("the invitation is for another person; sign out, and follow the link again")

// Join makes the person of a session a member of the account that a link invites them to, and has
// the session look at it.
func (s Session) Join(ctx context.Context, st *store.Store, token string, from Request) error {
	var accountID string
	err := as(s.Person.begin(ctx, "joinAccount", from.ID), st, s.Person.ID, func(db *gorm.DB) error {
		i, err := accept(db, token)
		if err != nil {
			return err
		}
		if i.EmailKey != emailKey(s.Person.Email) {
			return errOtherPerson
		}
		if err := join(db, i.AccountID, s.Person.ID, i.Role); err != nil {
			return err
		}
		accountID = i.AccountID
		return audit.WriteShared(db, i.AccountID)
	})
	if err != nil {
		return err
	}
	return s.Choose(ctx, st, accountID)
}

// JoinAsNew makes a person of whom a link invites, a member of the account, and signs them in.
// in has no address: it is the invitation's.
func JoinAsNew(ctx context.Context, st *store.Store, token string, in New, from Request) (session string, err error) {
	invited, err := FindInvitation(ctx, st, token)
	if err != nil {
		return "", err
	}
	if invited.Known {
		return "", fault.Refused("there is a person with the address of the invitation; sign in to join")
	}
	in.Email = invited.Email
	p, err := in.read(true)
	if err != nil {
		return "", err
	}
	stored, err := hashPassword(ctx, in.Password, "invitations of "+invited.AccountID)
	if err != nil {
		return "", err
	}
	err = st.Shared(p.begin(ctx, "joinAccount", from.ID), func(db *gorm.DB) error {
		i, err := accept(db, token)
		if err != nil {
			return err
		}
		if _, err := insert(db, p, stored); err != nil {
			return err
		}
		if err := join(db, i.AccountID, p.ID, i.Role); err != nil {
			return err
		}
		if err := audit.WriteShared(db, i.AccountID); err != nil {
			return err
		}
		session, err = startSession(db, p.ID, false, from)
		return err
	})
	return session, err
}
