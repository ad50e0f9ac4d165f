package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// mutation is what a request does to a subscription, or makes one where that has no id
// yet.
type mutation func(tx *store.Tx, subscriptionID string) (billing.Change, error)

// mutations read requests that were kept as pending changes, by the type of the change.
var mutations = map[string]func(request []byte) (mutation, error){
	"create_subscription":                   kept(subscriptionCreation),
	"cancel_subscription":                   kept(cancellation),
	"unschedule_cancellation":               kept(unscheduledCancellation),
	"update_fixed_fee_quantity":             kept(quantityUpdate),
	"unschedule_fixed_fee_quantity_updates": kept(unscheduledQuantities),
	"schedule_plan_change":                  kept(planChange),
	"unschedule_pending_plan_changes":       kept(unscheduledPlanChanges),
	"change_price_intervals":                kept(intervalChanges),
	"update_trial":                          kept(trialUpdate),
	"trigger_phase":                         kept(triggeredPhase),
	"redeem_coupon":                         kept(redemption),
}

// nothing is the body of a request that has none.
type nothing struct{}

// kept reads a request as it is kept.
func kept[T any](read func(T) (mutation, error)) func([]byte) (mutation, error) {
	return func(request []byte) (mutation, error) {
		var body T
		if err := json.Unmarshal(request, &body); err != nil {
			return nil, fmt.Errorf("read a pending change: %w", err)
		}
		return read(body)
	}
}

// changesLater reads how a change of a subscription is asked for: whether it is to wait,
// and whether to leave out what else it brings about. What is no boolean is refused later.
func changesLater(r *http.Request) (pending, bare bool) {
	if asked := r.Header.Get("Create-Pending-Subscription-Change"); asked != "" {
		pending, _ = strconv.ParseBool(asked)
	}
	if r.URL.RawQuery != "" {
		shown, err := strconv.ParseBool(r.URL.Query().Get("include_changed_resources"))
		bare = err == nil && !shown
	}
	return pending, bare
}

// mutate does to a subscription what a request asks, and shows it with what that brought
// about. Where the change is to be pending, only the request is kept, and the answer shows
// what it would come to.
func mutate[T any](ctx context.Context, s *Server, subscriptionID string, body T, read func(T) (mutation, error)) (gen.MutatedSubscription, error) {
	do, err := read(body)
	if err != nil {
		return gen.MutatedSubscription{}, err
	}
	r := requestOf(ctx)
	shown, err := once(ctx, s, func(tx *store.Tx) (gen.MutatedSubscription, error) {
		if !r.pending {
			return do.show(tx, subscriptionID)
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
	if r.bare {
		shown.ChangedResources = nil
	}
	return shown, err
}

// show makes the change.
func (do mutation) show(tx *store.Tx, subscriptionID string) (gen.MutatedSubscription, error) {
	changed, err := do(tx, subscriptionID)
	if err != nil {
		return gen.MutatedSubscription{}, err
	}
	return wire.Mutated(tx, changed)
}

// propose keeps the change, and shows what it would come to. The subscription is locked
// before: a rehearsal gives its locks back, and others would come between.
func (do mutation) propose(tx *store.Tx, c subscription.Change) (shown gen.MutatedSubscription, err error) {
	if c.SubscriptionID != nil {
		if _, err := subscription.Lock(tx, *c.SubscriptionID); err != nil {
			return shown, err
		}
	}
	err = tx.Rehearse(func(tx *store.Tx) error {
		shown, err = do.show(tx, wire.Deref(c.SubscriptionID))
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

// changeType names a kind of change after its operation: planChange is plan_change.
func changeType(operation string) string {
	return strings.ToLower(capital.ReplaceAllString(operation, "_$0"))
}

// mayCredit reads allow_invoice_credit_or_void, which holds where it is left out.
func mayCredit(allowed *gen.AllowInvoiceCreditOrVoid) bool { return allowed == nil || *allowed }
