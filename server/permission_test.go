package server_test

import (
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/store/storetest"
)

// withKey is a with another key of the account, made of in.
func (a *api) withKey(in object) *api {
	GinkgoHelper()
	in["name"] = "another"
	other := *a
	other.key = a.post("/v1/api_keys", in).expect(201).text("api_key")
	return &other
}

var _ = Describe("The scopes of a key", func() {
	// Every operation of the contract, with keys of each kind.
	It("open each operation that they include, and no other", func() {
		owner := start()
		*owner.spoiled = true // requests with random ids and no body change nothing, but ingest none either
		keys := map[string]*api{"all": owner}
		for _, scope := range []string{"read", "ingest"} {
			keys[scope] = owner.withKey(object{"scopes": list{scope}})
		}
		for _, resource := range account.Resources {
			for _, scope := range []string{resource + ":read", resource + ":write"} {
				keys[scope] = owner.withKey(object{"scopes": list{scope}})
			}
		}
		operations := 0
		for _, t := range templates() {
			for method, op := range t.item.Operations() {
				operations++
				needed, _ := op.Extensions["x-scope"].(string)
				resource, access, _ := strings.Cut(needed, ":")
				path := placeholder.ReplaceAllString(t.text, "none")
				for scope, key := range keys {
					allowed := false
					switch scope {
					case "all":
						allowed = true
					case "read", "ingest":
						allowed = access == scope
					case resource + ":write":
						allowed = true
					case resource + ":read":
						allowed = access == "read"
					}
					if !allowed && needed != "" {
						key.send(method, path, nil).refuse(http.StatusForbidden, "403-forbidden", needed)
					} else if scope != "all" || method == http.MethodGet {
						Expect(key.send(method, path, nil).status).NotTo(BeElementOf(401, 403), "%s %s with %s", method, path, scope)
					}
				}
				if op.OperationID != "Ping" && op.OperationID != "ping" {
					Expect(needed).NotTo(BeEmpty(), op.OperationID)
				}
				if method == http.MethodGet {
					Expect(access).To(Or(Equal("read"), BeEmpty()), op.OperationID)
				}
			}
		}
		Expect(operations).To(BeNumerically(">", 150))
	})

	It("cannot be widened by the key itself", func() {
		owner := start()
		weak := owner.withKey(object{"scopes": list{"api_keys:write"}})
		weak.post("/v1/api_keys", object{"name": "more", "scopes": list{"all"}}).refuse(400, "400-constraint-violation", "scopes[0]")
		weak.post("/v1/api_keys", object{"name": "more"}).refuse(400, "400-constraint-violation", "scopes[0]")
		weak.post("/v1/api_keys", object{"name": "same", "scopes": list{"api_keys:read"}}).expect(201)
	})

	It("are refused where they do not exist", func() {
		owner := start()
		owner.post("/v1/api_keys", object{"name": "k", "scopes": list{"everything"}}).invalid("scopes[0]: must be all, read, ingest")
		owner.post("/v1/api_keys", object{"name": "k", "scopes": list{"moon:read"}}).invalid("scopes[0]: must be all, read, ingest")
		owner.post("/v1/api_keys", object{"name": "k", "networks": list{"here"}}).invalid("networks[0]: must be a network")
	})
})

