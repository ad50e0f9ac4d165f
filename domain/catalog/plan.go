package catalog

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// PlanStatus says what may be done with a plan.
type PlanStatus string

const (
	PlanActive   PlanStatus = "active"
	PlanDraft    PlanStatus = "draft"    // cannot be subscribed to yet
	PlanArchived PlanStatus = "archived" // takes no new subscriptions; those there are go on
)

// Plan is a set of prices that customers subscribe to.
type Plan struct {
	store.Record
	Name               string
	ExternalPlanID     *string // alias; plans may share one
	Description        *string
	Currency           money.Currency
	InvoicingCurrency  money.Currency
	NetTermsDays       *int // from issue to due date, 0 to 365; nil: the plan says nothing
	DefaultInvoiceMemo *string
	TrialDays          *int // before fees are charged, at least 1; nil: none
	Status             PlanStatus
	Version            int    // the version that new subscriptions get
	ProductID          string // made with the plan, and bears its name
	Metadata           store.Metadata
}

// FindPlan returns the plan with that id, or fault.Missing.
func FindPlan(tx *store.Tx, id string) (plan Plan, err error) {
	err = tx.Where("id = ?", id).Take(&plan).Error
	return plan, store.Found(err, "Plan", id)
}

// FindPlanByExternalID returns the plan with that alias: an active one before
// drafts, those before archived ones, and the newest among equals
// (semantics 5.1.3).
func FindPlanByExternalID(tx *store.Tx, alias string) (plan Plan, err error) {
	err = tx.Where("external_plan_id = ?", alias).
		Order("array_position(ARRAY['active', 'draft', 'archived'], status), created_at DESC, seq DESC").
		Take(&plan).Error
	return plan, store.Found(err, "Plan", alias)
}

// FindPlans returns the plans with those ids, by id. It asks once, and leaves
// out what does not exist.
func FindPlans(tx *store.Tx, ids []string) (map[string]Plan, error) {
	return findAll(tx, ids, func(p Plan) string { return p.ID })
}

// PlanIDsByExternal is a sub-query for the ids of all plans with that alias.
func PlanIDsByExternal(tx *store.Tx, alias string) *gorm.DB {
	return tx.Model(&Plan{}).Select("id").Where("external_plan_id = ?", alias)
}

// linesOfPlan is how many prices and adjustments a plan has; those with long rates or filters count for more.
const linesOfPlan = `(SELECT coalesce(sum(1 + ` + SizeOfPrice + ` / 100), 0) FROM plan_version_prices v
		JOIN prices p ON p.account_id = v.account_id AND p.id = v.price_id
		WHERE v.account_id = plans.account_id AND v.plan_id = plans.id AND v.version = plans.version)
	+ (SELECT coalesce(sum(1 + (pg_column_size(a.tiers) + pg_column_size(a.filters)) / 100), 0) FROM plan_version_adjustments v
		JOIN adjustments a ON a.account_id = v.account_id AND a.id = v.adjustment_id
		WHERE v.account_id = plans.account_id AND v.plan_id = plans.id AND v.version = plans.version)`

// ListPlans returns a page of plans, newest first, of one status or, with "", of
// all.
func ListPlans(tx *store.Tx, status PlanStatus, created store.Range, page store.Page) (plans []Plan, next string, err error) {
	query := created.On(tx.DB, "created_at")
	if status != "" {
		query = query.Where("status = ?", status)
	}
	return store.List[Plan](store.Long(query, linesOfPlan), page)
}

// UpdatePlan applies an edit to a plan. Of what it changes, only alias,
// description and metadata are kept: nothing else of a plan can change
// (semantics 5.1.2).
func UpdatePlan(tx *store.Tx, id string, edit func(*Plan) error) (Plan, error) {
	plan, err := lockPlan(tx, id)
	if err != nil {
		return Plan{}, err
	}
	edited := plan
	if err := edit(&edited); err != nil {
		return Plan{}, err
	}
	plan.ExternalPlanID, plan.Description, plan.Metadata = edited.ExternalPlanID, edited.Description, edited.Metadata
	return plan, tx.Model(&plan).Select("external_plan_id", "description", "metadata").Updates(&plan).Error
}

// Activate makes a draft plan one that can be subscribed to.
func Activate(tx *store.Tx, id string) (Plan, error) {
	return move(tx, id, PlanDraft, PlanActive)
}

// Archive closes an active plan to new subscriptions. There is no way back
// (gaps C1).
func Archive(tx *store.Tx, id string) (Plan, error) {
	return move(tx, id, PlanActive, PlanArchived)
}

func move(tx *store.Tx, id string, from, to PlanStatus) (Plan, error) {
	plan, err := lockPlan(tx, id)
	if err != nil {
		return Plan{}, err
	}
	if plan.Status != from {
		return Plan{}, fault.Refused("only a plan that is %s becomes %s, and this one is %s", from, to, plan.Status)
	}
	plan.Status = to
	return plan, tx.Model(&plan).Select("status").Updates(&plan).Error
}

// SetTrial gives a plan a trial of so many days for subscriptions that are made from now
// on, 0 for none.
func SetTrial(tx *store.Tx, id string, days int) (Plan, error) {
	plan, err := lockPlan(tx, id)
	if err != nil {
		return Plan{}, err
	}
	if days < 0 || days >= mostTrialDays {
		return Plan{}, fault.Bad("days", "must be from 0 to %d", mostTrialDays-1)
	}
	if plan.TrialDays = &days; days == 0 {
		plan.TrialDays = nil
	}
	return plan, tx.Model(&plan).Select("trial_days").Updates(&plan).Error
}

const mostTrialDays = 1_000_000

func lockPlan(tx *store.Tx, id string) (plan Plan, err error) {
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&plan).Error
	return plan, store.Found(err, "Plan", id)
}
