package rating

import "tollkeeper/domain/money"

// splitter takes the same part of the whole of several numbers. Each result is the
// difference of two running totals that are cut where a division does not end, so
// the results sum to what the part of the sum is, and to part itself where the
// numbers sum to whole.
type splitter struct {
	part, whole money.Decimal // neither is negative
	full, given money.Decimal // the running totals: of the numbers, of their parts
}

func (s *splitter) next(n money.Decimal) money.Decimal {
	s.full = s.full.Add(n)
	upTo := s.part
	if !s.part.IsZero() && !s.full.Equal(s.whole) {
		upTo = s.full.Mul(s.part).Quo(s.whole).WithoutTail()
	}
	next := upTo.Sub(s.given)
	s.given = upTo
	return next
}
