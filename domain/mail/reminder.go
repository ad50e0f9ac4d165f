package mail

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/due"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Reminder is one of an invoice that is still to come.
type Reminder struct {
	store.Record
	InvoiceID      string
	CustomerID     string
	SubscriptionID *string
	Days           int // after the due date, before it if negative
	At             time.Time
}

// TableName has no noun of its own.
func (Reminder) TableName() string { return "mail_reminders" }

// Due is the note of a transaction in which a reminder fell due.
type Due struct{ Reminder }

// reminderHour is when reminders are sent, by the customer's clock. At midnight, when invoices fall due, people sleep.
const reminderHour = 9

// Plan plans the reminders of an issued invoice, at nine o'clock of days of the customer's. Those whose time has passed
// are left out (semantics 18.1.6).
func Plan(tx *store.Tx, settings account.Account, inv invoice.Invoice, zone *time.Location) error {
	if inv.Status != invoice.StatusIssued || inv.DueAt == nil {
		return nil
	}
	day := period.DateOf(*inv.DueAt, zone)
	var reminders []Reminder
	for _, days := range settings.Reminders() {
		at := time.Date(day.Year, day.Month, day.Day+days, reminderHour, 0, 0, 0, zone).UTC()
		if at.After(tx.Now) {
			reminders = append(reminders, Reminder{Record: tx.Record("reminder"), InvoiceID: inv.ID, CustomerID: inv.CustomerID, SubscriptionID: inv.SubscriptionID, Days: days, At: at})
		}
	}
	if len(reminders) == 0 {
		return nil
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&reminders).Error
}

func coming(tx *store.Tx, by time.Time) *gorm.DB {
	return tx.Model(&Reminder{}).Where("at <= ?", by).Order("at, seq").
		Where(due.Notices.FreeSubscription("mail_reminders.account_id", "mail_reminders.customer_id", "mail_reminders.subscription_id"))
}

// NextReminder returns the earliest instant, at or before by, at which a reminder is due.
func NextReminder(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next reminder")
	var dates []time.Time
	err = coming(tx, by).Limit(1).Pluck("at", &dates).Error
	if err != nil || len(dates) == 0 {
		return at, false, err
	}
	return dates[0].UTC(), true, nil
}

// RemindNext has the reminder written that is due longest, unless its invoice asks for nothing any more. It reports false
// when none is due.
func RemindNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "remind of an invoice")
	var rows []Reminder
	err = coming(tx, tx.Now).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
		Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return false, err
	}
	due.Concern(tx, due.Subject{CustomerID: &rows[0].CustomerID, SubscriptionID: rows[0].SubscriptionID})
	tx.Note(Due{rows[0]})
	return true, tx.Where("id = ?", rows[0].ID).Delete(&Reminder{}).Error
}

// SkipReminder leaves out the reminder of which a unit was parked.
func SkipReminder(tx *store.Tx, p due.Parked) (err error) {
	defer fault.Doing(&err, "skip a reminder")
	var rows []Reminder
	err = tx.Where("customer_id = ? AND subscription_id IS NOT DISTINCT FROM ? AND at <= ?", p.CustomerID, p.SubscriptionID, p.DueAt).
		Order("at, seq").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return err
	}
	return tx.Where("id = ?", rows[0].ID).Delete(&Reminder{}).Error
}
