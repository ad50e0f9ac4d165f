package webhooks_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/webhooks"
)

var _ = DescribeTable("W-1: A signature",
	func(secret, timestamp, body, signature string) {
		Expect(webhooks.Signature(secret, timestamp, body)).To(Equal(signature))
		Expect(webhooks.Signature(secret+"x", timestamp, body)).NotTo(Equal(signature))
		Expect(webhooks.Signature(secret, timestamp+"0", body)).NotTo(Equal(signature))
		for at := range body {
			other := []byte(body)
			other[at] ^= 1
			Expect(webhooks.Signature(secret, timestamp, string(other))).NotTo(Equal(signature))
		}
	},
	Entry("of the hosted service's own specs", "c-UGKYdnhHh436B_sMouYAPUvXyWpzOdunZBV5dFSD8", "2024-03-27T15:42:29.551",
		`{"id": "o4mmewpfNNTnjfZc", "created_at": "2024-03-27T15:42:29+00:00", "type": "resource_event.test", `+
			`"properties": {"message": "A test webhook from Orb. Happy testing!"}}`,
		"v1=9d25de966891ab0bc18754faf8d83d0980b44ae330fcc130b41a6cf3daf1f391"),
	Entry("of an issued invoice", "whsec_test_0123456789abcdef", "2025-02-01T12:00:05.250",
		`{"id":"wh_7Qm2","created_at":"2025-02-01T12:00:05+00:00","type":"invoice.issued","invoice":{"id":"inv_1","invoice_number":"ABCDEF-00001",`+
			`"status":"issued","total":"120.00","amount_due":"120.00"},"properties":{"automatically_marked_as_paid":false}}`,
		"v1=d1ef49610110bcb1b8045bab2b33d47e356f8334874b3cd3763305586c236ff7"),
)
