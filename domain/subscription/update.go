package subscription

import (
	"fmt"
	"reflect"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var (
	forUpdate           = clause.Locking{Strength: clause.LockingStrengthUpdate}
	forUpdateSkipLocked = clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}
	// The customer comes first: a worker that locked the subscription first would hide it from the worker that has the customer.
	customerSkipLocked = clause.Locking{
		Strength: "NO KEY UPDATE", Table: clause.Table{Name: "c, subscriptions", Raw: true}, Options: clause.LockingOptionsSkipLocked,
	}
)

// Update applies an edit to a subscription. Of what it changes, only settings,
// memo, net terms and metadata are kept (semantics 6.1.7). Drafts follow at
// once, issued invoices never.
func Update(tx *store.Tx, id string, edit func(*Subscription) error) (Terms, error) {
	terms, err := Lock(tx, id)
	if err != nil {
		return Terms{}, err
	}
	edited := terms.Subscription
	if err := edit(&edited); err != nil {
		return Terms{}, err
	}
	s := &terms.Subscription
	before := *s
	s.AutoCollection, s.AutoIssuance = edited.AutoCollection, edited.AutoIssuance
	s.DefaultInvoiceMemo, s.NetTermsDays, s.Metadata = edited.DefaultInvoiceMemo, edited.NetTermsDays, edited.Metadata
	if err := fault.Join(checkThreshold(edited.InvoicingThreshold), checkShown(edited.InvoicingThreshold, s.Currency)); err != nil {
		return Terms{}, err
	}
	s.InvoicingThreshold = edited.InvoicingThreshold
	if !reflect.DeepEqual(*s, before) {
		webhook.Announce(tx, webhook.SubscriptionEdited, id, before)
	}
	s.AccrualChanged = s.InvoicingThreshold != nil
	return terms, tx.Model(s).
		Select("auto_collection", "auto_issuance", "default_invoice_memo", "net_terms_days", "metadata", "invoicing_threshold", "accrual_changed").
		Updates(s).Error
}

// SetNextBilling records the next date on which invoices are opened.
func (s *Subscription) SetNextBilling(tx *store.Tx, at *time.Time) error {
	s.NextBillingAt = at
	return tx.Model(&Subscription{}).Where("id = ?", s.ID).
		Select("next_billing_at").Updates(&Subscription{NextBillingAt: at}).Error
}

// SetNextBillings is SetNextBilling for several subscriptions, of which at has the dates by their order.
func SetNextBillings(tx *store.Tx, all []Terms, at []*time.Time) error {
	ids := make([]string, len(all))
	for k := range all {
		ids[k], all[k].NextBillingAt = all[k].ID, at[k]
	}
	_, err := tx.Conn().ExecContext(tx.Context(), `
		UPDATE subscriptions AS s SET next_billing_at = next.at FROM unnest($1::text[], $2::timestamptz[]) AS next (id, at)
		WHERE s.account_id = $3 AND s.id = next.id`, ids, at, tx.AccountID)
	if err != nil {
		return fmt.Errorf("set the next billing dates: %w", err)
	}
	return nil
}

// SetNextChange records the next instant at which what was charged may have to be
// credited.
func (s *Subscription) SetNextChange(tx *store.Tx, at *time.Time) error {
	s.NextChangeAt = at
	return tx.Model(&Subscription{}).Where("id = ?", s.ID).
		Select("next_change_at").Updates(&Subscription{NextChangeAt: at}).Error
}

// SetNextGrant records the next instant at which credits are granted.
func (s *Subscription) SetNextGrant(tx *store.Tx, at *time.Time) error {
	s.NextGrantAt = at
	return tx.Model(&Subscription{}).Where("id = ?", s.ID).
		Select("next_grant_at").Updates(&Subscription{NextGrantAt: at}).Error
}

// SetNextReset records the next instant at which licenses are granted credits again.
func (s *Subscription) SetNextReset(tx *store.Tx, at *time.Time) error {
	s.NextResetAt = at
	return tx.Model(&Subscription{}).Where("id = ?", s.ID).
		Select("next_reset_at").Updates(&Subscription{NextResetAt: at}).Error
}

// DeleteOfCustomer removes a customer's subscriptions. Nothing of theirs may
// have been issued.
func DeleteOfCustomer(tx *store.Tx, customerID string) error {
	return tx.Where("customer_id = ?", customerID).Delete(&Subscription{}).Error
}
