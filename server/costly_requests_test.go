package server_test

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("Requests that would cost much", func() {
	It("that start a subscription far back are refused before an invoice is made", func() {
		s := startAlone().newFixture("2025-03-15T12:00:00Z")
		conn, err := pgx.Connect(s.ctx, storetest.URL(s.store))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(conn.Close, s.ctx)
		made := func() (numbers int64) { // counted up by each row that was ever written, also if it was undone
			GinkgoHelper()
			Expect(conn.QueryRow(s.ctx, "SELECT last_value FROM invoices_seq_seq").Scan(&numbers)).To(Succeed())
			return numbers
		}
		plan := s.plan(object{}, s.fee("1")).text("id")
		body := func(start string) object {
			return object{"customer_id": s.buyer(nil), "plan_id": plan, "start_date": start}
		}
		before := made()
		s.post("/v1/subscriptions", body("1990-01-01")).invalid("start_date: must not lie more than 366 billing dates back")
		s.post("/v1/subscriptions", body("0001-01-01")).refuse(400, "400-request-validation-errors", "start_date")
		Expect(made()).To(Equal(before))
		s.post("/v1/subscriptions", body("2024-01-01")).expect(201)
		Expect(made()).To(BeNumerically(">", before))
	})

	It("have as many webhook endpoints as an account may have, and no more", func() {
		api := start()
		create := func(n int) *answer {
			return api.post("/v1/webhook_endpoints", object{"url": fmt.Sprintf("https://hooks.acme.test/%d", n)})
		}
		last := create(0).expect(201).text("id")
		Expect(api.store.Update(api.ctx, func(tx *store.Tx) (err error) {
			for n := 1; n < 1000 && err == nil; n++ {
				_, err = webhook.CreateEndpoint(tx, webhook.NewEndpoint{URL: "https://hooks.acme.test/"})
			}
			return err
		})).To(Succeed())
		create(1000).refuse(400, "400-constraint-violation", "at most 1000 webhook endpoints")
		api.account("test").post("/v1/webhook_endpoints", object{"url": "https://hooks.acme.test/"}).expect(201)
		api.delete("/v1/webhook_endpoints/" + last).expect(204)
		create(1000).expect(201)
	})

	DescribeTable("are refused by the number of values in them, packed or not",
		func(value string) {
			body := `{"name": "` + strings.Repeat("x", 10) + `", "metadata": [` + strings.Repeat(value+",", 250_000) + `0]}`
			start().post("/v1/customers", zipped(body), header{"Content-Encoding", "gzip"}).invalid("body: must have at most 250000 values")
		},
		Entry("objects", "{}"), Entry("arrays", "[]"), Entry("numbers", "0"),
	)

	It("unpack to as much as is read of them at most, beyond 10 MB", func() {
		api := start()
		packed := func(length int) []byte { return zipped(`{"events":[],"debug":"` + strings.Repeat("x", length) + `"}`) }
		api.post("/v1/ingest", packed(9<<20), header{"Content-Encoding", "gzip"}).expect(200)
		api.post("/v1/ingest", packed(60<<20), header{"Content-Encoding", "gzip"}).refuse(400, "400-request-validation-errors", "unpack")
		random := make([]string, 1<<20) // what events are like: packed to a twentieth
		for n := range random {
			random[n] = fmt.Sprintf("call-%08d", n)
		}
		api.post("/v1/ingest", zipped(`{"events":[],"debug":["`+strings.Join(random, `","`)+`"]}`), header{"Content-Encoding", "gzip"}).expect(200)
	})
})
