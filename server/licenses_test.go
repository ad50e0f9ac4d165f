package server_test

import (
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// licenseFixture is a fixture that sells seats: a license type, and a plan whose usage draws on what
// licenses are granted.
type licenseFixture struct {
	fixture
	kind string
}

func newLicenseFixture(now string) licenseFixture {
	GinkgoHelper()
	s := newFixture(now)
	return licenseFixture{s, s.licenseType("Seat")}
}

// seats is the entry of a plan for so many licenses, each granted credits a month.
func (o licenseFixture) seats(quantity int, granted string, more object) object {
	return object{"license_allocation_price": with(o.fee("10.00"), object{
		"name": "Seats", "license_type_id": o.kind, "fixed_price_quantity": quantity,
		"license_allocations": list{with(object{"amount": granted, "currency": "credits"}, more)},
	})}
}

// metered is the entry of a plan for usage that draws on licenses: a credit for each call.
func (o licenseFixture) metered() object {
	return object{"price": with(o.calls("1"), object{"currency": "credits", "conversion_rate": 0.05, "license_type_id": o.kind})}
}

// rent subscribes a new customer to a plan of those entries, and returns both.
func (o licenseFixture) rent(buyer, terms object, entries ...object) (customer, subscription string) {
	GinkgoHelper()
	prices := list{}
	for _, entry := range entries {
		prices = append(prices, entry)
	}
	plan := o.plan(object{"prices": prices}).text("id")
	customer = o.buyer(buyer)
	body := with(object{"customer_id": customer, "plan_id": plan}, terms)
	return customer, o.post("/v1/subscriptions", body).expect(201).text("id")
}

func (o licenseFixture) asked(subscription, name string, change object) object {
	return with(object{"subscription_id": subscription, "license_type_id": o.kind, "external_license_id": name}, change)
}

// give makes a license and returns it.
func (o licenseFixture) give(subscription, name string, change object) value {
	GinkgoHelper()
	return o.post("/v1/licenses", o.asked(subscription, name, change)).expect(201)
}

// named is the path of a license by its name.
func (o licenseFixture) named(subscription, name string) string {
	return "/v1/licenses/external_license_id/" + name + "?subscription_id=" + subscription + "&license_type_id=" + o.kind
}

var _ = Describe("Licenses", func() {
	const refused = "400-constraint-violation"
	var o licenseFixture
	var sub string
	BeforeEach(func() {
		o = newLicenseFixture("2025-06-10T15:00:00Z")
		_, sub = o.rent(object{"timezone": "America/New_York"}, nil, o.seats(3, "100", nil))
	})

	Describe("POST /v1/licenses", func() {
		It("LT-1: gives a license from the start of today on", func() {
			made := o.give(sub, "ada", nil)
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "subscription_id": sub, "license_type_id": o.kind, "external_license_id": "ada",
				"start_date": "2025-06-10T04:00:00+00:00", "end_date": nil, "status": "active",
			}))
			Expect(o.get("/v1/licenses/" + made.text("id")).expect(200).json).To(Equal(made.json))
			Expect(o.get(o.named(sub, "ada")).expect(200).json).To(Equal(made.json))
		})

		It("gives one for certain days, across a change of the clock", func() {
			o.clock("2025-10-20T12:00:00Z")
			made := o.give(sub, "ada", object{"start_date": "2025-10-31", "end_date": "2025-11-30"})
			made.shows(object{"start_date": "2025-10-31T04:00:00+00:00", "end_date": "2025-11-30T05:00:00+00:00", "status": "inactive"})
			o.clock("2025-10-31T03:59:59Z")
			Expect(o.get("/v1/licenses/" + made.text("id")).expect(200).at("status")).To(Equal("inactive"))
			o.clock("2025-10-31T04:00:00Z")
			Expect(o.get("/v1/licenses/" + made.text("id")).expect(200).at("status")).To(Equal("active"))
			o.clock("2025-11-30T05:00:00Z")
			Expect(o.get("/v1/licenses/" + made.text("id")).expect(200).at("status")).To(Equal("inactive"))
		})

		It("LT-5: refuses a name that is active already", func() {
			o.give(sub, "ada", nil)
			o.post("/v1/licenses", o.asked(sub, "ada", nil)).refuse(400, refused, "external_license_id")
			o.post("/v1/licenses", o.asked(sub, "ada", object{"start_date": "2025-06-01", "end_date": "2025-06-11"})).refuse(400, refused)
			o.give(sub, "ada", object{"start_date": "2025-06-01", "end_date": "2025-06-10"})
			o.give(sub, "bob", nil)
		})

		It("refuses licenses beyond those that are paid for, on any day", func() {
			o.give(sub, "ada", nil)
			o.give(sub, "bob", object{"end_date": "2025-06-20"})
			o.give(sub, "cyd", object{"start_date": "2025-06-15"})
			o.post("/v1/licenses", o.asked(sub, "dan", nil)).refuse(400, refused, "3 licenses")
			o.give(sub, "dan", object{"end_date": "2025-06-15"})
			o.give(sub, "eve", object{"start_date": "2025-06-20"})
		})

		It("gives any number where no fee counts them", func() {
			_, free := o.rent(nil, nil, o.metered())
			for _, name := range []string{"a", "b", "c", "d"} {
				o.give(free, name, nil)
			}
		})

		It("counts those that many ask for at once", func() {
			answers := make([]*answer, 8)
			var all sync.WaitGroup
			for k := range answers {
				all.Go(func() {
					defer GinkgoRecover()
					answers[k] = o.post("/v1/licenses", o.asked(sub, fmt.Sprint("l", k), nil))
				})
			}
			all.Wait()
			given := 0
			for _, a := range answers {
				if a.status == 201 {
					given++
				} else {
					a.refuse(400, refused, "3 licenses")
				}
			}
			Expect(given).To(Equal(3))
		})

		It("answers a request that is repeated as the first time", func() {
			key := header{"Idempotency-Key", "k"}
			made := o.post("/v1/licenses", o.asked(sub, "ada", nil), key).expect(201)
			Expect(o.post("/v1/licenses", o.asked(sub, "ada", nil), key).expect(201).json).To(Equal(made.json))
		})

		It("refuses what is no license", func() {
			o.post("/v1/licenses", object{}).invalid("external_license_id: is required", "license_type_id: is required", "subscription_id: is required")
			o.post("/v1/licenses", o.asked(sub, "", nil)).invalid("external_license_id: ")
			o.post("/v1/licenses", o.asked(sub, "ada", object{"start_date": "2025-02-30"})).invalid("start_date: ")
			o.post("/v1/licenses", o.asked(sub, "ada", object{"end_date": "2025-06-10"})).invalid("end_date: must be after start_date")
			o.post("/v1/licenses", o.asked("nope", "ada", nil)).refuse(404, "404-resource-not-found", "Subscription", "nope")
			o.post("/v1/licenses", o.asked(sub, "ada", object{"license_type_id": "nope"})).refuse(404, "404-resource-not-found", "LicenseType", "nope")
		})

		It("refuses licenses of a subscription that has ended", func() {
			o.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
			o.post("/v1/licenses", o.asked(sub, "ada", nil)).refuse(400, refused, "ended")
		})
	})

	Describe("GET /v1/licenses", func() {
		It("lists those of a subscription, the newest first, page by page", func() {
			for _, name := range []string{"ada", "bob", "cyd"} {
				o.give(sub, name, nil)
			}
			first := o.get("/v1/licenses?limit=2&subscription_id=" + sub).expect(200)
			Expect(first.each("data", "external_license_id")).To(Equal(list{"cyd", "bob"}))
			rest := o.get("/v1/licenses?limit=2&subscription_id=" + sub + "&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
			Expect(rest.each("data", "external_license_id")).To(Equal(list{"ada"}))
			_, other := o.rent(nil, nil, o.seats(1, "1", nil))
			Expect(o.get("/v1/licenses?subscription_id=" + other).expect(200).list("data")).To(BeEmpty())
		})

		It("lists those of a type, of a name and of a status", func() {
			o.give(sub, "ada", object{"end_date": "2025-06-12"})
			o.give(sub, "bob", nil)
			o.clock("2025-06-12T12:00:00Z")
			o.give(sub, "ada", nil)
			listed := func(query string) list {
				return o.get("/v1/licenses?subscription_id="+sub+query).expect(200).each("data", "external_license_id")
			}
			Expect(listed("&status=active")).To(Equal(list{"ada", "bob"}))
			Expect(listed("&status=inactive")).To(Equal(list{"ada"}))
			Expect(listed("&external_license_id=ada")).To(Equal(list{"ada", "ada"}))
			Expect(listed("&license_type_id=" + o.kind)).To(HaveLen(3))
			Expect(listed("&license_type_id=" + o.licenseType("Desk"))).To(BeEmpty())
		})

		It("asks for a subscription", func() {
			o.get("/v1/licenses").invalid("subscription_id: ")
		})
	})

	Describe("POST /v1/licenses/{license_id}/deactivate", func() {
		It("LT-2: lets a license end when today is over", func() {
			id := o.give(sub, "ada", nil).text("id")
			o.clock("2025-06-12T18:00:00Z")
			ended := o.post("/v1/licenses/"+id+"/deactivate", object{}).expect(200)
			ended.shows(object{"end_date": "2025-06-13T04:00:00+00:00", "status": "active"})
			o.clock("2025-06-13T03:59:59Z")
			Expect(o.get("/v1/licenses/" + id).expect(200).at("status")).To(Equal("active"))
			o.clock("2025-06-13T04:00:00Z")
			Expect(o.get("/v1/licenses/" + id).expect(200).at("status")).To(Equal("inactive"))
		})

		It("LT-3: hides a license that has ended from those who ask by name", func() {
			id := o.give(sub, "ada", nil).text("id")
			o.post("/v1/licenses/"+id+"/deactivate", object{"end_date": "2025-06-11"}).expect(200)
			o.clock("2025-06-11T04:00:00Z")
			o.get(o.named(sub, "ada")).refuse(404, "404-resource-not-found", "License", "ada")
			Expect(o.get("/v1/licenses/" + id).expect(200).at("status")).To(Equal("inactive"))
			again := o.give(sub, "ada", nil)
			Expect(o.get(o.named(sub, "ada")).expect(200).json).To(Equal(again.json))
		})

		It("ends a license on another day than was planned", func() {
			id := o.give(sub, "ada", object{"end_date": "2025-06-30"}).text("id")
			o.post("/v1/licenses/"+id+"/deactivate", object{"end_date": "2025-07-31"}).expect(200).
				shows(object{"end_date": "2025-07-31T04:00:00+00:00"})
			o.give(sub, "ada", object{"start_date": "2025-07-31"})
			o.post("/v1/licenses/"+id+"/deactivate", object{"end_date": "2025-08-01"}).refuse(400, refused, "external_license_id")
			o.post("/v1/licenses/"+id+"/deactivate", nil).expect(200).shows(object{"end_date": "2025-06-11T04:00:00+00:00"})
		})

		It("refuses to end what has ended, or before it begins", func() {
			id := o.give(sub, "ada", nil).text("id")
			o.post("/v1/licenses/"+id+"/deactivate", object{"end_date": "2025-06-10"}).invalid("end_date: must be after the start")
			o.post("/v1/licenses/"+id+"/deactivate", nil).expect(200)
			o.clock("2025-06-12T00:00:00Z")
			o.post("/v1/licenses/"+id+"/deactivate", nil).refuse(400, refused, "inactive")
			o.post("/v1/licenses/nope/deactivate", nil).refuse(404, "404-resource-not-found", "License", "nope")
		})
	})

	Describe("GET /v1/licenses/{license_id}", func() {
		It("misses what does not exist, or is another account's", func() {
			other := newLicenseFixture("2025-06-10T15:00:00Z")
			_, theirs := other.rent(nil, nil, other.seats(1, "1", nil))
			for _, id := range []string{"nope", other.give(theirs, "ada", nil).text("id")} {
				o.get("/v1/licenses/"+id).refuse(404, "404-resource-not-found", "License", id)
			}
		})
	})
})
