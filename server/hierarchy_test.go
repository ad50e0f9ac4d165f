package server_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Customers with children", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-03-01T00:00:00Z") })

	child := func(name, parent string) string {
		GinkgoHelper()
		return s.buyer(object{"name": name, "external_customer_id": name, "hierarchy": object{"parent_customer_id": parent}})
	}
	place := func(id string, hierarchy any) *answer {
		GinkgoHelper()
		return s.put("/v1/customers/"+id, object{"hierarchy": hierarchy})
	}
	// family writes the place of a customer as "parent: children".
	family := func(id string) string {
		GinkgoHelper()
		c := s.get("/v1/customers/" + id).expect(200)
		names := []string{}
		for _, each := range c.list("hierarchy.children") {
			names = append(names, fmt.Sprint(value{c.asked, each}.at("external_customer_id")))
		}
		parent := "none"
		if c.at("hierarchy.parent") != nil {
			parent = c.text("hierarchy.parent.external_customer_id")
		}
		return parent + ": " + strings.Join(names, " ")
	}

	It("shows a parent its children and each child its parent", func() {
		p := s.buyer(object{"external_customer_id": "p"})
		c := child("c", p)
		d := s.buyer(object{"external_customer_id": "d"})
		e := s.post("/v1/customers", object{
			"name": "E", "email": "e@acme.test", "external_customer_id": "e", "hierarchy": object{"child_customer_ids": list{d}},
		}).expect(201)
		Expect(e.at("hierarchy.children[0].external_customer_id")).To(Equal("d"))
		Expect(family(p)).To(Equal("none: c"))
		Expect(family(c)).To(Equal("p: "))
		Expect(family(d)).To(Equal("e: "))
		sub := s.subscribe(p, object{}, s.fee("1.00"))
		Expect(sub.at("customer.hierarchy.children[0].id")).To(Equal(c))

		place(p, object{"child_customer_ids": list{}}).expect(200)
		Expect(family(p)).To(Equal("none: "))
		place(c, object{"parent_customer_id": e.text("id")}).expect(200)
		Expect(family(e.text("id"))).To(Equal("none: c d"))
		place(d, nil).expect(200)
		Expect(family(d)).To(Equal("none: "))
		s.delete("/v1/customers/" + c).expect(204)
		Expect(family(e.text("id"))).To(Equal("none: "))
	})

	It("has one level, and a child one parent (semantics 2.4.7)", func() {
		p, q := s.buyer(object{}), s.buyer(object{})
		c := child("c", p)
		child("d", q)
		place(p, object{"parent_customer_id": c}).invalid("hierarchy.parent_customer_id: must not itself be a child")
		place(p, object{"parent_customer_id": p}).invalid("hierarchy.parent_customer_id: must not be the customer itself")
		place(p, object{"parent_customer_id": "nobody"}).invalid("hierarchy.parent_customer_id: must be a customer")
		place(c, object{"parent_customer_id": q}).invalid("hierarchy.parent_customer_id: must not be given to a customer that is in another")
		place(q, object{"child_customer_ids": list{c, q, "nobody", p}}).invalid(
			"hierarchy.child_customer_ids[0]: must not be in another hierarchy",
			"hierarchy.child_customer_ids[1]: must not be the customer itself",
			"hierarchy.child_customer_ids[2]: must be a customer",
			"hierarchy.child_customer_ids[3]: must not have children")
		place(s.buyer(object{}), object{"parent_customer_id": q, "child_customer_ids": list{c}}).invalid("hierarchy: ")
		s.setting("children_per_customer", 1)
		s.post("/v1/customers", object{"name": "E", "email": "e@acme.test", "hierarchy": object{"parent_customer_id": q}}).
			refuse(400, "400-constraint-violation", "at most 1 children")
	})

	It("S-12: bills a parent the usage of those of its children that its subscription names", func() {
		p := s.buyer(object{"external_customer_id": "p"})
		c1, c2 := child("c1", p), child("c2", p)
		sub := s.subscribe(p, object{"usage_customer_ids": list{p, c1}}, s.calls("1.00"))
		Expect(sub.list("price_intervals[0].usage_customer_ids")).To(HaveExactElements(p, c1))
		id := sub.text("id")
		s.use(p, "2025-03-01T00:00:00Z", "10")
		s.use(c1, "2025-03-01T00:00:00Z", "5")
		s.use(c2, "2025-03-01T00:00:00Z", "7")
		s.settle()

		Expect(s.get("/v1/subscriptions/" + id + "/costs").expect(200).at("data[0].total")).To(Equal("15.00"))
		Expect(s.get("/v1/customers/" + p + "/costs").expect(200).at("data[0].total")).To(Equal("15.00"))
		Expect(s.get("/v1/customers/" + c1 + "/costs").expect(200).list("data")).To(BeEmpty())
		Expect(fmt.Sprint(s.get("/v1/subscriptions/" + id + "/usage").expect(200).at("data[0].usage[0].quantity"))).To(Equal("15"))

		s.clock("2025-04-01T12:00:00Z")
		march := s.invoices(id).entry("data", 1)
		march.shows(object{"total": "15.00", "status": "issued"})
		Expect(march.list("line_items[0].usage_customer_ids")).To(HaveExactElements(p, c1))
	})

	It("counts an event of a child that is corrected, or comes late by its alias", func() {
		p := s.buyer(object{"external_customer_id": "p"})
		c := child("c", p)
		id := s.subscribe(p, object{"usage_customer_ids": list{c}}, s.calls("1.00")).text("id")
		s.use(c, "2025-03-01T00:00:00Z", "5")
		s.settle()
		s.clock("2025-04-01T06:00:00Z")
		s.post("/v1/ingest", object{"events": list{object{
			"idempotency_key": "late", "event_name": "call", "external_customer_id": "c", "timestamp": "2025-03-31T23:00:00Z", "properties": object{"n": 2},
		}}}).expect(200)
		s.put("/v1/events/e000001", object{
			"event_name": "call", "customer_id": c, "timestamp": "2025-03-01T00:00:00Z", "properties": object{"n": 6},
		}).expect(200)
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-04-01 issued 8.00", "2025-05-01 draft 0.00"))
	})

	It("refuses the usage of strangers, and to part from a child whose usage is billed", func() {
		p, stranger := s.buyer(object{}), s.buyer(object{})
		c := child("c", p)
		plan := s.plan(object{}, s.calls("1.00")).text("id")
		s.post("/v1/subscriptions", object{"customer_id": p, "plan_id": plan, "usage_customer_ids": list{c, stranger}}).
			refuse(400, "400-constraint-violation", "usage_customer_ids[1]: must be the customer of the subscription or one of its children")
		s.subscribe(p, object{"usage_customer_ids": list{c}}, s.calls("1.00"))
		place(c, nil).refuse(400, "400-constraint-violation", "billed by the subscription")
		place(p, nil).refuse(400, "400-constraint-violation", "billed by the subscription")
		s.delete("/v1/customers/"+c).refuse(400, "400-constraint-violation", "billed by the subscription")
	})

	It("keeps an alias from a child whose usage was invoiced", func() {
		p := s.buyer(object{})
		c := s.buyer(object{"hierarchy": object{"parent_customer_id": p}})
		s.subscribe(p, object{"usage_customer_ids": list{c}}, s.calls("1.00"))
		s.clock("2025-04-01T12:00:00Z")
		s.put("/v1/customers/"+c, object{"external_customer_id": "c"}).refuse(400, "400-constraint-violation", "was invoiced")
	})
})

