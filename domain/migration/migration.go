package migration

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Migration puts the subscriptions of a plan on another version of it.
type Migration struct {
	store.Record
	PlanID      string
	FromVersion *int // nil: any other
	ToVersion   int
	Effective   *string // a date or an instant, [EndOfTerm] or [EndOfInvoice]; nil: at once
	CanceledAt  *time.Time

	Steps, Done, Failed int `gorm:"-"` // of its subscriptions
}

// TableName is the table of migrations.
func (Migration) TableName() string { return "plan_migrations" }

// When a migration takes effect that does so for each subscription at a time of its own.
const (
	EndOfTerm    = "end_of_term"    // with the current cycle of its longest cadence
	EndOfInvoice = "end_of_invoice" // with its current billing period
)

// Status is how far a migration has come.
type Status string

// The states of a migration, as the wire spells them.
const (
	NotStarted   Status = "not_started"
	InProgress   Status = "in_progress"
	Completed    Status = "completed"
	ActionNeeded Status = "action_needed" // a subscription could not be put on the version
	Canceled     Status = "canceled"
)

// Status follows from what became of its subscriptions.
func (m Migration) Status() Status {
	switch {
	case m.CanceledAt != nil:
		return Canceled
	case m.Failed > 0:
		return ActionNeeded
	case m.Done == m.Steps:
		return Completed
	case m.Done > 0:
		return InProgress
	default:
		return NotStarted
	}
}

// New is what an operator asks for.
type New struct {
	PlanID    string
	From      *int // only subscriptions on this version; nil: on any other
	To        int
	Effective string // as Migration has it; "": at once
}

// Create plans the migration of the subscriptions that are on a plan, or are to begin on
// it. Those that are subscribed later are not part of it.
func Create(tx *store.Tx, in New) (_ Migration, err error) {
	defer fault.Doing(&err, "create a migration of plan %s", in.PlanID)
	plan, err := catalog.FindPlan(tx, in.PlanID)
	if err != nil {
		return Migration{}, err
	}
	if err := in.check(tx); err != nil {
		return Migration{}, err
	}
	m := Migration{Record: tx.Record("mig"), PlanID: plan.ID, FromVersion: in.From, ToVersion: in.To}
	if in.Effective != "" {
		m.Effective = &in.Effective
	}
	if err := tx.Create(&m).Error; err != nil {
		return m, err
	}
	// The ids of steps are not shown; they only need to differ.
	err = tx.Exec(`
		INSERT INTO plan_migration_moves (account_id, id, created_at, migration_id, subscription_id, due_at, placed)
		SELECT account_id, 'move_' || substr(@migration, 5) || '_' || id, @now, @migration, id, @now, false
		FROM subscriptions
		WHERE account_id = @account AND plan_id = @plan AND plan_version <> @to AND (end_at IS NULL OR end_at > @now)
			AND (CAST(@from AS integer) IS NULL OR plan_version = @from)
		ORDER BY created_at, seq`,
		map[string]any{"account": tx.AccountID, "migration": m.ID, "now": tx.Now, "plan": plan.ID, "to": in.To, "from": in.From}).Error
	if err != nil {
		return m, err
	}
	return Find(tx, plan.ID, m.ID)
}

// check lets a time of yesterday pass, since it may be today elsewhere: it has come then.
func (in New) check(tx *store.Tx) error {
	for _, number := range []*int{&in.To, in.From} {
		if number == nil {
			continue
		}
		if _, err := catalog.FindVersion(tx, in.PlanID, *number); err != nil {
			return err
		}
	}
	switch in.Effective {
	case "", EndOfTerm, EndOfInvoice:
		return nil
	}
	at, err := period.ParseInstant(in.Effective, time.UTC)
	switch {
	case err != nil:
		return fault.Bad("effective", "must be a date, a date-time, %s or %s", EndOfTerm, EndOfInvoice)
	case at.AddDate(0, 0, 1).Before(tx.Now):
		return fault.Bad("effective", "must not be past")
	}
	return nil
}

// effectiveAt is when a subscription is put on the version, at the earliest now.
func (m Migration) effectiveAt(t subscription.Terms, now time.Time) (time.Time, error) {
	at := now
	switch {
	case m.Effective == nil:
	case *m.Effective == EndOfTerm:
		at = t.EndOfTerm(later(now, t.StartAt))
	case *m.Effective == EndOfInvoice:
		if current, running := t.BillingPeriod(now); running {
			at = current.End
		}
	default:
		given, err := period.ParseInstant(*m.Effective, t.Customer.Location())
		if err != nil {
			return at, err
		}
		at = later(now, given)
	}
	return at, nil
}

// Find returns the migration of a plan with that id, or fault.Missing.
func Find(tx *store.Tx, planID, id string) (m Migration, err error) {
	defer fault.Doing(&err, "find migration %s", id)
	err = tx.Where("plan_id = ? AND id = ?", planID, id).Take(&m).Error
	if err := store.Found(err, "PlanMigration", id); err != nil {
		return m, err
	}
	all := []Migration{m}
	err = count(tx, all)
	return all[0], err
}

// List returns a page of the migrations of a plan, newest first.
func List(tx *store.Tx, planID string, page store.Page) (all []Migration, next string, err error) {
	defer fault.Doing(&err, "list migrations of plan %s", planID)
	if _, err := catalog.FindPlan(tx, planID); err != nil {
		return nil, "", err
	}
	all, next, err = store.List[Migration](tx.Where("plan_id = ?", planID), page)
	if err != nil {
		return nil, "", err
	}
	return all, next, count(tx, all)
}

// count reads how far migrations have come.
func count(tx *store.Tx, all []Migration) error {
	ids := make([]string, len(all))
	for k, m := range all {
		ids[k] = m.ID
	}
	var counts []struct {
		MigrationID         string
		Steps, Done, Failed int
	}
	err := tx.Model(&Step{}).Where("migration_id IN ?", ids).Group("migration_id").
		Select("migration_id, count(*) AS steps, count(done_at) AS done, count(failure) AS failed").Scan(&counts).Error
	for _, c := range counts {
		for k := range all {
			if all[k].ID == c.MigrationID {
				all[k].Steps, all[k].Done, all[k].Failed = c.Steps, c.Done, c.Failed
			}
		}
	}
	return err
}

// Cancel cancels a migration that has not changed a subscription yet
// (semantics 5.2.6).
func Cancel(tx *store.Tx, planID, id string) (_ Migration, err error) {
	defer fault.Doing(&err, "cancel migration %s", id)
	var m Migration
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("plan_id = ? AND id = ?", planID, id).Take(&m).Error
	if err := store.Found(err, "PlanMigration", id); err != nil {
		return m, err
	}
	if m, err = Find(tx, planID, id); err != nil {
		return m, err
	}
	if status := m.Status(); status != NotStarted {
		return m, fault.Refused("only a migration that has not started can be canceled; this one is %s", status)
	}
	m.CanceledAt = &tx.Now
	if err := tx.Model(&m).Select("canceled_at").Updates(&m).Error; err != nil {
		return m, err
	}
	return m, tx.Model(&Step{}).Where("migration_id = ?", m.ID).Update("due_at", nil).Error
}

// later returns the later of two instants.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
