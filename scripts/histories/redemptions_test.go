package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/scripts/rig"
)

// semantics 15.1.6.
var _ = Describe("how often coupons were redeemed, in the model", func() {
	It("is once for each redemption that was not taken back", func() {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"data":[{"redemption_code":"coupon1","times_redeemed":1}],"pagination_metadata":{"has_more":false,"next_cursor":null}}`)
		}))
		defer server.Close()
		r := newRun(&client{Client: rig.Client{URL: server.URL}})
		s, _ := monthly("2025-03-01", priceSpec{Name: "Fee", Model: "unit", Amount: "10.00", Quantity: "1"})
		r.w.subs[s.name], r.w.redeemed = s, true
		s.coupons = []redemption{{code: "coupon1", part: rat("0.2"), from: date("2025-03-20")}}
		Expect(r.redemptions(context.Background())).To(Succeed())
		s.coupons = nil // as the subscription was cancelled as of 15 March
		Expect(r.redemptions(context.Background())).To(MatchError(ContainSubstring("coupon1 was redeemed 1 times, expected 0")))
	})
})
