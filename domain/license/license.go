package license

import (
	"time"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// License is the right of one, named by the client, to use a subscription.
type License struct {
	store.Record
	SubscriptionID string
	TypeID         string     `gorm:"column:license_type_id"`
	ExternalID     string     `gorm:"column:external_license_id"` // the value that events have for the type's grouping key
	StartAt        time.Time  // inclusive; a midnight of the customer's, as EndAt
	EndAt          *time.Time // exclusive; nil: open
	ChangedAt      *time.Time // when the end was last moved; nil: never
}

// Status follows from the dates alone.
type Status string

const (
	StatusActive   Status = "active"
	StatusInactive Status = "inactive" // no more, or not yet
)

// Status returns what it is at an instant.
func (l License) Status(at time.Time) Status {
	if l.StartAt.After(at) || l.EndAt != nil && !l.EndAt.After(at) {
		return StatusInactive
	}
	return StatusActive
}

// Find returns the license with that id, or fault.Missing.
func Find(tx *store.Tx, id string) (found License, err error) {
	err = tx.Where("id = ?", id).Take(&found).Error
	return found, store.Found(err, "License", id)
}

// FindActive returns the license of that name that is active now, or fault.Missing
// (semantics 17.1.2).
func FindActive(tx *store.Tx, subscriptionID, typeID, externalID string) (found License, err error) {
	err = inState(tx, StatusActive).
		Where("subscription_id = ? AND license_type_id = ? AND external_license_id = ?", subscriptionID, typeID, externalID).
		Take(&found).Error
	return found, store.Found(err, "License", externalID)
}

// Filter narrows a list. Empty fields do not.
type Filter struct {
	SubscriptionID string // required
	TypeID         string
	ExternalID     string
	Status         Status
}

// List returns a page of licenses, newest first.
func List(tx *store.Tx, filter Filter, page store.Page) (licenses []License, next string, err error) {
	query := tx.DB
	if filter.Status != "" {
		query = inState(tx, filter.Status)
	}
	query = query.Where("subscription_id = ?", filter.SubscriptionID)
	if filter.TypeID != "" {
		query = query.Where("license_type_id = ?", filter.TypeID)
	}
	if filter.ExternalID != "" {
		query = query.Where("external_license_id = ?", filter.ExternalID)
	}
	return store.List[License](query, page)
}

// overlapping says in the words of a fault what the database refuses.
func overlapping(err error) error {
	if store.Excluded(err, "licenses_overlap") {
		return fault.Refused("a license of this type with this external_license_id is active in that time")
	}
	return err
}
