package user

import (
	"context"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Membership is an account of a person, with their role in it.
type Membership struct {
	AccountID   string
	AccountName string
	Mode        account.Mode
	Role        Role
}

// Accounts are those of a person, by name.
func Accounts(ctx context.Context, st *store.Store, personID string) (all []Membership, err error) {
	err = as(ctx, st, personID, func(db *gorm.DB) error {
		all, err = accountsOf(db)
		return err
	})
	return all, err
}

// accountsOf are those of the transaction's person.
func accountsOf(db *gorm.DB) (all []Membership, err error) {
	err = db.Raw("SELECT account AS account_id, account_name, account_mode AS mode, account_role AS role FROM list_person_accounts()").Scan(&all).Error
	return all, err
}

// Member is a person of the transaction's account.
type Member struct {
	PersonID     string
	Name         string
	Email        string
	Role         Role
	Since        time.Time
	SecondFactor bool
	LastSeenAt   *time.Time // to the minute
}

// Members are the people of the transaction's account, the first to join first.
func Members(tx *store.Tx) (all []Member, err error) {
	err = tx.Raw(`SELECT m.person_id, p.name, p.email, m.role, m.created_at AS since, p.second_factor_at IS NOT NULL AS second_factor, p.last_seen_at
		FROM memberships AS m JOIN people AS p ON p.id = m.person_id WHERE m.account_id = ? ORDER BY m.seq`, tx.AccountID).Scan(&all).Error
	return all, err
}

// membership is a row of the table of memberships.
type membership struct {
	store.Record
	PersonID string
	Role     Role
}

// TableName is what the table of memberships is called.
func (membership) TableName() string { return "memberships" }

// join makes a person a member of an account, in a transaction of both. Nothing changes where they
// are one.
func join(db *gorm.DB, accountID, personID string, role Role) error {
	return db.Exec(`INSERT INTO memberships (account_id, id, person_id, role) VALUES (?, ?, ?, ?) ON CONFLICT (person_id, account_id) DO NOTHING`,
		accountID, store.NewID("member"), personID, role).Error
}

// ChangeRole gives a member of the transaction's account another role. An account keeps an owner.
func ChangeRole(tx *store.Tx, personID string, role Role) error {
	if err := role.check(); err != nil {
		return err
	}
	m, err := lockMember(tx, personID)
	if err != nil {
		return err
	}
	if m.Role == RoleOwner && role != RoleOwner {
		if err := keepOwner(tx, personID); err != nil {
			return err
		}
	}
	return tx.Model(&membership{}).Where("id = ?", m.ID).Update("role", role).Error
}

// Remove ends the membership of a person in the transaction's account, at once. An account keeps
// an owner.
func Remove(tx *store.Tx, personID string) error {
	m, err := lockMember(tx, personID)
	if err != nil {
		return err
	}
	if m.Role == RoleOwner {
		if err := keepOwner(tx, personID); err != nil {
			return err
		}
	}
	return tx.Where("id = ?", m.ID).Delete(&membership{}).Error
}

// lockMember returns a membership of the transaction's account. Changes of its team take turns:
// two owners could make each other something else at once.
func lockMember(tx *store.Tx, personID string) (m membership, err error) {
	if _, err := account.InTurn(tx); err != nil {
		return m, err
	}
	err = tx.Where("person_id = ?", personID).Take(&m).Error
	return m, store.Found(err, "Member", personID)
}

// keepOwner refuses that a person stops to be an owner where there is no other (semantics 21.1.3).
func keepOwner(tx *store.Tx, personID string) error {
	var others int64
	err := tx.Model(&membership{}).Where("role = ? AND person_id <> ?", RoleOwner, personID).Count(&others).Error
	if err == nil && others == 0 {
		err = fault.Refused("an account needs an owner; make somebody else one first")
	}
	return err
}
