package license

import (
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewLicense is what a client asks for.
type NewLicense struct {
	SubscriptionID string
	TypeID         string
	ExternalID     string
	StartDate      *period.Date // nil: today
	EndDate        *period.Date // exclusive; nil: open
}

// Create gives a license of a subscription, from the start of its first day in the
// customer's time zone on. One whose name is in use, or beyond the quantity that is paid
// for, is refused (semantics 17.1.2, 17.1.3).
func Create(tx *store.Tx, in NewLicense) (License, error) {
	t, err := subscription.Lock(tx, in.SubscriptionID)
	if err != nil {
		return License{}, err
	}
	if _, err := catalog.FindLicenseType(tx, in.TypeID); err != nil {
		return License{}, err
	}
	if t.Status(tx.Now) == subscription.StatusEnded {
		return License{}, fault.Refused("the subscription has ended")
	}
	loc := t.Customer.Location()
	made := License{
		Record: tx.Record("lic"), SubscriptionID: t.ID, TypeID: in.TypeID, ExternalID: in.ExternalID,
		StartAt: period.DateOf(tx.Now, loc).In(loc),
	}
	if in.StartDate != nil {
		made.StartAt = in.StartDate.In(loc)
	}
	if in.EndDate != nil {
		end := in.EndDate.In(loc)
		made.EndAt = &end
	}
	if made.EndAt != nil && !made.EndAt.After(made.StartAt) {
		return License{}, fault.Bad("end_date", "must be after start_date")
	}
	if err := made.fits(tx, t); err != nil {
		return License{}, err
	}
	if err := overlapping(tx.Create(&made).Error); err != nil {
		return License{}, err
	}
	return made, counted(tx, t)
}

// Deactivate lets a license end at the start of a day of the customer's, else when today
// is over. An end that was planned does not count any more.
func Deactivate(tx *store.Tx, id string, end *period.Date) (License, error) {
	l, err := Find(tx, id)
	if err != nil {
		return License{}, err
	}
	t, err := subscription.Lock(tx, l.SubscriptionID)
	if err != nil {
		return License{}, err
	}
	if l, err = Find(tx, id); err != nil { // as it is under the lock
		return License{}, err
	}
	if l.EndAt != nil && !l.EndAt.After(tx.Now) {
		return License{}, fault.Refused("the license is inactive already")
	}
	loc := t.Customer.Location()
	at := period.DateOf(tx.Now, loc).AddDays(1).In(loc)
	if end != nil {
		at = end.In(loc)
	}
	if !at.After(l.StartAt) {
		return License{}, fault.Bad("end_date", "must be after the start of the license")
	}
	l.EndAt, l.ChangedAt = &at, &tx.Now
	if err := l.fits(tx, t); err != nil {
		return License{}, err
	}
	if err := overlapping(tx.Model(&l).Select("end_at", "changed_at").Updates(&l).Error); err != nil {
		return License{}, err
	}
	return l, counted(tx, t)
}

// counted schedules the alerts on costs of a subscription or on the balance it draws from.
func counted(tx *store.Tx, t subscription.Terms) error {
	if err := t.Accrue(tx); err != nil {
		return err
	}
	return alert.ScheduleEvaluation(tx, t.ID)
}

// fits refuses a license beyond those that are paid for. It is asked for every instant
// of its life at which one begins to be there.
func (l License) fits(tx *store.Tx, t subscription.Terms) error {
	var others []License
	query := tx.Where("subscription_id = ? AND license_type_id = ? AND id <> ?", l.SubscriptionID, l.TypeID, l.ID)
	if err := overlaps(query, l.StartAt, l.EndAt).Find(&others).Error; err != nil {
		return err
	}
	begin := func(o License) time.Time {
		if o.StartAt.Before(t.StartAt) {
			return t.StartAt // nothing is paid for before
		}
		return o.StartAt
	}
	for _, first := range append(others, l) {
		at := begin(first)
		if at.Before(begin(l)) || l.EndAt != nil && !at.Before(*l.EndAt) {
			continue
		}
		there := 1
		for _, o := range others {
			if o.Status(at) == StatusActive {
				there++
			}
		}
		if paid, bounded := paidFor(t, l.TypeID, at); bounded && paid.Cmp(money.FromInt(int64(there))) < 0 {
			return fault.Refused("the subscription pays for %s licenses of this type, and all of them are given", paid)
		}
	}
	return nil
}

// paidFor is how many licenses of a type the fees of a subscription are for, false
// without such a fee.
func paidFor(t subscription.Terms, typeID string, at time.Time) (quantity money.Decimal, bounded bool) {
	instant := period.Period{Start: at, End: at.Add(time.Microsecond)}
	for _, i := range t.Intervals {
		if i.Price.Fixed() && i.Price.LicenseTypeID != nil && *i.Price.LicenseTypeID == typeID && i.Overlaps(instant) {
			quantity, bounded = quantity.Add(i.QuantityAt(at)), true
		}
	}
	return quantity, bounded
}

// overlaps narrows a query of licenses to those that are active between two instants;
// nil: from the first on.
func overlaps(query *gorm.DB, start time.Time, end *time.Time) *gorm.DB {
	query = query.Where("end_at IS NULL OR end_at > ?", start)
	if end != nil {
		query = query.Where("start_at < ?", *end)
	}
	return query
}

// inState narrows a query of licenses to those in a state now.
func inState(tx *store.Tx, status Status) *gorm.DB {
	active := "start_at <= ? AND (end_at IS NULL OR end_at > ?)"
	if status == StatusInactive {
		active = "NOT (" + active + ")"
	}
	return tx.Where(active, tx.Now, tx.Now)
}
