package webhook

// Type says what happened: the resource, a dot, and what became of it (semantics 13.4).
type Type string

// The types that this server announces. Beside each is what an announcement is about
// where that is a record; it is [Properties], or nothing, elsewhere.
const (
	BackfillReflected Type = "backfill.reflected"
	BackfillReverted  Type = "backfill.reverted"

	MetricEdited          Type = "billable_metric.edited" // catalog.Metric: as it was
	PlanVersionCreated    Type = "plan.version_created"
	PlanDefaultVersionSet Type = "plan.default_version_set"
	PriceEdited           Type = "price.edited" // store.Metadata: as it was

	CreditNoteIssued       Type = "credit_note.issued"
	CreditNoteMarkedAsVoid Type = "credit_note.marked_as_void"

	CustomerCreated                 Type = "customer.created"
	CustomerEdited                  Type = "customer.edited"                      // customer.Customer: as it was
	CustomerBalanceTransaction      Type = "customer.balance_transaction_created" // customer.BalanceTransaction
	CustomerCreditBalanceDepleted   Type = "customer.credit_balance_depleted"     // alert.BalanceDrop
	CustomerCreditBalanceDropped    Type = "customer.credit_balance_dropped"      // alert.BalanceDrop
	CustomerCreditBalanceRecovered  Type = "customer.credit_balance_recovered"    // alert.BalanceDrop
	CustomerCreditLedgerIncremented Type = "customer.credit_ledger_incremented"   // credit.Block

	EventUnmatched             Type = "event.unmatched_event"            // event.Unmatched
	IngestionUnmatchedCustomer Type = "ingestion.unmatched_customer_ids" // of some events at a time

	InvoiceEdited               Type = "invoice.edited"
	InvoiceDateElapsed          Type = "invoice.invoice_date_elapsed"
	InvoiceIssued               Type = "invoice.issued"
	InvoiceIssuedSummary        Type = "invoice.issued_summary"
	InvoicePaymentSucceeded     Type = "invoice.payment_succeeded"
	InvoicePaymentFailed        Type = "invoice.payment_failed"
	InvoiceManuallyMarkedAsPaid Type = "invoice.manually_marked_as_paid"
	InvoiceManuallyMarkedAsVoid Type = "invoice.manually_marked_as_void" // also by a change of the subscription

	SubscriptionCreated                    Type = "subscription.created"
	SubscriptionStarted                    Type = "subscription.started"
	SubscriptionEnded                      Type = "subscription.ended"
	SubscriptionTrialEnded                 Type = "subscription.trial_ended"
	SubscriptionEdited                     Type = "subscription.edited" // subscription.Subscription: as it was
	SubscriptionPlanChangeScheduled        Type = "subscription.plan_change_scheduled"
	SubscriptionPlanChanged                Type = "subscription.plan_changed"
	SubscriptionCancellationScheduled      Type = "subscription.cancellation_scheduled"
	SubscriptionCancellationUnscheduled    Type = "subscription.cancellation_unscheduled"
	SubscriptionQuantityUpdated            Type = "subscription.fixed_fee_quantity_updated"
	SubscriptionUsageExceeded              Type = "subscription.usage_exceeded"        // alert.ThresholdCrossing
	SubscriptionCostExceeded               Type = "subscription.cost_exceeded"         // alert.ThresholdCrossing
	SubscriptionSpendExceeded              Type = "subscription.spend_exceeded"        // alert.ThresholdCrossing
	SubscriptionGroupedCostExceeded        Type = "subscription.grouped_cost_exceeded" // alert.ThresholdCrossing
	SubscriptionInvoicingThresholdExceeded Type = "subscription.invoicing_threshold_exceeded"
	SubscriptionAlertDisabled              Type = "subscription.alert_disabled"                    // alert.Disabled
	SubscriptionLicenseAllocationReset     Type = "subscription.license_allocation_reset"          // license.Reset
	SubscriptionLicenseBalanceThresholdMet Type = "subscription.license_balance_threshold_reached" // alert.ThresholdCrossing

	Test Type = "resource_event.test"
)

var types = []Type{
	BackfillReflected, BackfillReverted,
	MetricEdited, PlanVersionCreated, PlanDefaultVersionSet, PriceEdited,
	CreditNoteIssued, CreditNoteMarkedAsVoid,
	CustomerCreated, CustomerEdited, CustomerBalanceTransaction,
	CustomerCreditBalanceDepleted, CustomerCreditBalanceDropped, CustomerCreditBalanceRecovered, CustomerCreditLedgerIncremented,
	EventUnmatched, IngestionUnmatchedCustomer,
	InvoiceEdited, InvoiceDateElapsed, InvoiceIssued, InvoiceIssuedSummary, InvoicePaymentSucceeded, InvoicePaymentFailed,
	InvoiceManuallyMarkedAsPaid, InvoiceManuallyMarkedAsVoid,
	SubscriptionCreated, SubscriptionStarted, SubscriptionEnded, SubscriptionTrialEnded, SubscriptionEdited,
	SubscriptionPlanChangeScheduled, SubscriptionPlanChanged,
	SubscriptionCancellationScheduled, SubscriptionCancellationUnscheduled, SubscriptionQuantityUpdated,
	SubscriptionUsageExceeded, SubscriptionCostExceeded, SubscriptionSpendExceeded, SubscriptionGroupedCostExceeded,
	SubscriptionInvoicingThresholdExceeded, SubscriptionAlertDisabled,
	SubscriptionLicenseAllocationReset, SubscriptionLicenseBalanceThresholdMet,
	Test,
}

// Properties are what a type tells beside the resource, by their names, where that is
// plain: texts, numbers, amounts, instants, or nothing.
type Properties map[string]any
