package server_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Webhook endpoints", func() {
	It("are created with a secret that is not shown again", func() {
		api := start()
		made := api.post("/v1/webhook_endpoints", object{"url": "https://hooks.acme.test/billing"}).expect(201)
		Expect(made.text("secret")).To(MatchRegexp(`^whsec_\w{40}$`))
		Expect(made.at("event_types")).To(BeNil())
		Expect(made.at("enabled")).To(BeTrue())
		found := api.get("/v1/webhook_endpoints/" + made.text("id")).expect(200)
		Expect(found.at("secret")).To(BeNil())
		Expect(found.at("url")).To(Equal("https://hooks.acme.test/billing"))
		listed := api.get("/v1/webhook_endpoints").expect(200)
		Expect(listed.each("data", "id")).To(Equal(list{made.at("id")}))
		Expect(listed.each("data", "secret")).To(Equal(list{nil}))
	})

	It("are created once for an Idempotency-Key", func() {
		api := start()
		create := func() string {
			return api.post("/v1/webhook_endpoints", object{"url": "https://hooks.acme.test/"}, header{"Idempotency-Key", "k"}).expect(201).text("secret")
		}
		Expect(create()).To(Equal(create()))
	})

	It("change what is sent and leave the rest", func() {
		api := start()
		id := api.post("/v1/webhook_endpoints", object{"url": "https://a.test/"}).expect(201).text("id")
		changed := api.put("/v1/webhook_endpoints/"+id, object{"event_types": list{"customer.created"}, "enabled": false}).expect(200)
		Expect(changed.at("url")).To(Equal("https://a.test/"))
		Expect(changed.at("event_types")).To(Equal(list{"customer.created"}))
		Expect(changed.at("enabled")).To(BeFalse())
		changed = api.put("/v1/webhook_endpoints/"+id, object{"url": "https://b.test/", "event_types": nil}).expect(200)
		Expect(changed.at("url")).To(Equal("https://b.test/"))
		Expect(changed.at("event_types")).To(BeNil())
		Expect(changed.at("enabled")).To(BeFalse())
	})

	It("are gone when they are deleted, with their part of the log", func() {
		api := start()
		id := api.post("/v1/webhook_endpoints", object{"url": "https://a.test/"}).expect(201).text("id")
		delivery := api.post("/v1/webhook_endpoints/"+id+"/test", nil).expect(200).text("id")
		api.delete("/v1/webhook_endpoints/" + id).expect(204)
		api.get("/v1/webhook_endpoints/"+id).refuse(404, "404-resource-not-found", id)
		api.get("/v1/webhook_deliveries/"+delivery).refuse(404, "404-resource-not-found", delivery)
	})

	It("can be tried with a message of their own", func() {
		api := start()
		id := api.post("/v1/webhook_endpoints", object{"url": "https://a.test/", "event_types": list{"customer.created"}}).expect(201).text("id")
		sent := api.post("/v1/webhook_endpoints/"+id+"/test", nil).expect(200)
		Expect(sent.at("status")).To(Equal("pending"))
		Expect(sent.at("type")).To(Equal("resource_event.test"))
		Expect(sent.at("payload.type")).To(Equal("resource_event.test"))
		Expect(sent.at("payload.properties.message")).To(ContainSubstring("Tollkeeper"))
		Expect(sent.at("attempts")).To(BeEmpty())
	})

	DescribeTable("are refused with a URL that would never be called",
		func(mode, url, reason string) {
			api := shared.account(mode)
			api.post("/v1/webhook_endpoints", object{"url": url}).invalid("url: " + reason)
			id := api.post("/v1/webhook_endpoints", object{"url": "https://a.test/"}).expect(201).text("id")
			api.put("/v1/webhook_endpoints/"+id, object{"url": url}).invalid("url: " + reason)
		},
		Entry("of another scheme", "test", "ftp://a.test/", "must begin with https://"),
		Entry("of none", "test", "a.test/hook", "must be a URL"),
		Entry("without a host", "test", "https:///hook", "must be a URL"),
		Entry("with a blank", "test", "https://a.test/ hook", "must be a URL"),
		Entry("with a user", "test", "https://me:secret@a.test/", "must have no user"),
		Entry("with a fragment", "test", "https://a.test/#hook", "must have no fragment"),
		Entry("of a private address", "test", "http://10.0.0.1/", "must have a public address"),
		Entry("of a private address written as one of version 6", "test", "https://[::ffff:10.0.0.1]/", "must have a public address"),
		Entry("of a cloud's metadata", "live", "https://169.254.169.254/", "must have a public address"),
		Entry("that is not encrypted, to a public address, of a live account", "live", "http://1.1.1.1/", "must have a public address"),
		Entry("that is too long", "test", "https://a.test/"+strings.Repeat("x", 2000), "must have at most 2000"),
	)

	It("may be unencrypted in a test account, and in a network of the operator", func() {
		shared.account("test").post("/v1/webhook_endpoints", object{"url": "http://1.1.1.1/"}).expect(201)
		shared.account("live").post("/v1/webhook_endpoints", object{"url": "http://127.0.0.1:8000/"}).expect(201)
	})

	DescribeTable("are refused with types that",
		func(types any, beginning string) {
			start().post("/v1/webhook_endpoints", object{"url": "https://a.test/", "event_types": types}).invalid(beginning)
		},
		Entry("do not exist", list{"customer.created", "customer.vanished"}, "event_types[1]: must be a type of event"),
		Entry("come twice", list{"customer.created", "customer.created"}, "event_types[1]: is there already"),
		Entry("are none", list{}, "event_types: "),
	)

	It("are unknown to other accounts", func() {
		api, other := start(), start()
		id := api.post("/v1/webhook_endpoints", object{"url": "https://a.test/"}).expect(201).text("id")
		delivery := api.post("/v1/webhook_endpoints/"+id+"/test", nil).expect(200).text("id")
		other.get("/v1/webhook_endpoints/"+id).refuse(404, "404-resource-not-found")
		other.put("/v1/webhook_endpoints/"+id, object{"enabled": false}).refuse(404, "404-resource-not-found")
		other.delete("/v1/webhook_endpoints/"+id).refuse(404, "404-resource-not-found")
		other.post("/v1/webhook_endpoints/"+id+"/rotate_secret", nil).refuse(404, "404-resource-not-found")
		other.post("/v1/webhook_endpoints/"+id+"/test", nil).refuse(404, "404-resource-not-found")
		other.post("/v1/webhook_deliveries/"+delivery+"/resend", nil).refuse(404, "404-resource-not-found")
		body := object{"webhook_endpoint_id": id, "timeframe_start": "2020-01-01T00:00:00Z", "timeframe_end": "2100-01-01T00:00:00Z"}
		other.post("/v1/webhook_deliveries/resend", body).refuse(404, "404-resource-not-found")
		Expect(other.get("/v1/webhook_deliveries").expect(200).list("data")).To(BeEmpty())
	})
})

