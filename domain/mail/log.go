package mail

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Filter narrows a list of mails. Empty fields do not.
type Filter struct {
	Kind       Kind
	Status     Status
	CustomerID string
}

// List returns a page of mails, newest first.
func List(tx *store.Tx, filter Filter, page store.Page) (mails []Mail, next string, err error) {
	query := tx.Model(&Mail{})
	for column, value := range map[string]string{"kind": string(filter.Kind), "status": string(filter.Status), "customer_id": filter.CustomerID} {
		if value != "" {
			query = query.Where(column+" = ?", value)
		}
	}
	return store.List[Mail](query, page)
}

// Find returns the mail with that id, or fault.Missing.
func Find(tx *store.Tx, id string) (m Mail, err error) {
	err = tx.Where("id = ?", id).Take(&m).Error
	return m, store.Found(err, "Mail", id)
}

// notAgain is how long by real time a mail of a kind counts as recent (semantics 18.1.11).
const notAgain = "5 minutes"

// Recent reports whether a mail of a kind was queued for a customer a short time ago.
func Recent(tx *store.Tx, k Kind, customerID string) (recent bool, err error) {
	err = tx.Raw("SELECT EXISTS (SELECT FROM mails WHERE account_id = ? AND customer_id = ? AND kind = ? AND recorded_at > clock_timestamp() - ?::interval)",
		tx.AccountID, customerID, k, notAgain).Scan(&recent).Error
	return recent, err
}

// Resend has a mail sent once more at once, in any state, under the same Message-ID. A test account that sends no
// mail is refused, and so is a mail that a server is at.
func Resend(tx *store.Tx, id string) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	if settings.Test() && !settings.MailInTest {
		return fault.Refused("this test account sends no mail; an operator can allow it: tollkeeper account set %s mail_in_test true", tx.AccountID)
	}
	if err := opensPortals(tx); err != nil {
		return err
	}
	var m Mail
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", id).Take(&m).Error
	if err := store.Found(err, "Mail", id); err != nil {
		return err
	}
	if m.Status == StatusPending && m.ClaimedUntil != nil {
		return fault.Refused("the mail is being sent at this moment")
	}
	return tx.Model(&Mail{}).Where("id = ?", id).
		Updates(map[string]any{"status": StatusPending, "tries": 0, "claimed_until": nil, "next_attempt_at": gorm.Expr("clock_timestamp()")}).Error
}
