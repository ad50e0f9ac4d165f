package subscription

// PeriodsOf finds the prices that an adjustment is for: those in a real currency that it matches.
func (t Terms) PeriodsOf(a AdjustmentInterval) AdjustmentPeriods {
	return t.periodsOf(a, map[string]AdjustmentPeriods{})
}

// PeriodsOfAll finds the prices of all adjustments, in the order of these. What is found of their periods is kept, so
// that many documents of the same terms can share it.
func (t Terms) PeriodsOfAll() []AdjustmentPeriods {
	all, others := make([]AdjustmentPeriods, len(t.Adjustments)), map[string]AdjustmentPeriods{}
	for k, a := range t.Adjustments {
		all[k] = t.periodsOf(a, others)
	}
	return all
}

func (t Terms) periodsOf(a AdjustmentInterval, others map[string]AdjustmentPeriods) AdjustmentPeriods {
	if known, is := others[a.ID]; is {
		return known
	}
	p := AdjustmentPeriods{AdjustmentInterval: a, terms: t, found: &foundPeriods{
		map[servedTime]AdjustmentPeriod{}, map[string][]ServicePeriod{}, map[string][]AdjustmentPeriods{}, others,
	}}
	adjustment := a.Adjustment.Rating()
	for _, i := range t.Intervals {
		if i.Price.Currency.Valid() && adjustment.Matches(i.Price.Priced()) {
			p.matching = append(p.matching, i)
		}
	}
	others[a.ID] = p
	return p
}

// foundPeriods keeps what was found of the periods of an adjustment: documents of many days ask for the same.
type foundPeriods struct {
	of       map[servedTime]AdjustmentPeriod // of services that belong to one
	services map[string][]ServicePeriod      // of periods by name
	chains   map[string][]AdjustmentPeriods  // likewise
	others   map[string]AdjustmentPeriods    // of other adjustments of the subscription by id, with this one
}

// servedTime tells services apart as far as the period that they belong to depends on it.
type servedTime struct {
	intervalID string
	start, end int64 // in microseconds
}
