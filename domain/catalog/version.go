package catalog

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// firstVersion is what the prices given at creation are (semantics 5.2.1).
const firstVersion = 1

// PlanVersion is one of the sets of prices and adjustments that a plan has had.
// Versions share what they do not change.
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
	Position  int // from 0
}

// planVersionAdjustment tells that a version of a plan has an adjustment.
type planVersionAdjustment struct {
	AccountID    string
	PlanID       string
	Version      int
	AdjustmentID string
}

// FindVersion returns a version of the plan with that id, or fault.Missing.
func FindVersion(tx *store.Tx, planID string, number int) (PlanVersion, error) {
	if number > math.MaxInt32 || number < firstVersion {
		return PlanVersion{}, fault.Missing("PlanVersion", strconv.Itoa(number))
	}
	versions, err := findVersions(tx, [][]any{{planID, number}})
	if err == nil && len(versions) == 0 {
		err = fault.Missing("PlanVersion", strconv.Itoa(number))
	}
	if err != nil {
		return PlanVersion{}, err
	}
	return versions[0], nil
}

// VersionNumbers are those of the versions of a plan, the newest first; at most so many.
func VersionNumbers(tx *store.Tx, planID string, most int) (numbers []int, err error) {
	err = tx.Model(&PlanVersion{}).Where("plan_id = ?", planID).Order("version DESC").Limit(most).Pluck("version", &numbers).Error
	return numbers, err
}

// DefaultVersions returns the default versions of plans, by plan. It asks as often
// for many plans as for one.
func DefaultVersions(tx *store.Tx, plans []Plan) (map[string]PlanVersion, error) {
	keys := make([][]any, len(plans))
	for i, plan := range plans {
		keys[i] = []any{plan.ID, plan.Version}
	}
	versions, err := findVersions(tx, keys)
	byPlan := make(map[string]PlanVersion, len(versions))
	for _, version := range versions {
		byPlan[version.PlanID] = version
	}
	return byPlan, err
}

// findVersions loads versions of different plans, each named by its plan and number.
func findVersions(tx *store.Tx, keys [][]any) (versions []PlanVersion, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	if err := tx.Where("(plan_id, version) IN ?", keys).Find(&versions).Error; err != nil {
		return nil, err
	}
	prices, err := pricesIn(tx, keys)
	if err != nil {
		return nil, err
	}
	adjustments, err := adjustmentsIn(tx, keys)
	if err != nil {
		return nil, err
	}
	phases, err := phasesOf(tx, versions)
	if err != nil {
		return nil, err
	}
	for i, v := range versions {
		versions[i].Prices, versions[i].Adjustments, versions[i].Phases = prices[v.PlanID], adjustments[v.PlanID], phases[v.PlanID]
	}
	return versions, nil
}

func pricesIn(tx *store.Tx, keys [][]any) (map[string][]Price, error) {
	var places []planVersionPrice
	if err := tx.Where("(plan_id, version) IN ?", keys).Order("plan_id, position").Find(&places).Error; err != nil {
		return nil, err
	}
	ids := make([]string, len(places))
	for i, place := range places {
		ids[i] = place.PriceID
	}
	prices, err := FindPrices(tx, ids)
	byPlan := map[string][]Price{}
	for _, place := range places {
		byPlan[place.PlanID] = append(byPlan[place.PlanID], prices[place.PriceID])
	}
	return byPlan, err
}

func adjustmentsIn(tx *store.Tx, keys [][]any) (map[string][]Adjustment, error) {
	var places []planVersionAdjustment
	if err := tx.Where("(plan_id, version) IN ?", keys).Find(&places).Error; err != nil {
		return nil, err
	}
	ids := make([]string, len(places))
	for i, place := range places {
		ids[i] = place.AdjustmentID
	}
	adjustments, err := FindAdjustments(tx, ids)
	byPlan := map[string][]Adjustment{}
	for _, place := range places {
		byPlan[place.PlanID] = append(byPlan[place.PlanID], adjustments[place.AdjustmentID])
	}
	for _, of := range byPlan {
		slices.SortFunc(of, func(a, b Adjustment) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return byPlan, err
}

func phasesOf(tx *store.Tx, versions []PlanVersion) (map[string][]Phase, error) {
	planIDs := make([]string, len(versions))
	for i, version := range versions {
		planIDs[i] = version.PlanID
	}
	var phases []Phase
	err := tx.Where("plan_id IN ?", planIDs).Order("plan_id, phase_order").Find(&phases).Error
	byPlan := map[string][]Phase{}
	for _, phase := range phases {
		byPlan[phase.PlanID] = append(byPlan[phase.PlanID], phase)
	}
	return byPlan, err
}

// publish saves the draft and makes it a version of its plan.
func (d *versionBuilder) publish(number int) error {
	if err := d.save(); err != nil {
		return err
	}
	version := PlanVersion{PlanID: d.plan.ID, Version: number, CreatedAt: d.tx.Now}
	if err := d.tx.Create(&version).Error; err != nil {
		return err
	}
	prices := make([]planVersionPrice, len(d.prices))
	for i, price := range d.prices {
		prices[i] = planVersionPrice{PlanID: d.plan.ID, Version: number, PriceID: price.ID, Position: i}
	}
	adjustments := make([]planVersionAdjustment, len(d.adjustments))
	for i, a := range d.adjustments {
		adjustments[i] = planVersionAdjustment{PlanID: d.plan.ID, Version: number, AdjustmentID: a.ID}
	}
	if err := insert(d.tx, prices); err != nil {
		return err
	}
	return insert(d.tx, adjustments)
}
