package backfill

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/due"
	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Status is how far a backfill is.
type Status string

const (
	StatusPending       Status = "pending"        // open, or closed and about to be reflected
	StatusReflected     Status = "reflected"      // its events count
	StatusPendingRevert Status = "pending_revert" // about to be taken back
	StatusReverted      Status = "reverted"       // its events never count again
)

// Backfill is events that are sent together to add to usage or to replace it.
type Backfill struct {
	store.Record
	CustomerID        *string   // nil: all customers
	TimeframeStart    time.Time // inclusive
	TimeframeEnd      time.Time // exclusive
	Replaces          bool      // existing events of the timeframe stop counting
	DeprecationFilter *string   // those for which this condition holds; nil: all of them
	CloseTime         time.Time // when it closes by itself; once Closed, when it did
	Closed            bool      // its revision has been put in place
	Status            Status
	EventsIngested    int64
	RevertedAt        *time.Time // when the revert was asked for; nil unless it was
}

// Timeframe is where its events lie.
func (b Backfill) Timeframe() period.Period {
	return period.Period{Start: b.TimeframeStart, End: b.TimeframeEnd}
}

// open reports whether it takes events at an instant.
func (b Backfill) open(now time.Time) bool {
	return b.Status == StatusPending && !b.Closed && now.Before(b.CloseTime)
}

// place is where its events lie, as things are now.
func (b Backfill) place(tx *store.Tx) (event.Backfill, error) {
	place := event.Backfill{ID: b.ID, Period: b.Timeframe()}
	if b.CustomerID != nil {
		customers, err := customer.FindAll(tx, []string{*b.CustomerID})
		if err != nil {
			return event.Backfill{}, err
		}
		of := customers[*b.CustomerID]
		if of.DeletedAt != nil {
			of.ExternalCustomerID = nil // it is free, and may be another's by now
		}
		place.Subjects = event.Subjects(of.ID, of.ExternalCustomerID)
	}
	return place, nil
}

// revision is what it changes when it closes now.
func (b Backfill) revision(tx *store.Tx) (usage.Replacement, error) {
	place, err := b.place(tx)
	r := usage.Replacement{ID: place.ID, Subjects: place.Subjects, Period: place.Period, Replaces: b.Replaces}
	if b.DeprecationFilter != nil {
		r.Filter = *b.DeprecationFilter
	}
	return r, err
}

// Find returns the backfill with that id, or fault.Missing.
func Find(tx *store.Tx, id string) (Backfill, error) { return find(tx.DB, id) }

// lock is Find, and keeps events from being taken until the transaction ends.
func lock(tx *store.Tx, id string) (Backfill, error) { return find(tx.Clauses(forUpdate), id) }

var forUpdate = clause.Locking{Strength: clause.LockingStrengthUpdate}

func find(query *gorm.DB, id string) (b Backfill, err error) {
	err = query.Where("id = ?", id).Take(&b).Error
	return b, store.Found(err, "Backfill", id)
}

// List returns a page of backfills, newest first.
func List(tx *store.Tx, page store.Page) (backfills []Backfill, next string, err error) {
	return store.List[Backfill](tx.Model(&Backfill{}), page)
}

// Open tells what events may be recorded into a backfill, for
// event.Recorder.Into. One that takes none any more is refused
// (semantics 2.2, step 3).
func Open(tx *store.Tx, id string) (event.Backfill, error) {
	b, err := Find(tx, id)
	if err == nil && !b.open(tx.Now) {
		err = fault.Refused("this backfill takes no more events")
	}
	if err != nil {
		return event.Backfill{}, err
	}
	return b.place(tx)
}

// free is the condition that no parked unit holds up a backfill: one for all customers waits only for a unit
// that concerns the whole account.
var free = due.Billing.FreeCustomer("backfills.account_id", "backfills.customer_id")

// next returns the backfill of that status whose instant, a column, comes first, at or
// before by.
func next(tx *gorm.DB, status Status, column string, by time.Time) (first Backfill, found bool, err error) {
	var rows []Backfill
	err = tx.Where("status = ? AND "+column+" <= ?", status, by).Where(free).Order(column + ", seq").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return Backfill{}, false, err
	}
	return rows[0], true, nil
}

var skipLocked = clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}