var _ = Describe("The log of deliveries", func() {
	var p *webhookFixture
	var endpoint string
	BeforeEach(func() {
		p = newWebhookFixture()
		p.clock("2025-02-01T00:00:00Z")
	})

	It("is narrowed by endpoint, type and status, newest first", func() {
		endpoint = p.endpoint(receive(always(500)), nil).text("id")
		other := p.endpoint(receive(nil), object{"event_types": list{"customer.created"}}).text("id")
		p.happens(1)
		p.post("/v1/webhook_endpoints/"+endpoint+"/test", nil).expect(200)
		p.pass(0)
		ids := func(query string) list { return p.get("/v1/webhook_deliveries"+query).expect(200).each("data", "type") }
		Expect(ids("")).To(Equal(list{"resource_event.test", "customer.created", "customer.created"}))
		Expect(ids("?webhook_endpoint_id=" + other)).To(Equal(list{"customer.created"}))
		Expect(ids("?type=resource_event.test")).To(Equal(list{"resource_event.test"}))
		Expect(ids("?status=delivered")).To(Equal(list{"customer.created"}))
		Expect(ids("?status=pending&type=customer.created")).To(Equal(list{"customer.created"}))
		Expect(ids("?status=failed")).To(BeEmpty())
	})

	It("gives a range that failed to be sent again", func() {
		p.setting("webhook_retries", "")
		r := receive(always(500))
		endpoint = p.endpoint(r, nil).text("id")
		for _, day := range []string{"2025-02-02", "2025-02-03", "2025-02-04"} {
			p.clock(day + "T00:00:00Z")
			p.happens(1)
		}
		p.pass(0)
		Expect(p.log(endpoint).each("data", "status")).To(HaveEach("failed"))
		r.answer = nil
		body := object{"webhook_endpoint_id": endpoint, "timeframe_start": "2025-02-03T00:00:00Z", "timeframe_end": "2025-02-04T00:00:00Z"}
		Expect(p.post("/v1/webhook_deliveries/resend", body).expect(200).at("resent")).To(Equal(number("1")))
		p.pass(0)
		Expect(p.log(endpoint).each("data", "status")).To(Equal(list{"failed", "delivered", "failed"}))
		Expect(p.post("/v1/webhook_deliveries/resend", body).expect(200).at("resent")).To(Equal(number("0")), "those that failed, by default")
		again := with(body, object{"status": "delivered", "type": "customer.created"})
		Expect(p.post("/v1/webhook_deliveries/resend", again).expect(200).at("resent")).To(Equal(number("1")))
		p.pass(0)
		Expect(r.requests()).To(HaveLen(5))
	})
})
