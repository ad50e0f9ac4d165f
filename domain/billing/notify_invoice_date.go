package billing

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/due"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NextDateNotice returns the earliest date of a draft, at or before by, of which an endpoint is
// still to be told that it has come. Dates from before there was an endpoint are not told
// any more.
func NextDateNotice(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next invoice date to notify")
	var dates []time.Time
	err = withoutNotice(tx, by).Where(invoice.Free(due.Notices)).Limit(1).Pluck("invoice_date", &dates).Error
	if err != nil || len(dates) == 0 {
		return at, false, err
	}
	return dates[0].UTC(), true, nil
}

// NotifyDateNext tells that the earliest date of a draft has come. It reports false when
// none has.
func NotifyDateNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "notify an invoice date")
	var rows []invoice.Invoice
	err = withoutNotice(tx, tx.Now).Where(invoice.Free(due.Notices)).
		Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
		Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return false, err
	}
	inv := rows[0]
	due.Concern(tx, inv.Subject())
	webhook.Announce(tx, webhook.InvoiceDateElapsed, inv.ID, webhook.Properties{"invoice_date": inv.InvoiceDate})
	inv.DateTold = true
	return true, inv.Save(tx, "date_told")
}

func withoutNotice(tx *store.Tx, by time.Time) *gorm.DB {
	since := tx.Model(&webhook.Endpoint{}).Where("enabled").Select("min(created_at)")
	return tx.Model(&invoice.Invoice{}).Where("status = 'draft' AND NOT date_told AND invoice_date <= ? AND invoice_date >= (?)", by, since).
		Order("invoice_date, seq")
}

// SkipDateNotice leaves the date of the draft untold of which a unit was parked.
func SkipDateNotice(tx *store.Tx, p due.Parked) (err error) {
	defer fault.Doing(&err, "skip the message of an invoice's date")
	var rows []invoice.Invoice
	err = invoice.Of(withoutNotice(tx, p.DueAt), p.Subject).
		Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return err
	}
	rows[0].DateTold = true
	return rows[0].Save(tx, "date_told")
}
