package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/xuri/excelize/v2"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/export"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
)

// hostile is the name of a customer.
const hostile = "=1+1, \"Acme\";\r\nGmbH & Söhne 東京"

// books is an account with issued invoices.
type books struct{ domaintest.Account }

func open() books {
	GinkgoHelper()
	return books{domaintest.OpenOn(storetest.New(), "2025-01-01")}
}

// bill makes customers who use, prepay, pay and are credited, over months of which one has a change of the clock.
func (b books) bill(customers int) {
	GinkgoHelper()
	zone, dollars := "Europe/Berlin", money.Currency("USD")
	for k := range customers {
		b.Clock("2025-01-01")
		var buyer customer.Customer
		name := fmt.Sprint("Customer ", k)
		external := fmt.Sprint("-ext", k)
		b.Do(func(tx *store.Tx) (err error) {
			buyer, err = customer.Create(tx, customer.NewCustomer{Name: name, Email: "bills@acme.test", Timezone: &zone, Currency: &dollars, ExternalCustomerID: &external})
			if err != nil {
				return err
			}
			if k == 0 { // names of before may have line breaks
				if err := tx.Model(&buyer).Update("name", hostile).Error; err != nil {
					return err
				}
			}
			basis := "0.0123456789"
			_, err = credit.Add(tx, buyer, credit.Grant{Currency: dollars, Amount: money.Must("7.5"), PerUnitCostBasis: &basis})
			return err
		})
		plan, start := b.Plan(catalog.NewPlan{Prices: domaintest.Listed(b.Fee("19.99"), b.Calls("unit", `{"unit_amount": "0.0725"}`))}).ID, "2025-01-01"
		b.Do(func(tx *store.Tx) error {
			_, _, err := billing.Subscribe(tx, subscription.NewSubscription{CustomerID: &buyer.ID, PlanID: &plan, StartDate: &start})
			return err
		})
	}
}

// pass does what falls due until an instant, with usage on the way.
func (b books) pass(customers []string) {
	GinkgoHelper()
	for _, month := range []string{"01", "02", "03", "04"} {
		for k, id := range customers {
			b.Record(id, "2025-"+month+"-20T10:00:00", strconv.Itoa(100+17*k))
		}
	}
	b.Clock("2025-05-02T00:00:00")
	b.All(billing.OpenNext)
	b.All(billing.IssueNext)
}

// file exports a report.
func (b books) file(q export.Query) (file []byte) {
	GinkgoHelper()
	var out bytes.Buffer
	Expect(b.Store.View(b.Ctx, func(tx *store.Tx) error {
		_, err := export.Write(tx, q, &out)
		return err
	})).To(Succeed())
	return out.Bytes()
}

// rows are those of a file, each by the names of its columns.
func rows(format export.Format, file []byte) (all []map[string]string) {
	GinkgoHelper()
	var table [][]string
	switch format {
	case export.NDJSON:
		for line := range strings.Lines(string(file)) {
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.UseNumber()
			row, texts := map[string]any{}, map[string]string{}
			Expect(decoder.Decode(&row)).To(Succeed())
			for name, value := range row {
				switch v := value.(type) {
				case nil:
					texts[name] = ""
				case map[string]any:
					text, err := json.Marshal(v)
					Expect(err).NotTo(HaveOccurred())
					texts[name] = string(text)
				default:
					texts[name] = fmt.Sprint(v)
				}
			}
			all = append(all, texts)
		}
		return all
	case export.XLSX:
		book, err := excelize.OpenReader(bytes.NewReader(file))
		Expect(err).NotTo(HaveOccurred())
		for _, sheet := range book.GetSheetList() {
			found, err := book.GetRows(sheet, excelize.Options{RawCellValue: true})
			Expect(err).NotTo(HaveOccurred())
			if table == nil {
				table = found[:1]
			}
			table = append(table, found[1:]...)
		}
	default:
		Expect(bytes.HasSuffix(file, []byte("\r\n"))).To(BeTrue())
		var err error
		table, err = csv.NewReader(bytes.NewReader(file)).ReadAll()
		Expect(err).NotTo(HaveOccurred())
	}
	for _, cells := range table[1:] {
		row := map[string]string{}
		for k, name := range table[0] {
			row[name] = ""
			if k < len(cells) {
				row[name] = cells[k]
			}
		}
		all = append(all, row)
	}
	return all
}

// sums adds up a column by another.
func sums(all []map[string]string, by, column string) map[string]string {
	GinkgoHelper()
	totals := map[string]money.Decimal{}
	for _, row := range all {
		totals[row[by]] = totals[row[by]].Add(money.Must(row[column]))
	}
	texts := map[string]string{}
	for key, total := range totals {
		texts[key] = total.String()
	}
	return texts
}

