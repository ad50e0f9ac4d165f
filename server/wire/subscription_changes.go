package wire

import (
	"cmp"
	"encoding/json"
	"fmt"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReadPaymentReceived reads the payment that applies a pending change. A request without body
// reports none.
func ReadPaymentReceived(body *gen.SubscriptionChangeApply) (in billing.PaymentReceived, err error) {
	if body == nil {
		return in, nil
	}
	in.Description, in.Reference, in.Notes = body.Description, body.PaymentExternalID, body.PaymentNotes
	in.MarkPaid = body.MarkAsPaid != nil && *body.MarkAsPaid
	var amountErr, dateErr error
	in.Amount, amountErr = ReadOptionalAmount("previously_collected_amount", body.PreviouslyCollectedAmount)
	in.On, dateErr = ReadOptionalDate("payment_received_date", body.PaymentReceivedDate)
	return in, fault.Join(amountErr, dateErr)
}

// requestSummary is what a pending change shows of its request: members that several operations
// share.
type requestSummary struct {
	ChangeOption *string `json:"change_option"`
	CancelOption *string `json:"cancel_option"`

	ChangeDate       *string `json:"change_date"`
	CancellationDate *string `json:"cancellation_date"`
	EffectiveDate    *string `json:"effective_date"`
	StartDate        *string `json:"start_date"`

	PlanID                *string `json:"plan_id"`
	ExternalPlanID        *string `json:"external_plan_id"`
	BillingCycleAlignment *string `json:"billing_cycle_alignment"`
}

// LoadSubscriptionChange returns a pending change without its subscription. Its effective date is
// the one of the request, with bare dates in the customer's time zone.
func LoadSubscriptionChange(tx *store.Tx, c subscription.Change) (gen.SubscriptionChange, error) {
	var request requestSummary
	if err := json.Unmarshal([]byte(c.Request), &request); err != nil {
		return gen.SubscriptionChange{}, fmt.Errorf("read a pending change: %w", err)
	}
	shown := gen.SubscriptionChange{
		ID: c.ID, ChangeType: c.Type, Status: gen.SubscriptionChangeStatus(c.Status()),
		ExpirationTime: Instant(c.ExpiresAt),
		AppliedAt:      OptionalInstant(c.AppliedAt), CancelledAt: OptionalInstant(c.CancelledAt),
		ChangeOption: cmp.Or(request.ChangeOption, request.CancelOption),
		PlanID:       request.PlanID, BillingCycleAlignment: request.BillingCycleAlignment,
	}
	if request.ExternalPlanID != nil {
		plan, err := catalog.FindPlanByExternalID(tx, *request.ExternalPlanID)
		if err != nil {
			return shown, err
		}
		shown.PlanID = &plan.ID
	}
	date := cmp.Or(request.ChangeDate, request.CancellationDate, request.EffectiveDate, request.StartDate)
	if date == nil {
		return shown, nil
	}
	buyers, err := customer.FindAll(tx, []string{c.CustomerID})
	if err != nil {
		return shown, err
	}
	at, err := period.ParseInstant(*date, buyers[c.CustomerID].Location())
	shown.EffectiveDate = OptionalInstant(&at)
	return shown, err
}
