package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Ledger entries by hand", func() {
	var s fixture
	var buyer, path string
	BeforeEach(func() {
		s = newFixture("2025-03-10T09:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		path = "/v1/customers/" + buyer + "/credits/ledger_entry"
	})
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "credits") }
	blocks := func() []string { GinkgoHelper(); return s.blocks(buyer, "credits") }

	Describe("that decrement", func() {
		It("CR-5: may take more than there is", func() {
			s.credits(buyer, object{"amount": 30, "expiry_date": "2025-12-28"})
			last := s.entry(buyer, object{"entry_type": "decrement", "amount": 50, "description": "Fine", "metadata": object{"a": "1"}})
			last.shows(object{
				"entry_type": "decrement", "entry_status": "committed", "amount": json.Number("20"), "ending_balance": json.Number("-20"),
				"description": "Fine", "metadata": object{"a": "1"}, "invoice_id": nil, "price_id": nil, "event_id": nil,
			})
			Expect(ledger()).To(Equal([]string{"increment 30 committed: 30", "decrement 30 committed: 0", "decrement 20 committed: -20"}))
			Expect(s.entry(buyer, object{"entry_type": "increment", "amount": 100}).at("ending_balance")).To(Equal(json.Number("80")))
			Expect(blocks()).To(Equal([]string{"0", "-20", "100"}))
		})

		It("leave usage what is above zero", func() {
			s.entry(buyer, object{"entry_type": "decrement", "amount": 20})
			s.credits(buyer, nil)
			s.subscribe(buyer, nil, s.each(nil))
			s.use(buyer, "2025-03-10T08:00:00Z", "90")
			Expect(ledger()[2:]).To(Equal([]string{"decrement 80 pending: 0"}))
		})

		It("take from the block that owes", func() {
			s.credits(buyer, object{"amount": 30})
			Expect(s.entry(buyer, object{"entry_type": "decrement", "amount": 50}).at("amount")).To(Equal(json.Number("50")))
			Expect(blocks()).To(Equal([]string{"-20"}))
		})
	})

	Describe("that change an expiration", func() {
		It("CR-7: move credits to a block of their own", func() {
			block := s.credits(buyer, object{"amount": 60, "expiry_date": "2025-04-01", "per_unit_cost_basis": "0.20"})
			moved := s.entry(buyer, object{"entry_type": "expiration_change", "amount": 25, "expiry_date": "2025-04-01", "target_expiry_date": "2025-07-01"})
			moved.shows(object{
				"amount": json.Number("25"), "starting_balance": json.Number("60"), "ending_balance": json.Number("60"),
				"new_block_expiry_date": "2025-07-01T00:00:00+00:00", "credit_block.id": block, "credit_block.expiry_date": "2025-04-01T00:00:00+00:00",
			})
			Expect(blocks()).To(Equal([]string{"35", "25"}))
			all := s.get("/v1/customers/" + buyer + "/credits").expect(200)
			Expect(all.each("data", "expiry_date")).To(Equal(list{"2025-07-01T00:00:00+00:00", "2025-04-01T00:00:00+00:00"}))
			Expect(all.each("data", "per_unit_cost_basis")).To(Equal(list{"0.20", "0.20"}))
		})

		It("move all of a block, and let it expire if that day has come", func() {
			block := s.credits(buyer, object{"amount": 60, "expiry_date": "2025-04-01"})
			s.entry(buyer, object{"entry_type": "expiration_change", "block_id": block, "target_expiry_date": "2025-03-10"})
			Expect(ledger()[1:]).To(Equal([]string{"expiration_change 60 committed: 60", "credit_block_expiry 60 pending: 0"}))
		})

		It("need to know the block where several expire on that day", func() {
			for range 2 {
				s.credits(buyer, object{"expiry_date": "2025-04-01"})
			}
			change := object{"entry_type": "expiration_change", "target_expiry_date": "2025-07-01"}
			s.post(path, with(change, object{"expiry_date": "2025-04-01"})).invalid("block_id: ")
			s.post(path, change).invalid("expiry_date, block_id: ")
			s.post(path, with(change, object{"expiry_date": "2025-04-02"})).refuse(400, "400-constraint-violation")
		})

		It("keep to the block", func() {
			block := s.credits(buyer, object{"amount": 60, "effective_date": "2025-03-05"})
			change := object{"entry_type": "expiration_change", "block_id": block, "target_expiry_date": "2025-07-01"}
			s.post(path, with(change, object{"amount": 61})).refuse(400, "400-constraint-violation", "60")
			s.post(path, with(change, object{"target_expiry_date": "2025-03-04"})).invalid("target_expiry_date: ")
			s.post(path, with(change, object{"target_expiry_date": "2025-02-30"})).invalid("target_expiry_date: ")
			s.post(path, with(change, object{"block_id": "nope"})).refuse(404, "404-resource-not-found", "nope")
		})
	})

	Describe("that void", func() {
		It("CR-8: announce it, and take credits out of their block", func() {
			block := s.credits(buyer, object{"amount": 60})
			first := s.entry(buyer, object{"entry_type": "void", "block_id": block, "amount": 40, "void_reason": "refund"})
			first.shows(object{
				"entry_type": "void_initiated", "starting_balance": json.Number("60"), "ending_balance": json.Number("60"),
				"void_amount": json.Number("40"), "void_reason": "refund", "new_block_expiry_date": "2025-03-10T09:00:00+00:00",
			})
			Expect(ledger()[1:]).To(Equal([]string{"void_initiated 40 committed: 60", "void 40 committed: 20"}))
			Expect(blocks()).To(Equal([]string{"20"}))
		})

		It("take what is left, and no more", func() {
			block := s.credits(buyer, object{"amount": 60})
			s.post(path, object{"entry_type": "void", "block_id": block, "amount": 61}).refuse(400, "400-constraint-violation", "60")
			s.post(path, object{"entry_type": "void", "block_id": "nope", "amount": 1}).refuse(404, "404-resource-not-found", "nope")
			s.post(path, object{"entry_type": "void", "block_id": block, "amount": 1, "currency": "USD"}).refuse(404, "404-resource-not-found", block)
			s.post(path, object{"entry_type": "void", "block_id": block, "amount": 1, "void_reason": "fun"}).invalid("void_reason: ")
		})

		It("take credits that do not count yet, which the balance shows on their day", func() {
			block := s.credits(buyer, object{"amount": 60, "effective_date": "2025-03-12"})
			s.entry(buyer, object{"entry_type": "void", "block_id": block, "amount": 40})
			Expect(ledger()).To(Equal([]string{"increment 60 committed: 0", "void_initiated 40 committed: 0", "void 40 committed: 0"}))
			s.clock("2025-03-12T00:00:00Z")
			Expect(ledger()).To(Equal([]string{"increment 60 committed: 60", "void_initiated 40 committed: 60", "void 40 committed: 20"}))
		})
	})

	Describe("that amend", func() {
		It("give back what a block lost", func() {
			block := s.credits(buyer, object{"amount": 60})
			s.entry(buyer, object{"entry_type": "decrement", "amount": 50})
			amend := object{"entry_type": "amendment", "block_id": block, "amount": 20}
			s.entry(buyer, amend).shows(object{"amount": json.Number("20"), "ending_balance": json.Number("30"), "credit_block.id": block})
			s.post(path, with(amend, object{"amount": 31})).refuse(400, "400-constraint-violation", "30")
		})

		It("give nothing to a block that has expired", func() {
			block := s.credits(buyer, object{"expiry_date": "2025-03-11"})
			s.clock("2025-03-11T00:00:00Z")
			s.post(path, object{"entry_type": "amendment", "block_id": block, "amount": 1}).refuse(400, "400-constraint-violation", "expired")
		})
	})

	DescribeTable("are refused that are wrong in themselves",
		func(body object, violations ...string) {
			s.post(path, body).invalid(violations...)
			Expect(ledger()).To(BeEmpty())
		},
		Entry("a decrement of nothing", object{"entry_type": "decrement", "amount": 0}, "amount: "),
		Entry("a decrement in a unit that is none", object{"entry_type": "decrement", "amount": 1, "currency": "tokens"}, "currency: "),
		Entry("a decrement with a date", object{"entry_type": "decrement", "amount": 1, "expiry_date": "2025-04-01"}, "expiry_date: "),
		Entry("a void without a block", object{"entry_type": "void", "amount": 1}, "block_id: "),
		Entry("a change without a target", object{"entry_type": "expiration_change", "block_id": "b"}, "target_expiry_date: "),
		Entry("an amendment without an amount", object{"entry_type": "amendment", "block_id": "b"}, "amount: "),
		Entry("an expiry", object{"entry_type": "credit_block_expiry", "amount": 1}, "entry_type: "),
	)
})
