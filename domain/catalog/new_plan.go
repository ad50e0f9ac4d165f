package catalog

import (
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewPlan is what a client asks for.
type NewPlan struct {
	Name               string
	Currency           money.Currency
	ExternalPlanID     *string
	Description        *string
	NetTermsDays       *int
	DefaultInvoiceMemo *string
	Status             PlanStatus // active or draft
	Metadata           map[string]*string
	Phases             []NewPhase       // in any order; none: the plan has one price list for ever
	Prices             []PlanPrice      // in the order they are shown; may be empty
	Adjustments        []PlanAdjustment // in the order in which equals work
}

// CreatePlan makes a plan with its first version, all or nothing. The faults of a
// price name its place, such as prices[0].price.name.
func CreatePlan(tx *store.Tx, in NewPlan) (Plan, error) {
	plan, err := in.record(tx)
	if err != nil {
		return Plan{}, err
	}
	phases, err := newPhases(tx, plan.ID, in.Phases)
	if err != nil {
		return Plan{}, err
	}
	d, err := newVersionBuilder(tx, plan, PlanVersion{Phases: phases}, in.Prices...)
	if err != nil {
		return Plan{}, err
	}
	each(d, "prices", in.Prices, d.addPrice)
	each(d, "adjustments", in.Adjustments, d.addAdjustment)
	if err := d.check(); err != nil {
		return Plan{}, err
	}
	if err := tx.Create(&plan).Error; err != nil {
		return Plan{}, err
	}
	if err := insert(tx, phases); err != nil {
		return Plan{}, err
	}
	return plan, d.publish(firstVersion)
}

func (in NewPlan) record(tx *store.Tx) (Plan, error) {
	if !in.Currency.Valid() {
		return Plan{}, fault.Bad("currency", "must be an ISO 4217 code")
	}
	metadata, err := store.Metadata(nil).Merge(in.Metadata)
	if err != nil {
		return Plan{}, err
	}
	return Plan{
		Record:             tx.Record("plan"),
		Name:               in.Name,
		ExternalPlanID:     in.ExternalPlanID,
		Description:        in.Description,
		Currency:           in.Currency,
		InvoicingCurrency:  in.Currency,
		NetTermsDays:       in.NetTermsDays,
		DefaultInvoiceMemo: in.DefaultInvoiceMemo,
		Status:             in.Status,
		Version:            firstVersion,
		ProductID:          store.NewID("prod"),
		Metadata:           metadata,
	}, nil
}
