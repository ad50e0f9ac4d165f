package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// Tiered charges each unit at the rate of its own tier, with a part for each tier
// reached (price models 4.2).
type Tiered struct {
	Tiers    []Tier // ascending, without gaps
	Prorated bool
}

// Tier reaches from the LastUnit of the tier before it, exclusive, 0 for the first,
// to its own, inclusive. FirstUnit says the same, or one more: it is for showing.
type Tier struct {
	FirstUnit  money.Decimal
	LastUnit   *money.Decimal // nil in the last tier only
	UnitAmount Amount
}

func readTiered(config *object) Model {
	m := Tiered{Prorated: config.flag("prorated")}
	type placed struct {
		Tier
		at *object
	}
	var tiers []placed
	ends := ends{seen: map[string]bool{}}
	config.objects("tiers", func(tier *object) {
		t := Tier{FirstUnit: tier.number("first_unit"), LastUnit: tier.bound("last_unit"), UnitAmount: tier.amount("unit_amount")}
		ends.check(tier, "last_unit", t.LastUnit)
		tiers = append(tiers, placed{t, tier})
	})
	if len(tiers) > 0 && !ends.open {
		config.bad("tiers", "must have a last tier without last_unit")
	}
	slices.SortStableFunc(tiers, func(a, b placed) int { return compareEnds(a.LastUnit, b.LastUnit) })

	sound := config.sound()
	var from money.Decimal
	for _, t := range tiers {
		if sound && !t.FirstUnit.Equal(from) && !t.FirstUnit.Equal(from.Add(money.FromInt(1))) {
			t.at.bad("first_unit", "must be the last_unit of the tier before, or one more")
		}
		if t.LastUnit != nil {
			from = *t.LastUnit
		}
		m.Tiers = append(m.Tiers, t.Tier)
	}
	return m
}

func (m Tiered) Needs() Needs   { return Needs{} }
func (m Tiered) linear() bool   { return false }
func (m Tiered) prorated() bool { return m.Prorated }

func (m Tiered) charge(u Usage) Charge {
	var c Charge
	var from money.Decimal
	for _, t := range m.Tiers {
		to := u.Quantity
		if t.LastUnit != nil {
			to = money.Min(u.Quantity, *t.LastUnit)
		}
		if to.Cmp(from) <= 0 {
			break
		}
		n := to.Sub(from)
		c.add(Part{Kind: PartTier, Name: t.name(), Quantity: n, Rate: t.UnitAmount.Text, Amount: n.Mul(t.UnitAmount.Decimal), Tier: t.shown()})
		from = to
	}
	return c
}

// name is "0 - 100", or "500+" without end (price models 1.6).
func (t Tier) name() string {
	if t.LastUnit == nil {
		return t.FirstUnit.String() + "+"
	}
	return t.FirstUnit.String() + " - " + t.LastUnit.String()
}

func (t Tier) shown() *TierRange {
	return &TierRange{FirstUnit: t.FirstUnit, LastUnit: t.LastUnit, UnitAmount: t.UnitAmount.Text}
}
