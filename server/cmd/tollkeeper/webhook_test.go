package main

import (
	"bytes"
	"context"
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("tollkeeper webhook", func() {
	var st *store.Store
	BeforeEach(func() {
		st = storetest.New()
		set("TOLLKEEPER_DATABASE_URL", storetest.URL(st))
		set("TOLLKEEPER_WEBHOOK_NETWORKS", "")
	})
	account := func(mode string) string {
		GinkgoHelper()
		return store.AccountID(storetest.Account(st, mode))
	}
	did := func(args ...string) string {
		GinkgoHelper()
		var out bytes.Buffer
		Expect(run(context.Background(), append([]string{"webhook"}, args...), &out)).To(Succeed())
		return out.String()
	}

	It("adds endpoints, lists them without their secrets, and removes them", func() {
		id := account("live")
		Expect(did("add", "--account", id, "https://all.test/")).To(MatchRegexp(`^webhook endpoint whe_\w{20}\nsecret whsec_\w{40} `))
		var made struct{ ID, Secret string }
		Expect(json.Unmarshal([]byte(did("add", "--account", id, "https://a.test/", "--type", "invoice.issued", "--json")), &made)).To(Succeed())
		listed := did("list", "--account", id)
		Expect(listed).To(MatchRegexp(made.ID + ` +https://a.test/ +invoice.issued +true\n`))
		Expect(listed).To(MatchRegexp(`https://all.test/ +all +true\n`))
		Expect(listed).NotTo(ContainSubstring("whsec_"))
		did("remove", "--account", id, made.ID)
		Expect(did("list", "--account", id, "--json")).NotTo(ContainSubstring(made.ID))
	})

	It("refuses what the server would never call, and what it could in a network that is listed", func() {
		id := account("live")
		add := []string{"webhook", "add", "--account", id, "http://10.1.2.3/"}
		Expect(run(context.Background(), add, GinkgoWriter)).To(MatchError(ContainSubstring("must begin with https://")))
		set("TOLLKEEPER_WEBHOOK_NETWORKS", "192.168.0.0/16,10.0.0.0/8")
		Expect(run(context.Background(), add, GinkgoWriter)).To(Succeed())
		set("TOLLKEEPER_WEBHOOK_NETWORKS", "ten")
		Expect(run(context.Background(), add, GinkgoWriter)).To(MatchError(ContainSubstring(`TOLLKEEPER_WEBHOOK_NETWORKS: "ten" is no network`)))
	})

	It("knows the types of messages", func() {
		err := run(context.Background(), []string{"webhook", "add", "--account", account("test"), "https://a.test/", "--type", "x.y"}, GinkgoWriter)
		Expect(err).To(MatchError(ContainSubstring("event_types[0]: must be a type of event")))
	})
})
