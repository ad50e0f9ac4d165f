package server_test

import "slices"

// story is what happens at Maple Road Maps, which sells map tiles, from 2 June 2025 on.
func story() []storyStep {
	return slices.Concat(theCatalog(), theCustomers(), theSubscriptions(), theUsage(), theCredits(), theInvoices(), theLicenses(), theAlerts(), theOperations())
}

// theCatalog is what is sold.
func theCatalog() []storyStep {
	return []storyStep{
		meanwhile(func(t *teller) {
			t.setting("number_prefix", "MAPLES") // those of customers are random
			t.setting("number_prefix_scope", "account")
		}),
		tell("advanceTestClock"),
		tell("fetchTestClock"),
		tell("ping"),

		tell("createItem").as("id", "item_tiles"),
		tell("listItems"),
		tell("fetchItem"),
		tell("updateItem"),
		meanwhile(func(t *teller) {
			t.post("/v1/items", `{"name": "Seats"}`, "id", "item_seats")
			t.post("/v1/items", `{"name": "Printed maps"}`, "id", "item_print")
		}),
		tell("archiveItem").with("item_id", "print"),

		tell("createMetric").as("id", "metric_tiles"),
		tell("listMetrics"),
		tell("fetchMetric"),
		tell("updateMetric"),

		tell("createPlan").as("id", "plan_pro", "prices[0].id", "price_seats", "prices[1].id", "price_tiles"),
		tell("listPlans"),
		tell("fetchPlan"),
		tell("fetchPlanByExternalID"),
		tell("updatePlan"),
		tell("updatePlanByExternalID"),
		tell("createPlanVersion"),
		tell("fetchPlanVersion"),
		tell("fetchPlanVersionByExternalID"),
		tell("createPlanVersionByExternalID"),
		tell("setDefaultPlanVersion"),
		tell("setDefaultPlanVersionByExternalID"),

		tell("createPrice").as("id", "price_flat"),
		tell("listPrices").asking("limit"),
		tell("fetchPrice"),
		tell("calculatePrice").asking("quantity"),
		tell("fetchPriceByExternalID"),
		tell("updatePrice"),
		tell("updatePriceByExternalID"),

		tell("createDimensionalPriceGroup").as("id", "dpg_tiles"),
		tell("listDimensionalPriceGroups"),
		tell("fetchDimensionalPriceGroup"),
		tell("fetchDimensionalPriceGroupByExternalID"),
		tell("updateDimensionalPriceGroup"),
		tell("updateDimensionalPriceGroupByExternalID"),

		tell("createLicenseType").as("id", "license_type_editor"),
		tell("listLicenseTypes"),
		tell("fetchLicenseType"),

		tell("createCoupon").as("id", "coupon_summer"),
		tell("listCoupons"),
		tell("fetchCoupon"),
	}
}

// theCustomers are who buys it.
func theCustomers() []storyStep {
	return []storyStep{
		tell("createCustomer").as("id", "customer_lumiere"),
		tell("listCustomers"),
		tell("fetchCustomer"),
		tell("fetchCustomerByExternalID"),
		tell("updateCustomer"),
		tell("updateCustomerByExternalID"),
		tell("fetchLetterhead"),
		tell("updateLetterhead").as("id", "head_maple"),
		tell("createPortalSession").as("id", "portal_1"),
		tell("createPortalSessionByExternalID").as("id", "portal_2"),
		tell("withdrawPortalLinks"),
		tell("syncPaymentMethods"),
		tell("syncPaymentMethodsByExternalID"),
		meanwhile(func(t *teller) {
			t.post("/v1/customers", `{"name": "Cafe Lumiere", "email": "comptes@lumiere.example"}`, "id", "customer_twice")
		}),
		tell("deleteCustomer").with("customer_id", "twice"),
	}
}

