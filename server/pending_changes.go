package server

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// change makes the change that a request asks for. subscriptionID is "" for a new subscription.
type change func(tx *store.Tx, subscriptionID string) (billing.Change, error)

// changes decode the stored requests of pending changes, by type of change.
var changes = map[string]func(request []byte) (change, error){
	"create_subscription":                   decodeStored(subscriptionCreation),
	"cancel_subscription":                   decodeStored(cancellation),
	"unschedule_cancellation":               decodeStored(unscheduledCancellation),
	"update_fixed_fee_quantity":             decodeStored(quantityUpdate),
	"unschedule_fixed_fee_quantity_updates": decodeStored(unscheduledQuantities),
	"schedule_plan_change":                  decodeStored(planChange),
	"unschedule_pending_plan_changes":       decodeStored(unscheduledPlanChanges),
	"change_price_intervals":                decodeStored(intervalChanges),
	"update_trial":                          decodeStored(trialUpdate),
	"trigger_phase":                         decodeStored(triggeredPhase),
	"redeem_coupon":                         decodeStored(redemption),
}

// noBody is the body of an operation that has none.
type noBody struct{}

// decodeStored decodes the stored request of a pending change.
func decodeStored[T any](read func(T) (change, error)) func([]byte) (change, error) {
	return func(request []byte) (change, error) {
		var body T
		if err := json.Unmarshal(request, &body); err != nil {
			return nil, fmt.Errorf("read a pending change: %w", err)
		}
		return read(body)
	}
}

// makeChange makes the change that a request asks for, and returns the subscription with what the
// change made or voided. A pending change is stored instead, and the response previews its result.
func makeChange[T any](ctx context.Context, s *Server, subscriptionID string, body T, read func(T) (change, error)) (gen.MutatedSubscription, error) {
	do, err := read(body)
	if err != nil {
		return gen.MutatedSubscription{}, err
	}
	r := requestOf(ctx)
	shown, err := once(ctx, s, func(tx *store.Tx) (gen.MutatedSubscription, error) {
		if !r.pending {
			return do.apply(tx, subscriptionID)
		}
		request, err := json.Marshal(body)
		if err != nil {
			return gen.MutatedSubscription{}, fmt.Errorf("keep a pending change: %w", err)
		}
		c := subscription.Change{Type: changeType(r.operation.ID), Request: string(request)}
		if subscriptionID != "" {
			c.SubscriptionID = &subscriptionID
		}
		return do.propose(tx, c)
	})
	if r.withoutChangedResources {
		shown.ChangedResources = nil
	}
	return shown, err
}

// apply makes the change and returns the subscription after it.
func (do change) apply(tx *store.Tx, subscriptionID string) (gen.MutatedSubscription, error) {
	changed, err := do(tx, subscriptionID)
	if err != nil {
		return gen.MutatedSubscription{}, err
	}
	return wire.LoadMutatedSubscription(tx, changed)
}

// propose stores the change as pending and returns a preview. The subscription is locked before the
// rehearsal, which releases its own locks: no other request may change the subscription in between.
func (do change) propose(tx *store.Tx, c subscription.Change) (shown gen.MutatedSubscription, err error) {
	if c.SubscriptionID != nil {
		if _, err := subscription.Lock(tx, *c.SubscriptionID); err != nil {
			return shown, err
		}
	}
	err = tx.Rehearse(func(tx *store.Tx) error {
		shown, err = do.apply(tx, wire.Deref(c.SubscriptionID))
		return err
	})
	if err != nil {
		return shown, err
	}
	c.CustomerID = shown.Customer.ID
	if c, err = subscription.Propose(tx, c); err != nil {
		return shown, err
	}
	shown.PendingSubscriptionChange = &gen.SubscriptionChangeMinified{ID: c.ID}
	return shown, nil
}

var capital = regexp.MustCompile(`[A-Z]`)

// changeType returns the type of change of an operation: planChange is plan_change.
func changeType(operation string) string {
	return strings.ToLower(capital.ReplaceAllString(operation, "_$0"))
}

// mayCredit returns allow_invoice_credit_or_void, which is true where it is left out.
func mayCredit(allowed *gen.AllowInvoiceCreditOrVoid) bool { return allowed == nil || *allowed }
