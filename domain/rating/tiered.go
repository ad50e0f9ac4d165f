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

	part Part // of a charge in this tier, but for quantity and amount
}

func readTiered(config *object) Model {
	m := Tiered{Prorated: config.flag("prorated")}
	type placed struct {
		Tier
		at *object
	}
	var tiers []placed
	ends := tierEnds{seen: map[string]bool{}}
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
		t.part = tierPart(t.FirstUnit, t.LastUnit, t.UnitAmount)
		m.Tiers = append(m.Tiers, t.Tier)
	}
	return m
}

func (m Tiered) Needs() Needs   { return Needs{} }
func (m Tiered) linear() bool   { return false }
func (m Tiered) prorated() bool { return m.Prorated }

func (m Tiered) charge(u Usage) Charge {
	c := Charge{Parts: make([]Part, 0, len(m.Tiers))}
	var from money.Decimal
	for _, t := range m.Tiers {
		to := u.Quantity
		if t.LastUnit != nil {
			to = money.Min(u.Quantity, *t.LastUnit)
		}
		if to.Cmp(from) <= 0 {
			break
		}
		p := t.part
		p.Quantity = to.Sub(from)
		p.Amount = p.Quantity.Mul(t.UnitAmount.Decimal)
		c.add(p)
		from = to
	}
	return c
}

// tierPart is a part of a charge in the tier from first to last, still of no quantity.
func tierPart(first money.Decimal, last *money.Decimal, rate Amount) Part {
	return Part{
		Kind: PartTier,
		Name: tierName(first, last),
		Rate: rate.Text,
		Tier: &TierRange{FirstUnit: first, LastUnit: last, UnitAmount: rate.Text},
	}
}

// tierName is "0 - 100", or "500+" without end (price models 1.6).
func tierName(first money.Decimal, last *money.Decimal) string {
	if last == nil {
		return first.String() + "+"
	}
	return first.String() + " - " + last.String()
}
