package invoice

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// UsageDay is what a day in the zone of the customer added to the quantity of a line (semantics
// 8.1.18). Of a count or a sum, that is the usage of the day; of a maximum, by how much it rose.
type UsageDay struct {
	On       period.Date   `json:"on"`
	Quantity money.Decimal `json:"quantity"` // not 0
}

// mostDays bounds the days that one document lists, with usage or without. The first lines that
// have room are listed.
const mostDays = 3_000

// measurements are services as they are measured: up to their ends, and where the invoice lists its usage by
// day, up to the end of each day. The second result has the days of each service that are listed.
func (i Invoice) measurements(t subscription.Terms, services []subscription.ServicePeriod) (asked []charge.Measurement, listed [][]period.Date) {
	left := mostDays
	loc := t.Customer.Location()
	for _, s := range services {
		until := []time.Time{s.Period.End}
		var dates []period.Date
		if i.ListsDays && s.Interval.Price.Type == catalog.PriceUsage {
			if days := s.Period.LocalDays(loc); len(days) > 0 && len(days) <= left {
				left -= len(days)
				until = nil
				for _, day := range days { // the last one ends with the service
					until, dates = append(until, day.End), append(dates, period.DateOf(day.Start, loc))
				}
			}
		}
		asked, listed = append(asked, charge.Measurement{ServicePeriod: s, Until: until}), append(listed, dates)
	}
	return asked, listed
}

// usageDays returns the days that added to the quantity of a service, which was measured up to the end of each.
// There are none where the service is listed without days.
func usageDays(days []period.Date, upTo []charge.Item) []UsageDay {
	listed := []UsageDay{}
	var before money.Decimal
	for k, day := range days {
		quantity := charge.Rate(upTo[k]).Quantity
		if added := quantity.Sub(before); !added.IsZero() {
			listed = append(listed, UsageDay{day, added})
		}
		before = quantity
	}
	return listed
}

// DaysOf reads the days of the lines of an issued invoice, by line. A line that is listed without days is not there.
func DaysOf(tx *store.Tx, invoiceID string) (map[string][]UsageDay, error) {
	var lines []Line
	err := tx.Select("id", "days").Where("invoice_id = ? AND days <> '[]'", invoiceID).Find(&lines).Error
	days := map[string][]UsageDay{}
	for _, l := range lines {
		days[l.ID] = l.Days
	}
	return days, err
}