// theSubscriptions are changed in many ways, some of them only planned and taken back.
func theSubscriptions() []storyStep {
	const changed = "include_changed_resources"
	return []storyStep{
		tell("createSubscription").as("id", "subscription_lumiere"),
		tell("listSubscriptions"),
		tell("fetchSubscription"),
		tell("updateSubscription"),
		meanwhile(func(t *teller) {
			t.post("/v1/customers", `{"name": "Harbor Lines", "email": "billing@harbor.example", "external_customer_id": "harbor", "currency": "USD"}`, "id", "customer_harbor")
			t.post("/v1/plans", `{"name": "Basic", "external_plan_id": "basic", "currency": "USD", "prices": [{"price": {"name": "Seats",
				"item_id": "item_seats", "cadence": "monthly", "model_type": "unit", "unit_config": {"unit_amount": "12.00"}, "fixed_price_quantity": 2}}]}`,
				"id", "plan_basic", "prices[0].id", "price_basic")
			t.post("/v1/subscriptions", `{"customer_id": "customer_harbor", "plan_id": "plan_basic", "start_date": "2025-06-01"}`, "id", "subscription_harbor")
		}),
		tell("redeemCoupon").with("subscription_id", "harbor").asking(changed),
		tell("listCouponSubscriptions"),
		tell("archiveCoupon"),
		tell("updateFixedFeeQuantity").with("subscription_id", "harbor").asking(changed),
		tell("unscheduleFixedFeeQuantityUpdates").with("subscription_id", "harbor").asking(changed),
		tell("simulatePlan"),
		tell("previewPlanChange").with("subscription_id", "harbor"),
		tell("schedulePlanChange").with("subscription_id", "harbor").asking(changed),
		tell("fetchSubscriptionSchedule").with("subscription_id", "harbor"),
		tell("unschedulePendingPlanChanges").with("subscription_id", "harbor").asking(changed),
		tell("changePriceIntervals").with("subscription_id", "harbor").asking(changed),
		tell("cancelSubscription").with("subscription_id", "harbor").asking(changed),
		tell("unscheduleCancellation").with("subscription_id", "harbor").asking(changed),
		meanwhile(func(t *teller) {
			t.post("/v1/customers", `{"name": "Atlas School", "email": "office@atlas.example", "external_customer_id": "atlas", "currency": "USD"}`, "id", "customer_atlas")
			t.post("/v1/plans", `{"name": "Starter", "external_plan_id": "starter", "currency": "USD",
				"plan_phases": [{"order": 1, "duration": 3, "duration_unit": "monthly"}, {"order": 2}],
				"prices": [
					{"plan_phase_order": 1, "price": {"name": "Seats", "item_id": "item_seats", "cadence": "monthly", "model_type": "unit", "unit_config": {"unit_amount": "5.00"}}},
					{"plan_phase_order": 2, "price": {"name": "Seats", "item_id": "item_seats", "cadence": "monthly", "model_type": "unit", "unit_config": {"unit_amount": "10.00"}}}]}`,
				"id", "plan_starter")
			t.post("/v1/subscriptions", `{"customer_id": "customer_atlas", "plan_id": "plan_starter", "trial_duration_days": 14}`, "id", "subscription_atlas")
		}),
		tell("updateTrial").with("subscription_id", "atlas").asking(changed),
		tell("triggerPhase").with("subscription_id", "atlas").asking(changed),
		pendingQuantity("change_quantity"),
		tell("listSubscriptionChanges"),
		tell("fetchSubscriptionChange").with("subscription_change_id", "quantity"),
		tell("applySubscriptionChange").with("subscription_change_id", "quantity"),
		pendingQuantity("change_cancel"),
		tell("cancelSubscriptionChange").with("subscription_change_id", "cancel"),
		meanwhile(func(t *teller) { t.migration("plan_pro", 2, "2025-07-01", "migration_pro") }),
		tell("listPlanMigrations"),
		tell("fetchPlanMigration"),
		tell("cancelPlanMigration"),
	}
}

// pendingQuantity asks for another quantity as a pending change of that name.
func pendingQuantity(name string) storyStep {
	return meanwhile(func(t *teller) {
		t.doAs([]header{{"Create-Pending-Subscription-Change", "true"}}, "POST", "/v1/subscriptions/subscription_harbor/update_fixed_fee_quantity",
			`{"price_id": "price_basic", "quantity": 3, "change_option": "immediate"}`, "pending_subscription_change.id", name)
	})
}

// theUsage is what customers used.
func theUsage() []storyStep {
	return []storyStep{
		tell("ingest"),
		tell("searchEvents"),
		tell("listEvents").asking("limit"),
		tell("previewMetric"),
		tell("fetchUncountedEvents"),
		tell("listEventVolumes"),
		tell("fetchChangedResends"),
		tell("fetchSubscriptionUsage"),
		tell("listSubscriptionCosts").asking("timeframe_start", "timeframe_end"),
		tell("listCustomerCosts").asking("timeframe_start", "timeframe_end"),
		tell("listCustomerCostsByExternalID").asking("timeframe_start", "timeframe_end"),
		tell("fetchUpcomingInvoice"),
		tell("evaluatePrice"),
		tell("evaluatePrices"),
		tell("evaluatePreviewEvents"),
		tell("amendEvent").with("event_id", "wrong"),
		tell("deprecateEvent").with("event_id", "again"),
		tell("createBackfill").as("id", "backfill_june"),
		tell("listBackfills"),
		tell("fetchBackfill"),
		tell("closeBackfill"),
		tell("revertBackfill"),
	}
}

// theCredits are bought before they are used.
func theCredits() []storyStep {
	return []storyStep{
		tell("createBalanceTransaction").with("customer_id", "harbor"),
		tell("listBalanceTransactions").with("customer_id", "harbor"),
		tell("createLedgerEntry").with("customer_id", "harbor").as("credit_block.id", "block_harbor"),
		tell("createLedgerEntryByExternalID").with("external_customer_id", "harbor"),
		tell("listCredits").with("customer_id", "harbor").asking("currency"),
		tell("listCreditsByExternalID").with("external_customer_id", "harbor").asking("currency"),
		tell("listLedgerEntries").with("customer_id", "harbor").asking("currency", "entry_type"),
		tell("listLedgerEntriesByExternalID").with("external_customer_id", "harbor").asking("currency", "entry_type"),
		tell("fetchCreditBlock"),
		tell("listCreditBlockInvoices"),
		tell("deleteCreditBlock"),
		tell("createTopUp").with("customer_id", "harbor").as("id", "top_up_first"),
		tell("listTopUps").with("customer_id", "harbor"),
		tell("deleteTopUp").with("customer_id", "harbor").with("top_up_id", "first"),
		tell("createTopUpByExternalID").with("external_customer_id", "harbor").as("id", "top_up_second"),
		tell("listTopUpsByExternalID").with("external_customer_id", "harbor"),
		tell("deleteTopUpByExternalID").with("external_customer_id", "harbor").with("top_up_id", "second"),
	}
}

