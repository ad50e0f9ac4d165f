package rating

import (
	"encoding/json"
	"maps"
	"slices"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
)

// Model is an accepted configuration of a price model.
type Model interface {
	// Split names the properties by whose values the metric is asked, one Cell for
	// each tuple; nil for one total. Only models with nil can price a fixed fee.
	Split() []string

	// charge applies the formula to a full period.
	charge(u Usage) Charge

	// linear models pass quantities below zero through. All others charge nothing for
	// them: a tier or package below zero has no meaning (price models 1.2).
	linear() bool

	// prorated tells whether usage of a shorter period is charged in part.
	prorated() bool
}

// models is the registry: how to read the configuration of each model_type.
var models = map[string]func(config *object) Model{
	"unit":    readUnit,
	"tiered":  readTiered,
	"bulk":    readBulk,
	"package": readPackage,
	"matrix":  readMatrix,
}

// Types lists every model_type that can be decoded, sorted.
func Types() []string { return slices.Sorted(maps.Keys(models)) }

// Known reports whether modelType can be decoded.
func Known(modelType string) bool {
	_, ok := models[modelType]
	return ok
}

// Decode reads the configuration of a price and checks all of it. Its faults name
// every wrong field by the path inside config, such as tiers[0].unit_amount; for an
// unknown model the field is model_type.
func Decode(modelType string, config json.RawMessage) (Model, error) {
	read, ok := models[modelType]
	if !ok {
		return nil, fault.Bad("model_type", "is no price model that is offered")
	}
	doc := &document{wrong: map[string]bool{}}
	root := doc.object("", config)
	model := read(root)
	root.close()
	if len(doc.violations) > 0 {
		return nil, fault.Invalid(doc.violations...)
	}
	return model, nil
}

// Rate charges u. Usage of a shorter period is prorated if the model says so, a
// fixed fee always, and nothing twice (price models 1.4).
func Rate(m Model, u Usage) Charge {
	measured := u.Quantity
	if !m.linear() {
		u = u.notNegative()
	}
	c := m.charge(u)
	if m.Split() == nil {
		c.Quantity = measured
	}
	if !u.Fraction.IsWhole() && (u.Fixed || m.prorated()) {
		c.prorate(u.Fraction)
	}
	return c
}

// notNegative returns u with 0 for every quantity below it.
func (u Usage) notNegative() Usage {
	u.Quantity = money.Max(u.Quantity, money.Decimal{})
	u.Cells = slices.Clone(u.Cells)
	for i, cell := range u.Cells {
		u.Cells[i].Quantity = money.Max(cell.Quantity, money.Decimal{})
	}
	return u
}
