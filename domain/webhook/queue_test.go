package webhook_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A message", func() {
	var o outbox
	BeforeEach(func() { o = open() })

	It("is written once, and delivered to each enabled endpoint that wants its type (semantics 13.1.1)", func() {
		all, some := o.endpoint(), o.endpoint(webhook.CustomerCreated, webhook.CustomerEdited)
		other, off := o.endpoint(webhook.InvoiceIssued), o.endpoint()
		o.edit(off.ID, disable)
		o.happens(webhook.CustomerCreated, "cus_1")
		deliveries := o.log(webhook.Filter{})
		Expect(deliveries).To(HaveLen(2))
		Expect([]string{deliveries[0].EndpointID, deliveries[1].EndpointID}).To(Equal([]string{all.ID, some.ID}))
		Expect(deliveries[0].MessageID).To(Equal(deliveries[1].MessageID))
		for _, e := range []webhook.Endpoint{other, off} {
			Expect(o.log(webhook.Filter{EndpointID: e.ID})).To(BeEmpty())
		}
		o.do(func(tx *store.Tx) error {
			bodies, err := webhook.Bodies(tx, deliveries)
			Expect(bodies).To(Equal(map[string]string{deliveries[0].MessageID: `{"id": "` + deliveries[0].MessageID + `", "of": "cus_1"}`}))
			return err
		})
	})

	It("is gone with the transaction that did not happen (semantics 13.1.5)", func() {
		e := o.endpoint()
		undone := errors.New("undone")
		Expect(o.try(func(tx *store.Tx) error {
			err := webhook.Queue(tx, []webhook.Announcement{{Type: webhook.CustomerCreated, ID: "cus_1"}}, body)
			return errors.Join(err, undone)
		})).To(MatchError(undone))
		Expect(o.log(webhook.Filter{EndpointID: e.ID})).To(BeEmpty())
	})

	It("is not written of what is not there any more, and others are", func() {
		o.endpoint()
		o.do(func(tx *store.Tx) error {
			return webhook.Queue(tx, []webhook.Announcement{{Type: webhook.CustomerCreated, ID: "gone"}, {Type: webhook.CustomerCreated, ID: "there"}},
				func(tx *store.Tx, m webhook.Message, a webhook.Announcement) (string, error) {
					if a.ID == "gone" {
						return "", fault.Missing("Customer", a.ID)
					}
					return body(tx, m, a)
				})
		})
		Expect(o.log(webhook.Filter{})).To(HaveLen(1))
	})

	It("fails the transaction if it cannot be written", func() {
		o.endpoint()
		broken := errors.New("broken")
		Expect(o.try(func(tx *store.Tx) error {
			return webhook.Queue(tx, []webhook.Announcement{{Type: webhook.CustomerCreated}},
				func(*store.Tx, webhook.Message, webhook.Announcement) (string, error) { return "", broken })
		})).To(MatchError(broken))
	})

	It("is not written where no endpoint wants it", func() {
		o.endpoint(webhook.InvoiceIssued)
		o.do(func(tx *store.Tx) error {
			return webhook.Queue(tx, []webhook.Announcement{{Type: webhook.CustomerCreated}},
				func(*store.Tx, webhook.Message, webhook.Announcement) (string, error) {
					defer GinkgoRecover()
					Fail("nobody asked for it")
					return "", nil
				})
		})
		o.do(func(tx *store.Tx) error {
			wanted, err := webhook.Wanted(tx, webhook.CustomerCreated, webhook.InvoiceIssued)
			Expect(wanted).To(BeTrue())
			unwanted, otherErr := webhook.Wanted(tx, webhook.CustomerCreated)
			Expect(unwanted).To(BeFalse())
			return errors.Join(err, otherErr)
		})
	})

	It("is of its account alone", func() {
		elsewhere := open()
		elsewhere.endpoint()
		o.happens(webhook.CustomerCreated, "cus_1")
		Expect(elsewhere.log(webhook.Filter{})).To(BeEmpty())
	})
})

