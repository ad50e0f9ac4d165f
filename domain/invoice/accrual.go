package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// accruals is what a price had cost at certain instants, service by service.
type accruals []accrued

type accrued struct {
	service period.Period
	at      []time.Time // rising, after the service's start
	amounts []amounts   // up to each of them
}

// accrual works out what the services of one price cost over the days, with one
// reading of its usage for each.
func accrual(tx *store.Tx, t subscription.Terms, services []subscription.Service, days []costDay) (accruals, error) {
	all := make(accruals, len(services))
	for k, s := range services {
		at := instants(s.Period, days)
		worked, err := accrue(tx, t, s, at)
		if err != nil {
			return nil, err
		}
		all[k] = accrued{s.Period, at, worked}
	}
	return all, nil
}

// instants are those at which the cost of a service is asked for: its days'
// edges and the edges of the billing periods inside it.
func instants(service period.Period, days []costDay) []time.Time {
	var at []time.Time
	add := func(t time.Time) {
		if t.After(service.Start) && t.Before(service.End) {
			at = append(at, t)
		}
	}
	for _, d := range days {
		add(d.cumulative.Start)
		add(d.day.Start)
		add(d.day.End)
	}
	at = append(at, service.End)
	slices.SortFunc(at, time.Time.Compare)
	return slices.CompactFunc(at, time.Time.Equal)
}

// between returns what was added from one instant to a later one. What a
// service is worth before its start is nothing, after its end all of it.
func (all accruals) between(from, to time.Time) PriceCost {
	var c PriceCost
	for _, a := range all {
		before, after := a.upTo(from), a.upTo(to)
		c.Quantity = c.Quantity.Add(after.Quantity.Sub(before.Quantity))
		c.Subtotal = c.Subtotal.Add(after.Subtotal.Sub(before.Subtotal))
		c.Total = c.Total.Add(after.Total.Sub(before.Total))
	}
	return c
}

func (a accrued) upTo(t time.Time) amounts {
	if !t.After(a.service.Start) {
		return amounts{}
	}
	if t.After(a.service.End) {
		t = a.service.End
	}
	k, _ := slices.BinarySearchFunc(a.at, t, time.Time.Compare)
	return a.amounts[k]
}
