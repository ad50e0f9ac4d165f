package server_test

import (
	"flag"
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// seat is a license of the property: days from, to exclusive, and what it has left in June and
// in July.
type seat struct {
	name     string
	from, to int
	left     [2]money.Decimal
}

// propertyDays are those of the property, from 20 June on; the first of July is julyFrom.
const propertyDays, julyFrom = 20, 11

func propertyDay(n int) string {
	return period.Date{Year: 2025, Month: 6, Day: 20}.AddDays(n).String()
}

var _ = Describe("What random licenses cover", func() {
	It("is of each day the first that they use of their own, and the same in reports, costs, ledgers and invoices", func() {
		checks := flag.Lookup("rapid.checks").Value.String()
		DeferCleanup(flag.Set, "rapid.checks", checks)
		Expect(flag.Set("rapid.checks", "4")).To(Succeed())
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			o := newLicenseFixture("2025-06-01T00:00:00Z")
			o.setting("grace_period_seconds", 40*24*3600)
			o.clock("2025-07-10T00:00:00Z")
			rings := o.api.metric("SELECT SUM(n) FROM events WHERE event_name = 'ring'")
			granted := money.FromInt(rapid.Int64Range(0, 40).Draw(t, "granted"))
			drops := rapid.Bool().Draw(t, "writes off")
			halves := o.metered()
			halves["price"] = with(halves["price"].(object), object{
				"name": "Rings", "billable_metric_id": rings, "unit_config": object{"unit_amount": "0.5"}, "item_id": o.api.item("Rings"),
			})
			customer, sub := o.rent(nil, object{"start_date": "2025-06-20"},
				o.seats(100, granted.String(), object{"write_off_overage": drops}), o.metered(), halves)
			o.credits(customer, object{"amount": 10_000, "effective_date": "2025-06-20"})

			var seats []*seat
			for _, name := range []string{"a", "b"} {
				for from := rapid.IntRange(0, 6).Draw(t, "from"); from < propertyDays; from += rapid.IntRange(0, 4).Draw(t, "gap") {
					to := from + rapid.IntRange(1, 9).Draw(t, "days")
					seats = append(seats, &seat{name, from, to, [2]money.Decimal{granted, granted}})
					o.give(sub, name, object{"start_date": propertyDay(from), "end_date": propertyDay(to)})
					from = to
				}
			}
			var left [propertyDays]money.Decimal // to the credits of all, by day
			var own, used money.Decimal
			events := list{}
			for day := range propertyDays {
				for k, call := range []string{"call", "ring"} {
					for _, name := range []string{"a", "b", "nobody"} {
						n := rapid.IntRange(0, 9).Draw(t, "n")
						events = append(events, object{
							"idempotency_key": fmt.Sprint(day, call, name), "event_name": call, "customer_id": customer,
							"timestamp": propertyDay(day) + "T09:30:00Z", "properties": object{"n": n, "seat_id": name},
						})
						worth := money.FromInt(int64(n)).Mul([]money.Decimal{money.Must("1"), money.Must("0.5")}[k])
						used = used.Add(worth)
						at := slices.IndexFunc(seats, func(s *seat) bool { return s.name == name && s.from <= day && day < s.to })
						if at < 0 {
							left[day] = left[day].Add(worth)
							continue
						}
						has := &seats[at].left[0]
						if day >= julyFrom {
							has = &seats[at].left[1]
						}
						drawn := money.Min(worth, *has)
						*has = has.Sub(drawn)
						own = own.Add(drawn)
						if !drops {
							left[day] = left[day].Add(worth.Sub(drawn))
						}
					}
				}
			}
			o.post("/v1/ingest", object{"events": events}).expect(200)

			costs := o.get("/v1/subscriptions/" + sub + "/costs?currency=credits&view_mode=periodic&timeframe_start=2025-06-20&timeframe_end=2025-07-10").expect(200)
			totals := costs.each("data", "total")
			Expect(totals).To(HaveLen(propertyDays))
			asked := money.Decimal{}
			for day, total := range totals {
				Expect(decimal(total)).To(Equal(left[day].String()), propertyDay(day))
				asked = asked.Add(left[day])
			}
			report := o.get("/v1/licenses/usage?limit=100&start_date=2025-06-20&end_date=2025-07-10&subscription_id=" + sub + "&license_type_id=" + o.kind).expect(200)
			Expect(sumOf(report.each("data", "consumed_credits"))).To(Equal(own.String()))
			Expect(o.balance(customer)).To(Equal(money.FromInt(10_000).Sub(asked).String()))

			o.clock("2025-10-01T00:00:00Z") // all is issued, and verified afterwards
			Expect(o.balance(customer)).To(Equal(money.FromInt(10_000).Sub(asked).String()))
			var subtotals, applied list
			bills := o.invoices(sub)
			for k := range bills.list("data") {
				bill := bills.entry("data", k)
				for at := range bill.list("line_items") {
					if l := bill.entry("line_items", at); l.at("price.currency") == "credits" && bill.at("status") != "draft" {
						subtotals, applied = append(subtotals, l.at("subtotal")), append(applied, l.at("credits_applied"))
						Expect(l.at("amount")).To(Equal("0.00"))
					}
				}
			}
			Expect(sumOf(subtotals)).To(Equal(used.String()))
			Expect(sumOf(applied)).To(Equal(used.String()))
		})
	})
})

// balance is what a customer has in credits.
func (o licenseFixture) balance(customer string) string {
	GinkgoHelper()
	return sumOf(o.get("/v1/customers/"+customer+"/credits?limit=100").expect(200).each("data", "balance"))
}
