package alert

import (
	"gorm.io/gorm/clause"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// MostGroups is the largest number of groups of a cost alert (semantics 12.2.11).
const MostGroups = 10_000

// Disabled is the content of the notification that an alert of a subscription was disabled.
type Disabled struct {
	Alert       Alert
	Cardinality *int // of its groups, if they were too many; nil: a client disabled it
}

// DisableForGroups turns an alert off for a subscription whose usage falls into more than
// MostGroups.
func (a Alert) DisableForGroups(tx *store.Tx, subscriptionID string, groups int) error {
	var err error
	if a.PlanID != nil {
		off := Exception{AccountID: tx.AccountID, AlertID: a.ID, SubscriptionID: subscriptionID}
		err = tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&off).Error
	} else {
		a.Enabled = false
		err = a.save(tx, "enabled")
	}
	a.announceDisabled(tx, subscriptionID, &groups)
	return err
}

func (a Alert) announceDisabled(tx *store.Tx, subscriptionID string, groups *int) {
	a.Enabled = false
	webhook.Announce(tx, webhook.SubscriptionAlertDisabled, subscriptionID, Disabled{Alert: a, Cardinality: groups})
}
