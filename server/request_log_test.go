package server_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/requestlog"
	"tollkeeper/domain/user"
	"tollkeeper/store"
)

var _ = Describe("The request log", func() {
	// recent are the requests of an account that are stored, oldest first.
	recent := func(a *api) (requests []requestlog.Request) {
		GinkgoHelper()
		Expect(a.server.RequestLog().Pass(context.Background())).To(Succeed())
		a.tx(func(tx *store.Tx) (err error) {
			return tx.Order("seq").Find(&requests).Error
		})
		return requests
	}

	It("has who asked for what, how it ended and why, without bodies and queries", func() {
		a := startAlone()
		made := a.post("/v1/customers", object{"name": "Very secret", "email": "a@example.com"}).expect(201)
		a.get("/v1/customers/"+made.text("id")+"?expand=hidden-word", header{"X-Request-Id", "mine-1"})
		a.post("/v1/customers", object{"name": "Very secret"}).refuse(400, "400-request-validation-errors", "email")
		weak := a.withKey(object{"scopes": list{"read"}})
		weak.post("/v1/items", object{"name": "x"}).refuse(403, "403-forbidden", "items:write")
		a.get("/v1/nothing/" + a.key)
		found := recent(a)
		Expect(found).To(HaveLen(6))
		Expect(found[0].Operation).To(Equal("createCustomer"))
		Expect([]any{found[0].Method, found[0].Path, found[0].Status, found[0].Problem}).To(Equal([]any{"POST", "/v1/customers", 201, ""}))
		Expect(found[0].TookMicros).To(BeNumerically(">", 0))
		Expect(found[0].CreatedAt).To(BeTemporally("~", time.Now(), time.Minute))
		Expect([]any{found[1].Path, found[1].RequestID}).To(Equal([]any{"/v1/customers/" + made.text("id"), "mine-1"}))
		Expect(found[2].Status).To(Equal(400))
		Expect(found[2].Problem).To(ContainSubstring("email: "))
		Expect([]any{found[4].Status, found[4].Operation}).To(Equal([]any{403, "createItem"}))
		Expect(found[4].Problem).To(ContainSubstring("items:write"))
		Expect(found[4].KeyID).NotTo(Equal(found[0].KeyID))
		Expect([]any{found[5].Status, found[5].Operation, found[5].Path}).To(Equal([]any{404, "", "/v1/nothing/tk_…"}))
		a.tx(func(tx *store.Tx) error {
			var text string
			Expect(tx.Raw("SELECT string_agg(r::text, ' ') FROM api_requests r").Scan(&text).Error).To(Succeed())
			Expect(text).NotTo(Or(ContainSubstring("Very secret"), ContainSubstring("hidden-word"), ContainSubstring(a.key)))
			return nil
		})
	})

	It("has no stored events, but those that were refused, and nothing without a good key or by a person", func() {
		a := startAlone()
		a.post("/v1/ingest", object{"events": list{object{"event_name": "e", "idempotency_key": "1", "customer_id": "c", "timestamp": "2025-01-01T00:00:00Z", "properties": object{}}}})
		a.post("/v1/ingest?backfill_id=none", object{"events": list{}})
		a.get("/v1/customers", header{"Authorization", "Bearer wrong"})
		found := recent(a)
		for _, r := range found {
			Expect(r.Status).To(BeNumerically(">=", 400))
			Expect(r.Operation).To(Equal("ingest"))
		}
		Expect(found).NotTo(BeEmpty())
		before := len(found)
		Expect(a.desk(user.RoleOwner).send(http.MethodGet, "/console/customers", nil).status).To(Equal(200))
		Expect(recent(a)).To(HaveLen(before))
	})

	It("takes text that the database would refuse, and shortens what is long", func() {
		a := startAlone()
		a.send(http.MethodGet, "/v1/customers/%00%ff", nil)
		a.send(http.MethodGet, "/v1/"+strings.Repeat("ä", 600), nil)
		found := recent(a)
		Expect(found).To(HaveLen(2))
		Expect([]rune(found[1].Path)).To(HaveLen(500))
	})

	It("is of one account, and keeps a week and a bounded number", func() {
		a := startAlone()
		other := a.account("test")
		a.get("/v1/items").expect(200)
		other.get("/v1/items").expect(200)
		Expect(recent(a)).To(HaveLen(1))
		Expect(recent(other)).To(HaveLen(1))
		now := time.Now()
		a.tx(func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO api_requests (account_id, id, created_at, key_id, operation, method, path, status, took_micros, request_id)
				SELECT ?, 'r' || n, ?::timestamptz - n * interval '1 second', 'k', '', 'GET', '/', 200, 1, 'r' FROM generate_series(1, 21000) n`, tx.AccountID, now).Error
		})
		count := func(a *api) (n int64) {
			GinkgoHelper()
			a.tx(func(tx *store.Tx) error { return tx.Model(&requestlog.Request{}).Count(&n).Error })
			return n
		}
		Expect(a.server.RequestLog().Forget(context.Background(), now)).To(Succeed())
		Expect(count(a)).To(BeEquivalentTo(20000))
		Expect(count(other)).To(BeEquivalentTo(1))
		Expect(a.server.RequestLog().Forget(context.Background(), now.Add(7*24*time.Hour-10000*time.Second))).To(Succeed())
		Expect(count(a)).To(BeEquivalentTo(1 + 10000)) // the request itself, and one a second
		Expect(a.server.RequestLog().Forget(context.Background(), now.Add(7*24*time.Hour+time.Minute))).To(Succeed())
		Expect(count(a) + count(other)).To(BeZero())
	})

	It("holds up no request while it is not stored, and stores a bounded number of an account at once", func() {
		a := startAlone()
		for range 300 {
			a.get("/v1/ping").expect(200)
		}
		Expect(recent(a)).To(HaveLen(200))
		Expect(string(a.get("/metrics", header{"Authorization", ""}).text)).To(ContainSubstring("tollkeeper_requests_unlogged_total 100"))
		for range 300 {
			a.get("/v1/ping").expect(200)
		}
		By("a database that refuses the log")
		Expect(a.store.AsOwner(context.Background(), func(db *gorm.DB) error { return db.Exec("REVOKE INSERT ON api_requests FROM tollkeeper_app").Error })).To(Succeed())
		a.get("/v1/ping").expect(200)
		Expect(a.server.RequestLog().Pass(context.Background())).NotTo(Succeed())
		a.get("/v1/ping").expect(200)
	})

	It("is a page of the console, with filters and the reasons of refusals", func() {
		a := startAlone()
		a.get("/v1/items").expect(200)
		a.post("/v1/items", object{"name": 7}).expect(400)
		Expect(a.server.RequestLog().Pass(context.Background())).To(Succeed())
		owner := a.desk(user.RoleOwner)
		page := owner.send(http.MethodGet, "/console/requests", nil)
		Expect(page.status).To(Equal(200))
		Expect(page.html).To(And(ContainSubstring("List items"), ContainSubstring("POST /v1/items"), ContainSubstring("400 Bad Request"), ContainSubstring("name: must be a string"), ContainSubstring(">Spec<")))
		refused := owner.send(http.MethodGet, "/console/requests?ending=refused", nil)
		Expect(refused.html).To(And(ContainSubstring("POST /v1/items"), Not(ContainSubstring("GET /v1/items"))))
		Expect(owner.send(http.MethodGet, "/console/requests?key_id=none", nil).html).NotTo(ContainSubstring("/v1/items"))
		reader := a.desk(user.RoleReader).send(http.MethodGet, "/console/requests", nil)
		Expect(reader.html).To(And(ContainSubstring("List items"), MatchRegexp(`key_id=[^>]*>key_\w+<`), Not(MatchRegexp(`key_id=[^>]*>Spec<`))), "who may not read keys sees their ids")
		for i := range 30 {
			a.get("/v1/items/none" + strconv.Itoa(i)).expect(404)
		}
		Expect(a.server.RequestLog().Pass(context.Background())).To(Succeed())
		first := owner.send(http.MethodGet, "/console/requests", nil)
		Expect(first.html).To(And(ContainSubstring("none29"), ContainSubstring("cursor="), Not(ContainSubstring("none1<"))))
	})
})
