package subscription_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

func TestSubscription(t *testing.T) {
	if err := flag.Set("rapid.checks", "300"); err != nil {
		t.Fatal(err)
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "subscription")
}

// property runs a property as one spec.
func property(sentence string, check func(t *rapid.T)) {
	It(sentence, func() { rapid.Check(GinkgoT(), check) })
}

// price is written as its cadence and what it is: "monthly usage", "annual
// advance", "10 days arrears", "one_time usage". Its name is that text.
type price string

func (p price) interval() subscription.PriceInterval {
	words := strings.Fields(string(p))
	length := period.Cadence(words[0]).Length(period.Length{})
	switch {
	case words[1] == "days":
		length = period.Length{Days: number(words[0])}
	case words[1] == "months":
		length = period.Length{Months: number(words[0])}
	}
	made := catalog.Price{
		Name: string(p), CycleMonths: length.Months, CycleDays: length.Days,
		Type: catalog.PriceFixed, BillingMode: catalog.InArrear,
	}
	switch words[len(words)-1] {
	case "usage":
		made.Type = catalog.PriceUsage
	case "advance":
		made.BillingMode = catalog.InAdvance
	}
	i := subscription.PriceInterval{PriceID: string(p), Price: made}
	i.ID = string(p)
	return i
}

func number(digits string) (n int) {
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

// deal is a subscription as a spec tells it.
type deal struct {
	zone       string // UTC where empty
	start, end string // dates or date-times of the zone; no end is open
	anchor     period.Anchor
	prices     []price
}

func (d deal) terms() subscription.Terms {
	t := subscription.Terms{Customer: customer.Customer{Timezone: d.zone}}
	if d.zone == "" {
		t.Customer.Timezone = "UTC"
	}
	t.Currency = money.Currency("USD")
	loc := t.Customer.Location()
	t.StartAt = at(d.start, loc)
	if d.end != "" {
		end := at(d.end, loc)
		t.EndAt = &end
	}
	t.AnchorDay, t.AnchorMonth, t.AnchorYear = max(d.anchor.Day, 1), d.anchor.Month, d.anchor.Year
	for k, p := range d.prices {
		i := p.interval()
		i.Position, i.StartAt, i.EndAt = k, t.StartAt, t.EndAt
		t.Intervals = append(t.Intervals, i)
	}
	return t
}

// at reads a date or a date-time, which without offset is one of loc.
func at(text string, loc *time.Location) time.Time {
	t, err := period.ParseInstant(text, loc)
	if err != nil {
		panic(text)
	}
	return t
}

func utc(text string) time.Time { return at(text, time.UTC) }

// local writes an instant as a clock in loc reads it, without the time at the
// beginning of a day.
func local(t time.Time, loc *time.Location) string {
	if day := period.DateOf(t, loc); day.In(loc).Equal(t) {
		return day.String()
	}
	return t.In(loc).Format("2006-01-02T15:04:05")
}

func span(p period.Period, loc *time.Location) string {
	return local(p.Start, loc) + " to " + local(p.End, loc)
}

// written tells services as "price: start to end, on billing date".
func written(t subscription.Terms, services []subscription.ServicePeriod) []string {
	loc := t.Customer.Location()
	texts := []string{}
	for _, s := range services {
		texts = append(texts, s.Interval.Price.Name+": "+span(s.Period, loc)+", on "+local(s.BilledOn, loc))
	}
	return texts
}

func ptr(n int) *int { return &n }
