package rating

import "tollkeeper/domain/money"

// tierEnds checks the upper ends of tiers as they are read: above 0, all different, and
// at most one tier without.
type tierEnds struct {
	seen map[string]bool
	open bool // a tier without end was seen
}

func (e *tierEnds) check(tier *object, key string, end *money.Decimal) {
	if end == nil {
		if e.open {
			tier.bad(key, "may be missing in the last tier only")
		}
		e.open = true
		return
	}
	if end.Sign() <= 0 {
		tier.bad(key, "must be above 0")
	}
	if e.seen[end.String()] {
		tier.bad(key, "must differ from those of the other tiers")
	}
	e.seen[end.String()] = true
}

// compareEnds orders tiers by their ends; no end comes last.
func compareEnds(a, b *money.Decimal) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Cmp(*b)
}
