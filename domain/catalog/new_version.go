package catalog

import (
	"math"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewVersion is what a client asks for: the highest version there is, changed.
type NewVersion struct {
	Version int // greater than the highest
	Difference
	SetAsDefault bool
}

// CreateVersion makes a version of a plan, all or nothing (semantics 5.2). What it
// does not touch keeps its id. The plan stays locked until the transaction ends.
func CreateVersion(tx *store.Tx, planID string, in NewVersion) (PlanVersion, error) {
	plan, err := lockPlan(tx, planID)
	if err != nil {
		return PlanVersion{}, err
	}
	base, err := highestVersion(tx, planID)
	if err != nil {
		return PlanVersion{}, err
	}
	switch {
	case in.Version > math.MaxInt32:
		return PlanVersion{}, fault.Bad("version", "must be at most %d", math.MaxInt32)
	case in.Version <= base.Version:
		return PlanVersion{}, fault.Refused("version must be greater than %d, the highest there is", base.Version)
	}
	d, err := in.Difference.builder(tx, plan, base, nil)
	if err != nil {
		return PlanVersion{}, err
	}
	if err := d.publish(in.Version); err != nil {
		return PlanVersion{}, err
	}
	webhook.Announce(tx, webhook.PlanVersionCreated, planID, webhook.Properties{
		"plan_version_number": in.Version, "plan_version_description": nil,
	})
	if in.SetAsDefault {
		if err := setDefault(tx, &plan, in.Version); err != nil {
			return PlanVersion{}, err
		}
	}
	return FindVersion(tx, planID, in.Version)
}

// SetDefaultVersion makes another version the one that new subscriptions get.
// Those there are stay with theirs.
func SetDefaultVersion(tx *store.Tx, planID string, number int) (Plan, error) {
	plan, err := lockPlan(tx, planID)
	if err != nil {
		return Plan{}, err
	}
	if _, err := FindVersion(tx, planID, number); fault.Is(err, fault.KindMissing) {
		return Plan{}, fault.Refused("the plan has no version %d", number)
	} else if err != nil {
		return Plan{}, err
	}
	err = setDefault(tx, &plan, number)
	return plan, err
}

func setDefault(tx *store.Tx, plan *Plan, number int) error {
	if number == plan.Version {
		return nil
	}
	webhook.Announce(tx, webhook.PlanDefaultVersionSet, plan.ID, webhook.Properties{
		"new_default_version_number": number, "previous_default_version_number": plan.Version,
	})
	plan.Version = number
	return tx.Model(plan).Select("version").Updates(plan).Error
}

func highestVersion(tx *store.Tx, planID string) (PlanVersion, error) {
	var number int
	err := tx.Model(&PlanVersion{}).Where("plan_id = ?", planID).Select("max(version)").Scan(&number).Error
	if err != nil {
		return PlanVersion{}, err
	}
	return FindVersion(tx, planID, number)
}