var _ = Describe("An endpoint", func() {
	var o outbox
	BeforeEach(func() { o = open() })

	It("has a secret of its own, until it is given another (semantics 13.3)", func() {
		first, second := o.endpoint(), o.endpoint()
		Expect(first.Secret).To(MatchRegexp(`^whsec_[0-9A-Za-z]{40}$`))
		Expect(second.Secret).NotTo(Equal(first.Secret))
		o.do(func(tx *store.Tx) error {
			rotated, err := webhook.RotateSecret(tx, first.ID)
			Expect(rotated.Secret).NotTo(Equal(first.Secret))
			return err
		})
		Expect(o.find(first.ID).Secret).NotTo(Equal(first.Secret))
		Expect(o.find(second.ID).Secret).To(Equal(second.Secret))
	})

	DescribeTable("names types that there are, each once",
		func(field string, types ...webhook.Type) {
			e := o.endpoint()
			err := o.try(func(tx *store.Tx) error {
				_, err := webhook.UpdateEndpoint(tx, e.ID, func(e *webhook.Endpoint) { e.EventTypes, e.URL = &types, "https://changed.test" })
				return err
			})
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
			Expect(err).To(MatchError(HavePrefix(field + ": ")))
			Expect(o.find(e.ID).URL).To(Equal(e.URL))
		},
		Entry("none at all", "event_types"),
		Entry("one that there is not", "event_types[1]", webhook.CustomerCreated, webhook.Type("customer.vanished")),
		Entry("one twice", "event_types[2]", webhook.CustomerCreated, webhook.CustomerEdited, webhook.CustomerCreated),
	)

	It("takes its part of the log with it, and no other", func() {
		one, two := o.endpoint(), o.endpoint()
		o.happens(webhook.CustomerCreated, "cus_1")
		o.do(func(tx *store.Tx) error { return webhook.RemoveEndpoint(tx, one.ID) })
		Expect(o.log(webhook.Filter{EndpointID: one.ID})).To(BeEmpty())
		Expect(o.log(webhook.Filter{EndpointID: two.ID})).To(HaveLen(1))
		Expect(fault.Is(o.try(func(tx *store.Tx) error { return webhook.RemoveEndpoint(tx, one.ID) }), fault.KindMissing)).To(BeTrue())
	})

	It("cannot be reached from another account", func() {
		e, elsewhere := o.endpoint(), open()
		for _, operation := range []func(tx *store.Tx) error{
			func(tx *store.Tx) error { _, err := webhook.FindEndpoint(tx, e.ID); return err },
			func(tx *store.Tx) error { _, err := webhook.RotateSecret(tx, e.ID); return err },
			func(tx *store.Tx) error { _, err := webhook.UpdateEndpoint(tx, e.ID, disable); return err },
			func(tx *store.Tx) error { _, err := webhook.SendTest(tx, e.ID, body); return err },
			func(tx *store.Tx) error { return webhook.RemoveEndpoint(tx, e.ID) },
		} {
			Expect(fault.Is(elsewhere.try(operation), fault.KindMissing)).To(BeTrue())
		}
		Expect(o.find(e.ID)).To(HaveField("Secret", e.Secret))
	})

	It("is sent a test, whatever it wants to be told, unless it is disabled", func() {
		e, other := o.endpoint(webhook.InvoiceIssued), o.endpoint()
		test := func() (sent webhook.Delivery, err error) {
			err = o.try(func(tx *store.Tx) (err error) {
				sent, err = webhook.SendTest(tx, e.ID, body)
				return err
			})
			return sent, err
		}
		sent, err := test()
		Expect(err).NotTo(HaveOccurred())
		Expect(sent.Type).To(Equal(webhook.Test))
		Expect(o.log(webhook.Filter{EndpointID: e.ID})).To(HaveLen(1))
		Expect(o.log(webhook.Filter{EndpointID: other.ID})).To(BeEmpty())
		o.edit(e.ID, disable)
		_, err = test()
		Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
	})
})