var _ = Describe("An API key", func() {
	It("is shown with its text once, and works", func() {
		owner := start()
		made := owner.post("/v1/api_keys", object{"name": "ci", "scopes": list{"invoices:read", "ingest"}, "networks": list{"10.0.0.0/8"}, "expires_in_seconds": 3600}).expect(201)
		Expect(made.text("api_key")).To(HavePrefix("tk_test_"))
		shown := owner.get("/v1/api_keys/" + made.text("id"))
		Expect(string(shown.text)).NotTo(ContainSubstring(made.text("api_key")))
		Expect(shown.expect(200).at("scopes")).To(Equal(list{"invoices:read", "ingest"}))
		Expect(shown.body().at("networks")).To(Equal(list{"10.0.0.0/8"}))
		Expect(shown.body().at("expires_at")).NotTo(BeNil())
		Expect(owner.get("/v1/api_keys").expect(200).list("data")).To(HaveLen(2))
	})

	It("is not kept for an Idempotency-Key", func() {
		owner := start()
		create := func() string {
			return owner.post("/v1/api_keys", object{"name": "ci"}, header{"Idempotency-Key", "k"}).expect(201).text("api_key")
		}
		Expect(create()).NotTo(Equal(create()))
	})

	It("is refused from another network, and accepted through a proxy only if that is trusted", func() {
		owner := start()
		elsewhere := owner.withKey(object{"networks": list{"203.0.113.0/24"}})
		elsewhere.get("/v1/ping").refuse(403, "403-forbidden", "address")
		elsewhere.get("/v1/ping", header{"X-Forwarded-For", "203.0.113.7"}).refuse(403, "403-forbidden", "address")
		owner.withKey(object{"networks": list{"127.0.0.0/8", "::1"}}).get("/v1/ping").expect(200)
	})

	It("is rotated: the old one works until the overlap ends", func() {
		owner := start()
		first := owner.post("/v1/api_keys", object{"name": "ci", "scopes": list{"read"}}).expect(201)
		second := owner.post("/v1/api_keys/"+first.text("id")+"/rotate", object{"overlap_seconds": 1}).expect(200)
		Expect(second.at("replaces")).To(Equal(first.at("id")))
		Expect(second.at("scopes")).To(Equal(list{"read"}))
		using := func(text string) int {
			other := *owner
			other.key = text
			return other.get("/v1/items").status
		}
		Expect(using(second.text("api_key"))).To(Equal(200))
		Eventually(func() int { return using(first.text("api_key")) }).WithTimeout(10 * time.Second).Should(Equal(401))
		Expect(using(second.text("api_key"))).To(Equal(200))
	})

	It("makes none that works from elsewhere or longer, and says whose work it is", func() {
		owner := start()
		local := list{"127.0.0.0/8", "::1"}
		made := owner.post("/v1/api_keys", object{"name": "ci", "networks": local, "expires_in_seconds": 3600}).expect(201)
		ci := *owner
		ci.key = made.text("api_key")
		for _, body := range []object{
			{"name": "anywhere", "expires_in_seconds": 60}, {"name": "elsewhere", "networks": list{"0.0.0.0/0"}, "expires_in_seconds": 60},
			{"name": "for ever", "networks": local}, {"name": "longer", "networks": local, "expires_in_seconds": 7200},
		} {
			ci.post("/v1/api_keys", body).refuse(400, "400-constraint-violation", "the key of this request")
		}
		child := ci.post("/v1/api_keys", object{"name": "child", "networks": list{"127.0.0.1"}, "expires_in_seconds": 60}).expect(201)
		Expect(child.at("created_by")).To(Equal(made.at("id")))
		all := owner.get("/v1/api_keys").expect(200)
		Expect(all.list("data")).To(HaveLen(3))
		root := all.entry("data", 2).text("id")
		Expect(made.at("created_by")).To(Equal(root))
		ci.post("/v1/api_keys/"+root+"/rotate", object{}).refuse(400, "400-constraint-violation", "networks")

		next := ci.post("/v1/api_keys/"+made.text("id")+"/rotate", object{"overlap_seconds": 600}).expect(200)
		Expect(next.at("expires_at")).To(Equal(made.at("expires_at")))
		ci.get("/v1/ping").expect(200)
		ci.post("/v1/api_keys", object{"name": "child", "networks": local, "expires_in_seconds": 60}).refuse(400, "400-constraint-violation", "was replaced")
		ci.post("/v1/api_keys/"+next.text("id")+"/rotate", object{}).refuse(400, "400-constraint-violation", "was replaced")
	})

	It("is revoked, but not by itself", func() {
		owner := start()
		made := owner.post("/v1/api_keys", object{"name": "ci"}).expect(201)
		other := *owner
		other.key = made.text("api_key")
		other.post("/v1/api_keys/"+made.text("id")+"/revoke", nil).refuse(400, "400-constraint-violation", "itself")
		Expect(owner.post("/v1/api_keys/"+made.text("id")+"/revoke", nil).expect(200).at("revoked_at")).NotTo(BeNil())
		Eventually(func() int { return other.get("/v1/items").status }).WithTimeout(10 * time.Second).Should(Equal(401))
		owner.post("/v1/api_keys/"+made.text("id")+"/rotate", object{}).refuse(400, "400-constraint-violation", "create a new one")
	})

	It("of another account is unknown", func() {
		owner, other := start(), start()
		id := owner.post("/v1/api_keys", object{"name": "ci"}).expect(201).text("id")
		other.get("/v1/api_keys/"+id).refuse(404, "404-resource-not-found", id)
		other.post("/v1/api_keys/"+id+"/rotate", object{}).refuse(404, "404-resource-not-found", id)
		other.post("/v1/api_keys/"+id+"/revoke", nil).refuse(404, "404-resource-not-found", id)
	})
})

var _ = Describe("Two servers on one database", func() {
	// until sends requests with a key to both servers, and fails the spec if one that begins after
	// late is still answered. Both have just answered the key, so both remember it.
	until := func(servers []*api, key string, end func() (late time.Time)) {
		GinkgoHelper()
		ping := func(at *api) int {
			other := *at
			other.key = key
			return other.get("/v1/ping").status
		}
		for _, at := range servers {
			Expect(ping(at)).To(Equal(http.StatusOK))
		}
		late := end()
		refused := map[*api]bool{}
		for len(refused) < len(servers) {
			for _, at := range servers {
				begun := time.Now()
				status := ping(at)
				if begun.After(late) {
					Expect(status).To(Equal(http.StatusUnauthorized), "after a second")
					refused[at] = true
				}
				Expect(status).To(BeElementOf(http.StatusOK, http.StatusUnauthorized))
			}
			time.Sleep(time.Millisecond)
		}
	}
	var here *api
	var both []*api
	BeforeEach(func() {
		here = start()
		there := *here
		there.url = serveOn(storetest.NewFlakyConn(shared.store).Store, 1).url
		both = []*api{here, &there}
	})

	It("refuse a revoked key within a second", func() {
		made := here.post("/v1/api_keys", object{"name": "ci"}).expect(201)
		until(both, made.text("api_key"), func() time.Time {
			here.post("/v1/api_keys/"+made.text("id")+"/revoke", nil).expect(200)
			return time.Now().Add(time.Second)
		})
	})

	DescribeTable("refuse a rotated key within a second of the end of its overlap, and know the new one at once",
		func(overlap int) {
			made := here.post("/v1/api_keys", object{"name": "ci"}).expect(201)
			until(both, made.text("api_key"), func() time.Time {
				fresh := here.post("/v1/api_keys/"+made.text("id")+"/rotate", object{"overlap_seconds": overlap}).expect(200)
				rotated := time.Now()
				for _, at := range both {
					other := *at
					other.key = fresh.text("api_key")
					other.get("/v1/ping").expect(200)
				}
				return rotated.Add(time.Duration(overlap+1) * time.Second)
			})
		},
		Entry("without one", 0),
		Entry("of a second", 1),
	)
})