var _ = Describe("Exports", func() {
	const customers = 3
	var b books
	var issued []invoice.View
	BeforeEach(func() {
		b = open()
		b.bill(customers)
		var ids []string
		b.Do(func(tx *store.Tx) error { return tx.Model(&customer.Customer{}).Order("seq").Pluck("id", &ids).Error })
		b.pass(ids)
		b.Do(func(tx *store.Tx) (err error) {
			issued, _, err = invoice.List(tx, invoice.Filter{Statuses: []invoice.Status{invoice.StatusIssued, invoice.StatusPaid}}, store.Page{Limit: 100})
			return err
		})
		Expect(issued).To(HaveLen(customers * 5)) // one at the start and one for each month that ended
		b.Do(func(tx *store.Tx) error {
			v := issued[0]
			for _, l := range v.Lines {
				if l.Amount.Sign() > 0 {
					_, err := invoice.CreateCreditNote(tx, invoice.NewCreditNote{Lines: []invoice.NewCreditedLine{{LineID: l.ID, Amount: money.Must("1.25")}}})
					return err
				}
			}
			return nil
		})
	})

	for _, format := range []export.Format{export.CSV, export.NDJSON, export.XLSX} {
		It("add up to the invoices of the account, as "+string(format), func() {
			totals, subtotals, due := map[string]string{}, map[string]string{}, map[string]string{}
			b.Do(func(tx *store.Tx) error {
				for _, i := range issued {
					v, err := invoice.Find(tx, i.ID)
					if err != nil {
						return err
					}
					totals[v.ID], subtotals[v.ID], due[v.ID] = v.Total.String(), v.Subtotal.String(), v.AmountDue.String()
				}
				return nil
			})
			invoices := rows(format, b.file(export.Query{Report: export.Invoices, Format: format}))
			Expect(sums(invoices, "invoice_id", "total")).To(Equal(totals))
			Expect(sums(invoices, "invoice_id", "amount_due")).To(Equal(due))

			lines := rows(format, b.file(export.Query{Report: export.Lines, Format: format}))
			Expect(sums(lines, "invoice_id", "amount")).To(Equal(totals))
			Expect(sums(lines, "invoice_id", "subtotal")).To(Equal(subtotals))

			notes := rows(format, b.file(export.Query{Report: export.CreditNotes, Format: format}))
			Expect(notes).To(HaveExactElements(And(HaveKeyWithValue("total", "1.25"), HaveKeyWithValue("invoice_id", issued[0].ID))))
			credited := rows(format, b.file(export.Query{Report: export.CreditNoteLines, Format: format}))
			Expect(sums(credited, "credit_note_id", "amount")).To(Equal(sums(notes, "credit_note_id", "total")))

			ledger := rows(format, b.file(export.Query{Report: export.Ledger, Format: format}))
			credits := map[string]string{}
			for _, balance := range rows(format, b.file(export.Query{Report: export.Balances, Format: format})) {
				if balance["kind"] == "credits" {
					credits[balance["customer_id"]] = balance["balance"]
				}
			}
			Expect(sums(ledger, "customer_id", "change")).To(Equal(credits))
			for _, entry := range ledger {
				if entry["per_unit_cost_basis"] == "" {
					continue // usage beyond the block that was paid for
				}
				Expect(entry["per_unit_cost_basis"]).To(Equal("0.0123456789"))
				Expect(money.Must(entry["cost"]).String()).To(Equal(money.Must(entry["amount"]).Mul(money.Must("0.0123456789")).String()))
			}

			events := rows(format, b.file(export.Query{Report: export.Events, Format: format}))
			Expect(events).To(HaveLen(4 * customers))
			Expect(events[0]).To(HaveKeyWithValue("properties", MatchJSON(`{"n": 100}`)))
		})

		It("have names as they are, and no formula, as "+string(format), func() {
			found := rows(format, b.file(export.Query{Report: export.Customers, Format: format}))
			expected, ext := hostile, "-ext0"
			if format == export.CSV { // whose reader takes a line break for LF
				expected, ext = "'"+strings.ReplaceAll(hostile, "\r\n", "\n"), "'-ext0"
			}
			Expect(found[0]).To(And(HaveKeyWithValue("name", expected), HaveKeyWithValue("external_customer_id", ext)))
			Expect(found).To(HaveLen(customers))
		})
	}

	// The rule: semantics 22.1.3.
	It("have the rows of a time, whose days begin at midnight in the account's zone", func() {
		b.Setting("timezone", "America/New_York")
		span := func(from, to string) (numbers []string) {
			GinkgoHelper()
			q := export.Query{Report: export.Invoices, Format: export.CSV}
			b.Do(func(tx *store.Tx) (err error) {
				if q.From, err = export.ParseBound(tx, "from", from); err != nil {
					return err
				}
				q.To, err = export.ParseBound(tx, "to", to)
				return err
			})
			for _, row := range rows(export.CSV, b.file(q)) {
				numbers = append(numbers, row["invoice_number"])
			}
			return numbers
		}
		all := span("", "")
		Expect(all).To(HaveLen(len(issued)))
		// All were issued as the clock came to 2025-05-02T00:00Z, the evening of the day before in New York, or at the start.
		Expect(span("2025-05-02", "")).To(BeEmpty())
		Expect(span("2025-05-01", "2025-05-02")).To(HaveLen(customers * 4))
		Expect(span("", "2025-05-01")).To(HaveLen(customers))
		Expect(span("2025-05-02T00:00:00Z", "2025-05-02T00:00:00.000001Z")).To(Equal(span("2025-05-01", "")))
		// In New York, 9 March has 23 hours.
		b.Do(func(tx *store.Tx) error {
			for day, instant := range map[string]string{"2025-03-09": "2025-03-09T05:00:00Z", "2025-03-10": "2025-03-10T04:00:00Z"} {
				at, err := export.ParseBound(tx, "from", day)
				Expect(err).NotTo(HaveOccurred())
				Expect(at.Format(time.RFC3339)).To(Equal(instant))
			}
			return nil
		})
	})

	It("have nothing of another account", func() {
		other := storetest.Account(b.Store, "test")
		for _, format := range []export.Format{export.CSV, export.NDJSON} {
			for _, report := range []export.Report{export.Invoices, export.Lines, export.Customers, export.Ledger, export.Events, export.Balances, export.CreditNotes} {
				Expect(b.Store.View(other, func(tx *store.Tx) error {
					var out bytes.Buffer
					n, err := export.Write(tx, export.Query{Report: report, Format: format}, &out)
					Expect(n).To(BeZero(), string(report))
					Expect(strings.Count(out.String(), "\n")).To(Equal(map[export.Format]int{export.CSV: 1}[format]))
					return err
				})).To(Succeed())
			}
		}
	})

	// The rules: semantics 22.1.4 and 22.2.2.
	It("are of one snapshot, in the order of instants, which are those of UTC", func() {
		const many = 600 // more than are fetched at once
		b.Do(func(tx *store.Tx) error {
			for range many {
				if _, err := customer.Create(tx, customer.NewCustomer{Name: "More", Email: "bills@acme.test"}); err != nil {
					return err
				}
			}
			return nil
		})
		var out bytes.Buffer
		added := false
		Expect(b.Store.View(b.Ctx, func(tx *store.Tx) error {
			_, err := export.Write(tx, export.Query{Report: export.Customers, Format: export.CSV, Written: func(int64) error {
				if added {
					return nil
				}
				added = true
				return b.Store.Update(b.Ctx, func(tx *store.Tx) error { return tx.Exec("UPDATE customers SET name = 'Changed'").Error })
			}}, &out)
			return err
		})).To(Succeed())
		found := rows(export.CSV, out.Bytes())
		Expect(found).To(HaveLen(customers + many))
		last := ""
		for _, row := range found {
			Expect(row["name"]).NotTo(Equal("Changed"))
			Expect(row["created_at"]).To(MatchRegexp(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`))
			Expect(row["created_at"] >= last).To(BeTrue())
			last = row["created_at"]
		}
		Expect(rows(export.CSV, b.file(export.Query{Report: export.Customers, Format: export.CSV}))[many]["name"]).To(Equal("Changed"))
	})

	It("are refused where they make no sense", func() {
		now := time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
		for word, q := range map[string]export.Query{
			"report: must be":        {Report: "invoices; DROP TABLE invoices", Format: export.CSV},
			"format: must be":        {Report: export.Invoices, Format: "xml"},
			"from: balances are":     {Report: export.Balances, Format: export.CSV, From: &now},
			"to: must be after from": {Report: export.Invoices, Format: export.CSV, From: &now, To: &now},
		} {
			err := b.Store.View(b.Ctx, func(tx *store.Tx) error {
				_, err := export.Write(tx, q, GinkgoWriter)
				return err
			})
			Expect(err).To(MatchError(ContainSubstring(word)))
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
		}
		Expect(b.Store.View(b.Ctx, func(tx *store.Tx) error {
			_, err := export.ParseBound(tx, "from", "May")
			return err
		})).To(MatchError(ContainSubstring("from: must be a day")))
	})

	// The rule: semantics 22.2.5.
	It("end with an error, not with half a file that looks whole, where they are given up", func() {
		enough := fmt.Errorf("enough")
		for _, format := range []export.Format{export.CSV, export.XLSX} {
			Expect(b.Store.View(b.Ctx, func(tx *store.Tx) error {
				_, err := export.Write(tx, export.Query{Report: export.Lines, Format: format, Written: func(int64) error { return enough }}, GinkgoWriter)
				return err
			})).To(MatchError(enough))
		}
	})
})

var _ = Describe("Reports", func() {
	// The rule: semantics 22.1.1.
	It("are all known to the database, and every view is a report", func() {
		b := open()
		known := map[string]bool{}
		b.Do(func(tx *store.Tx) error {
			var views []string
			err := tx.Raw("SELECT viewname FROM pg_views WHERE schemaname = 'reporting'").Scan(&views).Error
			for _, name := range views {
				_, known[name] = export.Report(name).Right()
			}
			return err
		})
		Expect(slices.Collect(maps.Values(known))).To(HaveEach(true))
		Expect(known).To(HaveLen(12))
	})
})
