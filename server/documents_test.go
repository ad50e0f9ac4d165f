package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	doc "tollkeeper/domain/document"
	"tollkeeper/domain/paper"
	"tollkeeper/store"
)

var _ = Describe("A document", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD", "name": "Globex"})
	})
	read := func(load func(tx *store.Tx) (doc.Document, error)) (d doc.Document) {
		GinkgoHelper()
		s.tx(func(tx *store.Tx) (err error) {
			d, err = load(tx)
			return err
		})
		return d
	}
	ofInvoice := func(id string) doc.Document {
		GinkgoHelper()
		return read(func(tx *store.Tx) (doc.Document, error) { return doc.OfInvoice(tx, id) })
	}
	// totals are the rows below the lines, and whether the steps sum.
	totals := func(d doc.Document) (rows []string) {
		for _, t := range d.Totals {
			mark := ""
			if t.Grand {
				mark = " !"
			}
			rows = append(rows, fmt.Sprintf("%s %s%s", t.Label, d.Words.Amount(t.Amount, d.Currency), mark))
		}
		return rows
	}

	// The rules: semantics 19.1.1 and 19.1.4.
	It("leads from the subtotal to what is to pay, and the steps sum", func() {
		s.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 15, "currency": "USD"}).expect(201)
		plan := s.plan(object{"adjustments": list{object{"plan_phase_order": nil, "adjustment": object{
			"adjustment_type": "percentage_discount", "percentage_discount": number("0.1"), "applies_to_all": true,
		}}}}, s.fee("100"), s.calls("1")).text("id")
		sub := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201).text("id")
		s.clock("2025-03-05T12:00:00Z")
		s.use(buyer, "2025-03-05T11:00:00Z", "40")
		s.post("/v1/customers/"+buyer+"/balance_transactions", object{"amount": "7.50", "type": "increment"}).expect(200)
		s.clock("2025-04-01T12:00:00Z")
		i := s.invoices(sub).entry("data", 1) // the draft of May is the first
		d := ofInvoice(i.text("id"))
		Expect(totals(d)).To(Equal([]string{
			"Subtotal 140.00", "Discount, 10\u00a0% −14.00", "Paid with credits −15.00", "Total 111.00", "From the customer balance −7.50", "To pay 103.50 !",
		}))
		Expect(i.at("subtotal")).To(Equal("140.00"))
		Expect(i.at("total")).To(Equal("111.00"))
		Expect(i.at("amount_due")).To(Equal("103.50"))
	})

	// The rule: semantics 19.1.2.
	It("shows a price in another unit in the invoice's currency, and in its own beside it", func() {
		sub := s.subscribe(buyer, nil, with(s.fee("250"), object{"currency": "credits", "conversion_rate": number("0.02")}), s.calls("0.0025")).text("id")
		s.clock("2025-03-05T12:00:00Z")
		s.use(buyer, "2025-03-05T11:00:00Z", "400")
		s.clock("2025-04-01T12:00:00Z")
		d := ofInvoice(s.invoices(sub).entry("data", 1).text("id"))
		Expect(d.Lines).To(HaveLen(2))
		for _, l := range d.Lines {
			amount, beside := d.Words.Amount(l.Shown, d.Currency), ""
			if l.Converted(d) {
				beside = d.Words.Money(l.Subtotal, l.Currency)
			}
			switch l.Name {
			case "Calls":
				Expect([]string{amount, beside, l.Rate, d.Days(l)}).To(Equal([]string{"1.00", "", "0.0025", "1 Mar – 31 Mar 2025"}))
			default:
				Expect([]string{amount, beside, l.Rate, d.Days(l)}).To(Equal([]string{"5.00", "credits\u00a0250", "250", "1 Apr – 30 Apr 2025"}))
			}
		}
	})

	// The rule: semantics 19.1.5.
	It("of a draft says what it would say if it were issued now", func() {
		draft := s.post("/v1/invoices", s.oneOff(buyer, object{"line_items": list{s.widgets("2", "10.00")}})).expect(201)
		d := ofInvoice(draft.text("id"))
		Expect(d.Draft).To(BeTrue())
		Expect(d.Issued).To(BeZero())
		Expect(d.Buyer.Name).To(Equal("Globex"))
		s.put("/v1/customers/"+buyer, object{"name": "Initech"}).expect(200)
		Expect(ofInvoice(draft.text("id")).Buyer.Name).To(Equal("Initech"))
		s.post("/v1/invoices/"+draft.text("id")+"/issue", nil).expect(200)
		s.put("/v1/customers/"+buyer, object{"name": "Hooli"}).expect(200)
		issued := ofInvoice(draft.text("id"))
		Expect(issued.Draft).To(BeFalse())
		Expect(issued.Buyer.Name).To(Equal("Initech"))
		Expect(totals(issued)).To(Equal(totals(d)))
	})

	// The rule: semantics 19.1.6.
	It("of a credit note names the invoice and the reason, and what went where", func() {
		i := s.bill(buyer, "100")
		line := i.at("line_items[0].id")
		note := func(amount string) doc.Document {
			GinkgoHelper()
			made := s.post("/v1/credit_notes", object{"line_items": list{credited(line, amount)}, "reason": "duplicate"}).expect(201)
			return read(func(tx *store.Tx) (doc.Document, error) { return doc.OfCreditNote(tx, made.text("id")) })
		}
		off := note("30")
		Expect(off.Note.Invoice).To(Equal(i.text("invoice_number")))
		Expect(off.Note.Reason).To(Equal(off.Words.ReasonDuplicate))
		Expect(totals(off)).To(Equal([]string{off.Words.Credited + " 30.00 !", off.Words.OffInvoice + " 30.00"}))
		s.pay(i.text("id"))
		onto := note("20")
		Expect(totals(onto)).To(Equal([]string{onto.Words.Credited + " 20.00 !", onto.Words.OntoBalance + " 20.00"}))
	})

	// The rule: semantics 19.5.3.
	It("has custom fields of the invoice, else of the subscription, else of the customer", func() {
		s.put("/v1/letterhead", object{"custom_fields": list{
			object{"metadata_key": "order", "label": "Order"}, object{"metadata_key": "team", "label": "Team"},
			object{"metadata_key": "site", "label": "Site"}, object{"metadata_key": "none", "label": "None"},
		}}).expect(200)
		s.put("/v1/customers/"+buyer, object{"metadata": object{"order": "customer's", "team": "customer's", "site": "customer's"}}).expect(200)
		created := s.subscribe(buyer, object{"metadata": object{"order": "subscription's", "team": "subscription's"}}, s.fee("5"))
		id := created.text("changed_resources.created_invoices[0].id")
		fields := func() (all []string) {
			for _, f := range ofInvoice(id).Fields {
				all = append(all, f.Label+": "+f.Value)
			}
			return all
		}
		Expect(fields()).To(Equal([]string{"Order: subscription's", "Team: subscription's", "Site: customer's"}))
		one := s.post("/v1/invoices", s.oneOff(buyer, object{"metadata": object{"order": "invoice's"}})).expect(201)
		id = one.text("id")
		Expect(fields()).To(Equal([]string{"Order: invoice's", "Team: customer's", "Site: customer's"}))
	})

	// The rule: semantics 19.1.7.
	It("of a payment has what was credited before it, and does not change with what is credited after it", func() {
		i := s.bill(buyer, "100")
		line := i.at("line_items[0].id")
		receipt := func() doc.Document {
			GinkgoHelper()
			return read(func(tx *store.Tx) (doc.Document, error) { return doc.Loader{}.Receipt(tx, i.text("id")) })
		}
		s.post("/v1/credit_notes", object{"line_items": list{credited(line, "30")}, "reason": "duplicate"}).expect(201)
		s.post("/v1/invoices/"+i.text("id")+"/regenerate_receipt_pdf", nil).refuse(400, "400-constraint-violation")
		s.pay(i.text("id"))
		before := receipt()
		Expect(before.Lines).To(HaveLen(2))
		Expect(before.Words.Amount(before.Lines[1].Amount, "USD")).To(Equal("−30.00"))
		Expect(totals(before)).To(Equal([]string{before.Words.Received + " 70.00 !"}))
		s.post("/v1/credit_notes", object{"line_items": list{credited(line, "20")}, "reason": "duplicate"}).expect(201)
		Expect(receipt()).To(Equal(before))
		// The rule: semantics 19.3.5.
		Expect(paper.FileName(before, ".pdf")).To(Equal(i.text("invoice_number") + "-receipt.pdf"))
		Expect(paper.FileName(doc.Document{Number: "A/1 ü\"-2"}, ".xml")).To(Equal("A_1___-2.xml"))
	})
})
