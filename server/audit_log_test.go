package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/user"
	"tollkeeper/store"
)

// changes are the ids of requests that changed something, as the contract says by x-scope.
type changes struct {
	mu  sync.Mutex
	ids []string
}

func (c *changes) note(request *http.Request, r *answer) {
	route := routeOf(request)
	if c == nil || route == nil || r.status >= 300 || r.header.Get("Idempotent-Replayed") != "" {
		return
	}
	if scope, _ := route.Operation.Extensions["x-scope"].(string); strings.HasSuffix(scope, ":write") {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ids = append(c.ids, r.header.Get("X-Request-Id"))
	}
}

// audited fails the spec unless each request that changed something has exactly one entry of
// the audit log.
func (a *api) audited() {
	GinkgoHelper()
	want := map[string]int{}
	for _, id := range a.changes.ids {
		want[id]++
	}
	got := map[string]int{}
	Expect(a.store.View(a.ctx, func(tx *store.Tx) error {
		var ids []string
		err := tx.Raw("SELECT request_id FROM audit_entries WHERE account_id = ? AND request_id IS NOT NULL", tx.AccountID).Scan(&ids).Error
		for _, id := range ids {
			if want[id] > 0 { // others lost their answer
				got[id]++
			}
		}
		return err
	})).To(Succeed())
	Expect(got).To(Equal(want), "entries of the audit log by request")
}

var _ = Describe("The audit log", func() {
	It("shows names of keys and addresses of invitations to who sees them elsewhere", func() {
		api := start()
		made := api.post("/v1/api_keys", object{"name": "billing of Acme"}).expect(201).text("id")
		api.post("/v1/items", object{"name": "Widget"}).expect(201)
		ctx := audit.Begin(api.ctx, audit.Actor{Type: audit.Person, ID: "person_1", Name: "Mira"}, "invitePerson", nil)
		Expect(api.store.Update(ctx, func(tx *store.Tx) error {
			if _, _, err := user.Invite(tx, "jon@acme.test", user.RoleFinance); err != nil {
				return err
			}
			return audit.Write(tx)
		})).To(Succeed())
		for scope, sees := range map[string]struct{ keys, invitations bool }{"audit_log:read": {}, "read": {keys: true}, "all": {true, true}} {
			answered := api.withKey(object{"scopes": list{scope}}).get("/v1/audit_log?limit=100")
			answered.expect(200)
			text := string(answered.text)
			Expect(strings.Contains(text, "billing of Acme")).To(Equal(sees.keys), scope)
			Expect(strings.Contains(text, "jon@acme.test")).To(Equal(sees.invitations), scope)
			Expect(text).To(And(ContainSubstring(made), ContainSubstring("Widget"), ContainSubstring("Mira")), scope)
		}
		weak := api.withKey(object{"scopes": list{"audit_log:read"}}).get("/v1/audit_log?action=createItem").expect(200)
		Expect(weak.at("data[0].actor.name")).To(Equal(weak.at("data[0].actor.id")))
	})

	It("says by which key and request what was changed", func() {
		api := start()
		api.clock("2025-03-31T12:00:00Z")
		id := api.post("/v1/items", object{"name": "Widget"}, header{"X-Request-Id", "first"}).expect(201).text("id")
		api.put("/v1/items/"+id, object{"name": "Gadget"}, header{"X-Request-Id", "second"}).expect(200)
		log := api.get("/v1/audit_log?resource_id=" + id).expect(200)
		Expect(log.each("data", "action")).To(Equal(list{"updateItem", "createItem"}))
		Expect(log.each("data", "request_id")).To(Equal(list{"second", "first"}))
		change := log.entry("data", 0)
		Expect(change.at("account_time")).To(Equal("2025-03-31T12:00:00Z"))
		Expect(change.at("actor.type")).To(Equal("api_key"))
		Expect(change.at("actor.name")).To(Equal("Spec"))
		Expect(change.list("changes")).To(HaveLen(1))
		Expect(change.entry("changes", 0).at("resource")).To(Equal("items"))
		Expect(change.entry("changes", 0).at("before")).To(Equal(object{"name": "Widget"}))
		Expect(change.entry("changes", 0).at("after")).To(Equal(object{"name": "Gadget"}))
	})

	It("has no entry for what is refused, read, replayed or done by the clock", func() {
		api := start()
		api.clock("2025-03-31T12:00:00Z")
		before := api.get("/v1/audit_log?limit=100").expect(200).list("data")
		api.post("/v1/items", object{"name": ""}).expect(400)
		api.post("/v1/items", object{"name": "Widget"}, header{"Idempotency-Key", "k"}).expect(201)
		api.post("/v1/items", object{"name": "Widget"}, header{"Idempotency-Key", "k"}).expect(201)
		api.get("/v1/items").expect(200)
		api.clock("2025-06-30T12:00:00Z")
		after := api.get("/v1/audit_log?limit=100").expect(200)
		Expect(after.list("data")).To(HaveLen(len(before)+2), "the item and the clock")
		Expect(after.each("data", "action")).To(HaveExactElements("advanceTestClock", "createItem", "advanceTestClock"), "newest first")
	})

	It("is not another account's", func() {
		api, other := start(), start()
		id := api.post("/v1/items", object{"name": "Widget"}).expect(201).text("id")
		Expect(other.get("/v1/audit_log?resource_id=" + id).expect(200).list("data")).To(BeEmpty())
		Expect(other.get("/v1/audit_log").expect(200).list("data")).To(BeEmpty())
	})

	It("shows no text of a key", func() {
		api := start()
		made := api.post("/v1/api_keys", object{"name": "ci"}).expect(201)
		log := api.get("/v1/audit_log")
		Expect(string(log.text)).To(ContainSubstring(made.text("id")))
		Expect(string(log.text)).NotTo(ContainSubstring(made.text("api_key")))
		Expect(string(log.text)).To(ContainSubstring(fmt.Sprintf("%q:%q", "hash", "hidden")))
	})
})
