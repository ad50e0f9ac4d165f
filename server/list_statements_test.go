package server_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/gen"
	"tollkeeper/store/storetest"
)

// A list reads what its rows have in common for all of them at once. So it takes as many
// statements for many rows as for few.
var _ = Describe("The statements of a list", Ordered, func() {
	var flaky *storetest.FlakyConn
	var s fixture
	var counting *api // the same account, at a server whose statements are counted
	var first struct{ customer, plan, coupon string }

	// grow makes some more of everything that is listed.
	grow := func(n int) {
		GinkgoHelper()
		for k := range n {
			name := fmt.Sprint(n, "-", k)
			s.post("/v1/webhook_endpoints", object{"url": "https://hooks.acme.test/" + name}).expect(201)
			s.post("/v1/dimensional_price_groups", object{"name": name, "billable_metric_id": s.metric, "dimensions": list{"region"}}).expect(201)
			s.licenseType(name)
			s.api.metric("SELECT SUM(" + fmt.Sprintf("n%d_%d", n, k) + ") FROM events")
			buyer := s.buyer(object{"external_customer_id": "alias " + name})
			made := s.plan(object{"external_plan_id": "plan " + name}, s.fee("31.00"), s.calls("1.00"))
			plan := made.text("id")
			code := "CODE" + strings.ReplaceAll(name, "-", "X")
			coupon := s.coupon(percent(code, "0.2"), nil)
			if first.customer == "" {
				first.customer, first.plan, first.coupon = buyer, plan, coupon
			}
			// subscriptions of each customer, and of one customer, one plan and one coupon
			for _, of := range [][3]string{{buyer, plan, code}, {first.customer, first.plan, "CODE1X0"}} {
				sub := s.on(of[1], of[0], object{"coupon_redemption_code": of[2]})
				s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"plan_id": s.plan(nil, s.fee("62.00")).text("id"), "change_option": "immediate"}, later).expect(200)
			}
			s.use(buyer, "2025-03-01T00:00:00Z", "3")
			for _, whose := range []string{buyer, first.customer} {
				s.moveBalance(whose, "3")
				s.credits(whose, nil)
			}
			line := s.bill(s.buyer(nil), "31.00").text("line_items[0].id")
			s.post("/v1/credit_notes", object{"line_items": list{credited(line, "3.00")}}).expect(201)
			s.version(plan, 2, replacing(made.at("prices[0].id"), s.fee("62.00")))
			s.post("/v1/api_keys", object{"name": name}).expect(201)
			s.post("/v1/events/backfills", object{
				"timeframe_start": fmt.Sprintf("2025-02-%02dT%02d:00:00Z", n, k), "timeframe_end": fmt.Sprintf("2025-02-%02dT%02d:00:00Z", n, k+1), "replace_existing_events": false,
			}).expect(200)
		}
	}

	BeforeAll(func() {
		flaky = storetest.NewFlakyConn(shared.store)
		s = newFixture("2025-03-01T00:00:00Z")
		counting = serveOn(flaky.Store, 1)
		counting.key = s.key
	})

	// lists are paths by operation.
	lists := func() map[string]string {
		ofCustomer := "/v1/customers/" + first.customer
		return map[string]string{
			"listItems": "/v1/items", "listMetrics": "/v1/metrics", "listPlans": "/v1/plans", "listPrices": "/v1/prices",
			"listDimensionalPriceGroups": "/v1/dimensional_price_groups", "listLicenseTypes": "/v1/license_types",
			"listCustomers": "/v1/customers", "listBalanceTransactions": ofCustomer + "/balance_transactions",
			"listCredits": ofCustomer + "/credits?currency=credits", "listLedgerEntries": ofCustomer + "/credits/ledger?currency=credits",
			"listCoupons":             "/v1/coupons",
			"listCouponSubscriptions": "/v1/coupons/" + first.coupon + "/subscriptions", "listSubscriptions": "/v1/subscriptions",
			"listSubscriptionChanges": "/v1/subscription_changes", "listBackfills": "/v1/events/backfills", "listEvents": "/v1/events",
			"listInvoices": "/v1/invoices", "listInvoiceSummaries": "/v1/invoices/summary", "listCreditNotes": "/v1/credit_notes",
			"listWebhookEndpoints": "/v1/webhook_endpoints", "listWebhookDeliveries": "/v1/webhook_deliveries", "listAPIKeys": "/v1/api_keys", "listAuditLog": "/v1/audit_log",
		}
	}

	// ask counts the rows and the statements of each list: the fewest of three times, since the server may note
	// the last use of the key beside one.
	ask := func() (rows, statements map[string]int) {
		GinkgoHelper()
		rows, statements = map[string]int{}, map[string]int{}
		for op, path := range lists() {
			separator := "?"
			if strings.Contains(path, "?") {
				separator = "&"
			}
			counting.get(path + separator + "limit=100").expect(200) // connections prepare, and the key is remembered
			for n := range 3 {
				before := flaky.Passed()
				rows[op] = len(counting.get(path + separator + "limit=100").expect(200).list("data"))
				if took := flaky.Passed() - before; n == 0 || took < statements[op] {
					statements[op] = took
				}
			}
		}
		return rows, statements
	}

	It("are as many for many rows as for few", func() {
		Expect(slices.Sorted(maps.Keys(lists()))).To(Equal(pagedOperations()), "of those that the contract pages")
		grow(1)
		rowsOfFew, few := ask()
		grow(7)
		rowsOfMany, many := ask()
		Expect(many).To(Equal(few))
		for op := range many {
			Expect(rowsOfMany[op]).To(BeNumerically(">", rowsOfFew[op]+5), op)
		}
	})

	It("would be found to be more where each row is read by itself", func() {
		before := flaky.Passed()
		counting.get("/v1/coupons?limit=100").expect(200)
		list := flaky.Passed() - before
		for _, row := range counting.get("/v1/coupons?limit=100").expect(200).list("data") {
			counting.get("/v1/coupons/" + row.(object)["id"].(string)).expect(200)
		}
		Expect(flaky.Passed() - before).To(BeNumerically(">", 2*list+7))
	})
})

// pagedOperations are those of the contract that have a cursor, but for those whose rows need more than
// this account has, or are no rows of tables.
func pagedOperations() (ops []string) {
	GinkgoHelper()
	left := []string{
		"listAlerts",                    // a few of each customer or subscription
		"listPlanMigrations",            // made by a process, not by an operation
		"listLicenses",                  // licenses of one subscription
		"listLicenseUsage",              // days
		"fetchLicenseUsageByExternalID", // days
		"fetchLicenseUsage",             // days
		"fetchSubscriptionUsage",        // days
		"fetchSubscriptionSchedule",     // periods
		"listTopUps",                    // one for each currency of a customer
		"listTopUpsByExternalID",        // likewise
		"listCreditsByExternalID",       // is listCredits
		"listLedgerEntriesByExternalID", // is listLedgerEntries
	}
	document, err := gen.GetSpec()
	Expect(err).NotTo(HaveOccurred())
	for _, item := range document.Paths.Map() {
		if item.Get == nil || item.Get.Parameters.GetByInAndName("query", "cursor") == nil {
			continue
		}
		if op := strings.ToLower(item.Get.OperationID[:1]) + item.Get.OperationID[1:]; !slices.Contains(left, op) { // gen writes names of Go
			ops = append(ops, op)
		}
	}
	slices.Sort(ops)
	return ops
}