var _ = Describe("The filter of a price interval", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-03-01T00:00:00Z") })

	It("counts only the events that meet it, on costs and on the invoice", func() {
		acme := s.buyer(object{})
		sub := s.subscribe(acme, object{"filter": "n > 2 AND NOT n = 100"}, s.calls("1.00"), s.fee("3.00"))
		Expect(sub.at("price_intervals[0].filter")).To(Equal("n > 2 AND NOT n = 100"))
		Expect(sub.at("price_intervals[1].filter")).To(BeNil(), "a fee counts no events")
		s.use(acme, "2025-03-01T00:00:00Z", "1", "2", "3", "4", "100")
		Expect(s.get("/v1/subscriptions/" + sub.text("id") + "/costs").expect(200).at("data[0].per_price_costs[0].total")).To(Equal("7.00"))
		s.clock("2025-04-01T12:00:00Z")
		march := s.invoices(sub.text("id")).entry("data", 1)
		march.shows(object{"total": "10.00", "line_items[0].filter": "n > 2 AND NOT n = 100"})
	})

	It("stays with a change of the plan that says nothing of it", func() {
		acme := s.buyer(object{})
		id := s.subscribe(acme, object{"filter": "n > 2"}, s.calls("1.00")).text("id")
		plan := s.plan(object{}, s.calls("2.00")).text("id")
		s.clock("2025-03-10T00:00:00Z")
		changed := s.post("/v1/subscriptions/"+id+"/schedule_plan_change", object{"change_option": "immediate", "plan_id": plan}).expect(200)
		Expect(changed.at("price_intervals[1].filter")).To(Equal("n > 2"))
		s.use(acme, "2025-03-10T00:00:00Z", "2", "3")
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-04-01 issued 6.00"))
	})

	It("is refused where it is no condition", func() {
		acme := s.buyer(object{})
		plan := s.plan(object{}, s.calls("1.00")).text("id")
		s.post("/v1/subscriptions", object{"customer_id": acme, "plan_id": plan, "filter": "n +"}).invalid("filter: ")
	})
})
