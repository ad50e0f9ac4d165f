package rating

import "tollkeeper/domain/money"

// DailyCreditAllowance is a matrix counted in credits, of which so many are free on
// each day with usage. What a day leaves of them is lost, and usage of no day has
// none (price models 4.30).
type DailyCreditAllowance struct {
	Rates            Table
	DailyAllowance   Amount
	EventDayProperty string // whose values are the days
}

func readDailyCreditAllowance(config *object) Model {
	return DailyCreditAllowance{
		Rates:            config.rateTable(),
		DailyAllowance:   config.amount("daily_allowance"),
		EventDayProperty: config.property("event_day_property"),
	}
}

func (m DailyCreditAllowance) Needs() Needs {
	return Needs{Split: append([]string{m.EventDayProperty}, m.Rates.Dimensions...)}
}
func (m DailyCreditAllowance) linear() bool   { return false }
func (m DailyCreditAllowance) prorated() bool { return false }

func (m DailyCreditAllowance) charge(u Usage) Charge {
	days := byGroup(u.Cells)
	c := m.Rates.eachCell(mergeCells(days), atRate)
	var free money.Decimal
	for _, day := range days {
		if day.value != nil {
			spent := m.Rates.eachCell(day.cells, atRate).Subtotal
			free = free.Add(money.Min(spent, m.DailyAllowance.Decimal))
		}
	}
	if !free.IsZero() {
		c.add(Part{Kind: PartOther, Name: "Daily allowance", Amount: free.Neg()})
	}
	return c
}
