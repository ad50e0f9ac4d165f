package catalog

import (
	"slices"
	"time"

	"tollkeeper/store"
)

// firstVersion is what the prices given at creation are (semantics 5.2.1).
const firstVersion = 1

// PlanVersion is one of the sets of prices and adjustments that a plan has had.
type PlanVersion struct {
	AccountID   string `gorm:"primaryKey"`
	PlanID      string `gorm:"primaryKey"`
	Version     int    `gorm:"primaryKey;autoIncrement:false"`
	CreatedAt   time.Time
	Prices      []Price      `gorm:"-"` // in the order they are shown
	Adjustments []Adjustment `gorm:"-"` // in the order of their making
	Phases      []Phase      `gorm:"-"` // the plan's, in order
}

// planVersionPrice is the place of a price in a version of a plan.
type planVersionPrice struct {
	AccountID string
	PlanID    string
	Version   int
	PriceID   string
	Position  int // from 0, in the order of the request
}

// placePrices puts prices in the plan's default version, in this order.
func placePrices(tx *store.Tx, plan Plan, prices []Price) error {
	places := make([]planVersionPrice, len(prices))
	for i, price := range prices {
		places[i] = planVersionPrice{AccountID: tx.AccountID, PlanID: plan.ID, Version: plan.Version, PriceID: price.ID, Position: i}
	}
	return tx.Create(&places).Error
}

// PlanPrices returns the prices of a plan's default version, in its order.
func PlanPrices(tx *store.Tx, plan Plan) ([]Price, error) {
	prices, err := PricesOfPlans(tx, []Plan{plan})
	return prices[plan.ID], err
}

// PricesOfPlans returns the prices of the default versions of plans, by plan and
// each in its order. It asks twice, however many plans there are.
func PricesOfPlans(tx *store.Tx, plans []Plan) (map[string][]Price, error) {
	versions := make([][]any, len(plans))
	for i, plan := range plans {
		versions[i] = []any{plan.ID, plan.Version}
	}
	byPlan := map[string][]Price{}
	if len(plans) == 0 {
		return byPlan, nil
	}
	var places []planVersionPrice
	if err := tx.Where("(plan_id, version) IN ?", versions).Order("plan_id, position").Find(&places).Error; err != nil {
		return nil, err
	}
	ids := make([]string, len(places))
	for i, place := range places {
		ids[i] = place.PriceID
	}
	slices.Sort(ids)
	prices, err := FindPrices(tx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	for _, place := range places {
		byPlan[place.PlanID] = append(byPlan[place.PlanID], prices[place.PriceID])
	}
	return byPlan, nil
}
