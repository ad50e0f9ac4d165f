package subscription_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// zones have midnights that are skipped or read twice, days left out, and odd
// offsets.
var zones = []string{
	"UTC", "America/New_York", "America/Los_Angeles", "Africa/Cairo", "Asia/Kolkata", "America/Sao_Paulo",
	"America/Havana", "Asia/Beirut", "Pacific/Apia", "Australia/Lord_Howe", "America/Scoresbysund",
}

// drawDeal draws a subscription of some years at most.
func drawDeal(t *rapid.T) subscription.Terms {
	d := deal{zone: rapid.SampledFrom(zones).Draw(t, "zone")}
	day := period.Date{Year: 2008, Month: time.January, Day: 1}.AddDays(rapid.IntRange(0, 20*365).Draw(t, "start"))
	d.start = day.String()
	if rapid.Bool().Draw(t, "inside a day") {
		d.start += "T17:45:00"
	}
	d.end = day.AddDays(rapid.IntRange(1, 900).Draw(t, "days")).String()
	if rapid.Bool().Draw(t, "anchored") {
		d.anchor.Day = rapid.IntRange(1, 31).Draw(t, "day")
		if rapid.Bool().Draw(t, "with month") {
			d.anchor.Month = ptr(rapid.IntRange(1, 12).Draw(t, "month"))
		}
	}
	all := []price{
		"monthly usage", "monthly advance", "monthly arrears", "quarterly advance", "semi_annual arrears", "annual advance",
		"annual usage", "one_time advance", "one_time usage", "7 days usage", "10 days advance", "45 days arrears", "2 months usage",
	}
	d.prices = rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 4, func(p price) price { return p }).Draw(t, "prices")
	return d.terms()
}

var _ = Describe("Properties of service periods", func() {
	property("recurring prices are charged for every instant of their life, and for none twice", func(t *rapid.T) {
		terms := drawDeal(t)
		for _, i := range terms.Intervals {
			if i.Price.Length().OneTime() {
				continue
			}
			reached := terms.StartAt
			for _, s := range servicesOf(terms, i) {
				if !s.Period.Start.Equal(reached) || s.Period.Empty() {
					t.Fatalf("%s: %s follows %s", i.ID, span(s.Period, time.UTC), reached)
				}
				if _, inside := s.Cycle.Intersect(s.Period); !inside || s.Cycle.Start.After(s.Period.Start) || s.Cycle.End.Before(s.Period.End) {
					t.Fatalf("%s: %s is no part of %s", i.ID, span(s.Period, time.UTC), span(s.Cycle, time.UTC))
				}
				reached = s.Period.End
			}
			if !reached.Equal(*terms.EndAt) {
				t.Fatalf("%s ends at %s", i.ID, reached)
			}
		}
	})

	property("going from billing date to billing date bills every service once", func(t *rapid.T) {
		terms := drawDeal(t)
		billed := map[string]int{}
		bill := func(date time.Time) {
			for _, s := range terms.BilledOn(date) {
				billed[name(s)]++
			}
		}
		bill(terms.StartAt)
		for date, ok := terms.NextBilling(terms.StartAt); ok; date, ok = terms.NextBilling(date) {
			before := len(billed)
			bill(date)
			if len(billed) == before {
				t.Fatalf("%s is a billing date without anything billed", date)
			}
		}
		services := terms.ServicePeriods(period.Period{Start: terms.StartAt, End: *terms.EndAt})
		for _, s := range services {
			if billed[name(s)] != 1 {
				t.Fatalf("%s is billed %d times", name(s), billed[name(s)])
			}
		}
		if len(billed) != len(services) {
			t.Fatalf("%d services are billed, and %d exist", len(billed), len(services))
		}
	})

	property("a window gets the services that share time with it, whole", func(t *rapid.T) {
		terms := drawDeal(t)
		life := period.Period{Start: terms.StartAt, End: *terms.EndAt}
		minutes := int(life.End.Sub(life.Start).Minutes())
		window := period.Period{Start: life.Start.Add(time.Duration(rapid.IntRange(-60, minutes).Draw(t, "from")) * time.Minute)}
		window.End = window.Start.Add(time.Duration(rapid.IntRange(1, 200_000).Draw(t, "minutes")) * time.Minute)
		expected := []string{}
		for _, s := range terms.ServicePeriods(life) {
			if _, shared := s.Period.Intersect(window); shared {
				expected = append(expected, name(s))
			}
		}
		found := []string{}
		for _, s := range terms.ServicePeriods(window) {
			found = append(found, name(s))
		}
		if fmt.Sprint(found) != fmt.Sprint(expected) {
			t.Fatalf("found %v instead of %v", found, expected)
		}
	})

	property("billing periods cover the subscription's life without gap or overlap", func(t *rapid.T) {
		terms := drawDeal(t)
		reached := terms.StartAt
		for reached.Before(*terms.EndAt) {
			p, ok := terms.BillingPeriod(reached)
			if !ok || !p.Start.Equal(reached) || p.Empty() {
				t.Fatalf("%v %s begins at %s", ok, span(p, time.UTC), reached)
			}
			reached = p.End
		}
		if !reached.Equal(*terms.EndAt) {
			t.Fatalf("the last ends at %s", reached)
		}
	})
})

func servicesOf(t subscription.Terms, i subscription.PriceInterval) (own []subscription.ServicePeriod) {
	for _, s := range t.ServicePeriods(period.Period{Start: t.StartAt, End: *t.EndAt}) {
		if s.Interval.ID == i.ID {
			own = append(own, s)
		}
	}
	return own
}

func name(s subscription.ServicePeriod) string { return s.Interval.ID + " " + span(s.Period, time.UTC) }