// theInvoices are issued, paid, voided, and given back in part.
func theInvoices() []storyStep {
	draft := func(name, amount string) storyStep {
		return meanwhile(func(t *teller) {
			t.post("/v1/invoices", `{"customer_id": "customer_lumiere", "currency": "USD", "invoice_date": "2025-06-02", "net_terms": 30,
				"line_items": [{"name": "Printing", "item_id": "item_seats", "quantity": 1, "model_type": "unit", "start_date": "2025-06-02",
				"end_date": "2025-06-02", "unit_config": {"unit_amount": "`+amount+`"}}]}`, "id", name, "line_items[0].id", "line_of_"+name)
		})
	}
	return []storyStep{
		tell("createInvoice").as("id", "invoice_workshop", "line_items[0].id", "line_item_workshop"),
		tell("listInvoices").asking("limit"),
		tell("listInvoiceSummaries").asking("limit"),
		tell("fetchInvoice"),
		tell("updateInvoice"),
		tell("createInvoiceLineItem").as("id", "line_item_travel"),
		tell("deleteInvoiceLineItem").with("line_item_id", "travel"),
		tell("explainInvoiceLineItem").with("line_item_id", "workshop"),
		tell("issueInvoice"),
		tell("createCreditNote").as("id", "credit_note_workshop"),
		tell("listCreditableLineItems"),
		tell("listCreditNotes"),
		tell("fetchCreditNote"),
		tell("markInvoicePaid"),
		tell("regenerateInvoicePDF"),
		tell("regenerateReceiptPDF"),
		tell("withdrawInvoiceLinks"),
		draft("invoice_poster", "40.00"),
		tell("issueInvoiceSummary").with("invoice_id", "poster"),
		tell("voidInvoice").with("invoice_id", "poster"),
		draft("invoice_atlas", "25.00"),
		meanwhile(func(t *teller) {
			t.post("/v1/invoices/invoice_atlas/issue", "{}")
			t.setting("payment_gateway", "test")
		}),
		tell("payInvoice").with("invoice_id", "atlas"),
	}
}

// theLicenses are who may edit maps.
func theLicenses() []storyStep {
	return []storyStep{
		tell("createLicense").as("id", "license_mia"),
		tell("listLicenses"),
		tell("fetchLicense"),
		tell("fetchLicenseByExternalID"),
		tell("listLicenseUsage").asking("start_date", "end_date"),
		tell("fetchLicenseUsage").asking("start_date", "end_date"),
		tell("fetchLicenseUsageByExternalID").asking("start_date", "end_date"),
		tell("deactivateLicense"),
	}
}

// theAlerts tell of balances, usage and costs.
func theAlerts() []storyStep {
	return []storyStep{
		tell("createSubscriptionAlert").as("id", "alert_tiles"),
		tell("listAlerts").asking("subscription_id"),
		tell("fetchAlert"),
		tell("updateAlert"),
		tell("disableAlert"),
		tell("enableAlert"),
		tell("createCustomerAlert").as("id", "alert_balance"),
		tell("createExternalCustomerAlert"),
		tell("createPlanAlert"),
		tell("deleteAlert").with("alert_configuration_id", "balance"),
	}
}

// theOperations are those of who runs the account.
func theOperations() []storyStep {
	return []storyStep{
		tell("createWebhookEndpoint").as("id", "webhook_endpoint_crm", "secret", "whsec_example"),
		tell("listWebhookEndpoints"),
		tell("fetchWebhookEndpoint"),
		tell("updateWebhookEndpoint"),
		tell("rotateWebhookSecret").as("secret", "whsec_rotated_example"),
		tell("testWebhookEndpoint").as("id", "webhook_delivery_test"),
		tell("listWebhookDeliveries"),
		tell("fetchWebhookDelivery"),
		tell("resendWebhookDelivery"),
		tell("resendWebhookDeliveries"),
		tell("deleteWebhookEndpoint"),

		tell("createAPIKey").as("id", "key_ingest", "api_key", "tk_test_edge_servers_example", "hint", "tk_test_edge"),
		tell("listAPIKeys").asking("limit"),
		tell("fetchAPIKey"),
		tell("rotateAPIKey").as("id", "key_ingest_rotated", "api_key", "tk_test_more_rotated_example", "hint", "tk_test_more"),
		tell("revokeAPIKey"),
		tell("listAuditLog").asking("resource_id", "limit"),
	}
}
