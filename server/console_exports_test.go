package server_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/xuri/excelize/v2"
	"gorm.io/gorm"

	"tollkeeper/domain/user"
	"tollkeeper/store"
)

var _ = Describe("Exports in the console", func() {
	// The rule: semantics 22.1.5.
	It("are a form that leads to the file of a report, in each format", func() {
		a := start()
		a.clock("2025-01-15T00:00:00Z")
		a.post("/v1/customers", object{"name": "=Acme", "email": "bills@acme.example"}).expect(201)
		d := a.desk(user.RoleFinance)
		page := d.see("/console/customers")
		Expect(page.links()).To(ContainElement("/console/exports?report=customers"))
		Expect(d.see("/console/exports?report=customers").html).To(ContainSubstring(`<option value="customers" selected>Customers</option>`))

		file := d.send(http.MethodGet, "/console/exports/file?report=customers&format=csv", nil)
		Expect(file.status).To(Equal(http.StatusOK))
		Expect(file.header.Get("Content-Type")).To(HavePrefix("text/csv"))
		Expect(file.header.Get("Content-Disposition")).To(Equal(`attachment; filename="customers-2025-01-15.csv"`))
		rows, err := csv.NewReader(strings.NewReader(file.html)).ReadAll()
		Expect(err).NotTo(HaveOccurred())
		Expect(rows).To(HaveLen(2))
		Expect(rows[1]).To(ContainElement("'=Acme"))

		file = d.send(http.MethodGet, "/console/exports/file?report=customers&format=ndjson&from=2025-01-15&to=2025-01-16", nil)
		Expect(file.html).To(ContainSubstring(`"name":"=Acme"`))
		file = d.send(http.MethodGet, "/console/exports/file?report=customers&format=ndjson&from=2025-01-16", nil)
		Expect(file.html).To(BeEmpty())
		file = d.send(http.MethodGet, "/console/exports/file?report=customers&format=xlsx", nil)
		book, err := excelize.OpenReader(strings.NewReader(file.html))
		Expect(err).NotTo(HaveOccurred())
		Expect(book.GetCellValue("customers", "C2")).To(Equal("=Acme"))
		Expect(book.GetCellFormula("customers", "C2")).To(BeEmpty())
		logged := a.get("/v1/audit_log?action=exportCustomers").expect(200)
		Expect(logged.list("data")).To(HaveLen(4))
		Expect(logged.at("data[0].actor.type")).To(Equal("person"))

		head := d.send(http.MethodHead, "/console/exports/file?report=customers&format=csv", nil)
		Expect(head.status).To(Equal(http.StatusOK))
		Expect(head.header.Get("Content-Disposition")).To(Equal(`attachment; filename="customers-2025-01-15.csv"`))
		Expect(a.get("/v1/audit_log?action=exportCustomers").expect(200).list("data")).To(HaveLen(4), "nothing was taken away")
		Expect(a.get("/v1/audit_log?action=exportCreditNotes").expect(200).list("data")).To(BeEmpty())
		Expect(a.account("test").get("/v1/audit_log").expect(200).list("data")).To(BeEmpty())
	})

	// The rule: semantics 22.1.2.
	It("are refused by a page that says why, and are not there without the right", func() {
		a := start()
		a.clock("2025-01-15T00:00:00Z")
		d := a.desk(user.RoleOwner)
		for word, query := range map[string]string{
			"must be a day":      "report=invoices&from=soon",
			"balances are those": "report=balances&to=2025-01-01",
			"must be csv":        "report=invoices&format=pdf",
		} {
			page := d.send(http.MethodGet, "/console/exports/file?"+query, nil)
			Expect(page.status).To(Equal(http.StatusBadRequest), query)
			Expect(page.html).To(ContainSubstring(word))
			Expect(page.header).NotTo(HaveKey("Content-Disposition"))
		}
		Expect(d.send(http.MethodGet, "/console/exports/file?report=secrets", nil).status).To(Equal(http.StatusNotFound))
		for _, role := range []user.Role{user.RoleSupport, user.RoleEngineer, user.RoleReader, user.RoleFinance} {
			d := a.desk(role)
			for _, report := range []string{"invoices", "events", "customers", "ledger"} {
				offered := strings.Contains(d.send(http.MethodGet, "/console/exports", nil).html, `value="`+report+`"`)
				status := d.send(http.MethodGet, "/console/exports/file?report="+report, nil).status
				Expect(status).To(Equal(map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[offered]), fmt.Sprint(role, report))
			}
		}
		stranger := d
		stranger.cookie = ""
		Expect(stranger.send(http.MethodGet, "/console/exports/file?report=invoices", nil).status).To(Equal(http.StatusSeeOther))
	})

	It("have nothing of another account", func() {
		a, b := start(), start()
		b.post("/v1/customers", object{"name": "Theirs", "email": "bills@acme.example"}).expect(201)
		file := a.desk(user.RoleOwner).send(http.MethodGet, "/console/exports/file?report=customers&format=ndjson", nil)
		Expect(file.status).To(Equal(http.StatusOK))
		Expect(file.html).To(BeEmpty())
	})

	It("break off, rather than end, where the database fails in the middle", func() {
		a := start()
		a.clock("2025-01-15T00:00:00Z")
		customer := a.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.example"}).expect(201).text("id")
		a.tx(func(tx *store.Tx) error { // far more than buffers hold
			return tx.Exec(`INSERT INTO customers (account_id, id, created_at, name, email, timezone, auto_collection, email_delivery, invoice_prefix)
				SELECT account_id, id || g, created_at, repeat('long name ', 50), email, timezone, auto_collection, email_delivery,
					translate(lpad(g::text, 6, '0'), '0123456789', 'ABCDEFGHIJ')
				FROM customers, generate_series(1, 60000) AS g WHERE id = ?`, customer).Error
		})
		d := a.desk(user.RoleOwner)
		request, err := http.NewRequest(http.MethodGet, d.url+"/console/exports/file?report=customers", nil)
		Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Cookie", d.cookie)
		response, err := d.client.Do(request)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = response.Body.Close() }()
		_, err = io.CopyN(io.Discard, response.Body, 100)
		Expect(err).NotTo(HaveOccurred())
		Expect(a.store.AsOwner(context.Background(), func(db *gorm.DB) error {
			var ended int
			err := db.Raw(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'FETCH%'`).Scan(&ended).Error
			Expect(ended).To(Equal(1))
			return err
		})).To(Succeed())
		rest := new(bytes.Buffer)
		_, err = io.Copy(rest, response.Body)
		Expect(err).To(MatchError(io.ErrUnexpectedEOF))
	})
})
