package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ListSubscriptionChanges serves GET /v1/subscription_changes.
func (s *Server) ListSubscriptionChanges(ctx context.Context, req gen.ListSubscriptionChangesRequestObject) (gen.ListSubscriptionChangesResponseObject, error) {
	p := req.Params
	filter := subscription.ChangeFilter{
		CustomerID: orEmpty(p.CustomerID), ExternalCustomerID: orEmpty(p.ExternalCustomerID),
		Status: subscription.ChangeStatus(orEmpty(p.Status)),
	}
	var list gen.SubscriptionChangePage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		changes, next, err := subscription.ListChanges(tx, filter, pageFromWire(p.Limit, p.Cursor))
		list.PaginationMetadata = pageToWire(next)
		list.Data = toWire(changes, func(c subscription.Change) gen.SubscriptionChangeListItem {
			return gen.SubscriptionChangeListItem{
				ID: c.ID, SubscriptionID: c.SubscriptionID, Status: gen.SubscriptionChangeStatus(c.Status()),
				ExpirationTime: instantToWire(c.ExpiresAt),
				AppliedAt:      optionalInstantToWire(c.AppliedAt), CancelledAt: optionalInstantToWire(c.CancelledAt),
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListSubscriptionChanges200JSONResponse(list), nil
}

// FetchSubscriptionChange serves GET /v1/subscription_changes/{subscription_change_id}.
// It writes, to see what the change would come to, and takes that back.
func (s *Server) FetchSubscriptionChange(ctx context.Context, req gen.FetchSubscriptionChangeRequestObject) (gen.FetchSubscriptionChangeResponseObject, error) {
	var shown gen.SubscriptionChange
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		c, err := subscription.FindChange(tx, req.SubscriptionChangeID)
		if err != nil {
			return err
		}
		if shown, err = subscriptionChangeToWire(tx, c); err != nil {
			return err
		}
		switch c.Status() {
		case subscription.ChangePending:
			shown.Subscription, err = preview(tx, c)
		case subscription.ChangeApplied:
			shown.Subscription, err = unchanged(tx, *c.SubscriptionID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchSubscriptionChange200JSONResponse(shown), nil
}

// preview shows a subscription as a pending change would leave it, nil where the change
// would be refused.
func preview(tx *store.Tx, c subscription.Change) (shown *gen.MutatedSubscription, err error) {
	err = tx.Rehearse(func(tx *store.Tx) error {
		_, made, err := billing.ApplyPendingChange(tx, c.ID, billing.PaymentReceived{}, replay(tx))
		if err != nil {
			return err
		}
		body, err := mutatedToWire(tx, made)
		body.PendingSubscriptionChange = &gen.SubscriptionChangeMinified{ID: c.ID}
		shown = &body
		return err
	})
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return nil, nil
	}
	return shown, err
}

// unchanged shows a subscription as it is.
func unchanged(tx *store.Tx, id string) (*gen.MutatedSubscription, error) {
	terms, err := subscription.Find(tx, id)
	if err != nil {
		return nil, err
	}
	shown, err := subscriptionsToWire(tx, terms)
	if err != nil {
		return nil, err
	}
	return &gen.MutatedSubscription{Subscription: shown[0]}, nil
}

// replay makes a change as its request asked for it.
func replay(tx *store.Tx) func(subscription.Change) (billing.Change, error) {
	return func(c subscription.Change) (billing.Change, error) {
		do, err := mutations[c.Type]([]byte(c.Request))
		if err != nil {
			return billing.Change{}, err
		}
		return do(tx, orEmpty(c.SubscriptionID))
	}
}

// ApplySubscriptionChange serves POST /v1/subscription_changes/{subscription_change_id}/apply.
func (s *Server) ApplySubscriptionChange(ctx context.Context, req gen.ApplySubscriptionChangeRequestObject) (gen.ApplySubscriptionChangeResponseObject, error) {
	collected, err := collectedFromWire(req.Body)
	if err != nil {
		return nil, err
	}
	body, err := once(ctx, s, func(tx *store.Tx) (gen.SubscriptionChange, error) {
		c, made, err := billing.ApplyPendingChange(tx, req.SubscriptionChangeID, collected, replay(tx))
		if err != nil {
			return gen.SubscriptionChange{}, err
		}
		subscribed, err := mutatedToWire(tx, made)
		if err != nil {
			return gen.SubscriptionChange{}, err
		}
		shown, err := subscriptionChangeToWire(tx, c)
		shown.Subscription = &subscribed
		return shown, err
	})
	if err != nil {
		return nil, err
	}
	return gen.ApplySubscriptionChange200JSONResponse(body), nil
}

func collectedFromWire(body *gen.SubscriptionChangeApply) (in billing.PaymentReceived, err error) {
	if body == nil {
		return in, nil
	}
	in.Description, in.Reference, in.Notes = body.Description, body.PaymentExternalID, body.PaymentNotes
	in.MarkPaid = body.MarkAsPaid != nil && *body.MarkAsPaid
	var amountErr, dateErr error
	in.Amount, amountErr = optionalAmountFromWire("previously_collected_amount", body.PreviouslyCollectedAmount)
	in.On, dateErr = optionalDateFromWire("payment_received_date", body.PaymentReceivedDate)
	return in, fault.Join(amountErr, dateErr)
}

// CancelSubscriptionChange serves POST /v1/subscription_changes/{subscription_change_id}/cancel.
func (s *Server) CancelSubscriptionChange(ctx context.Context, req gen.CancelSubscriptionChangeRequestObject) (gen.CancelSubscriptionChangeResponseObject, error) {
	body, err := once(ctx, s, func(tx *store.Tx) (gen.SubscriptionChange, error) {
		c, err := subscription.CancelChange(tx, req.SubscriptionChangeID)
		if err != nil {
			return gen.SubscriptionChange{}, err
		}
		return subscriptionChangeToWire(tx, c)
	})
	if err != nil {
		return nil, err
	}
	return gen.CancelSubscriptionChange200JSONResponse(body), nil
}

// said is what a change shows of its request: members that several operations share.
type said struct {
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

// subscriptionChangeToWire shows a change, without its subscription.
func subscriptionChangeToWire(tx *store.Tx, c subscription.Change) (gen.SubscriptionChange, error) {
	var request said
	if err := json.Unmarshal([]byte(c.Request), &request); err != nil {
		return gen.SubscriptionChange{}, fmt.Errorf("read a pending change: %w", err)
	}
	shown := gen.SubscriptionChange{
		ID: c.ID, ChangeType: c.Type, Status: gen.SubscriptionChangeStatus(c.Status()),
		ExpirationTime: instantToWire(c.ExpiresAt),
		AppliedAt:      optionalInstantToWire(c.AppliedAt), CancelledAt: optionalInstantToWire(c.CancelledAt),
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
	shown.EffectiveDate = optionalInstantToWire(&at)
	return shown, err
}
