package catalog

import (
	"cmp"
	"fmt"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/store"
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
	Prices             []NewPrice // in the order they are shown; may be empty
}

// CreatePlan makes a plan with its prices, all or nothing. The faults of a price
// name its place, such as prices[0].price.name.
func CreatePlan(tx *store.Tx, in NewPlan) (Plan, error) {
	plan, err := in.record(tx)
	if err != nil {
		return Plan{}, err
	}
	prices, err := in.prices(tx, plan)
	if err != nil {
		return Plan{}, err
	}
	if err := needNamed(tx, in.Prices...); err != nil {
		return Plan{}, err
	}
	if err := tx.Create(&plan).Error; err != nil {
		return Plan{}, err
	}
	if err := tx.Create(&PlanVersion{PlanID: plan.ID, Version: plan.Version, CreatedAt: tx.Now}).Error; err != nil {
		return Plan{}, err
	}
	if len(prices) == 0 {
		return plan, nil
	}
	if err := tx.Create(&prices).Error; err != nil {
		return Plan{}, err
	}
	return plan, placePrices(tx, plan, prices)
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

// prices checks all prices, so that the client learns of every mistake at once.
func (in NewPlan) prices(tx *store.Tx, plan Plan) ([]Price, error) {
	prices := make([]Price, len(in.Prices))
	faults := make([]error, len(in.Prices))
	for i, wanted := range in.Prices {
		wanted.Currency = cmp.Or(wanted.Currency, plan.Currency)
		price, err := wanted.record(tx)
		if err == nil && price.Currency != plan.Currency {
			err = fault.Bad("currency", "must be the plan's")
		}
		price.PlanID = &plan.ID
		prices[i], faults[i] = price, fault.In(fmt.Sprintf("prices[%d].price", i), err)
	}
	return prices, fault.Join(faults...)
}
