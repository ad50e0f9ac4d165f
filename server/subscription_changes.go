package server

import (
	"context"
	"errors"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ListSubscriptionChanges serves GET /v1/subscription_changes.
func (s *Server) ListSubscriptionChanges(ctx context.Context, req gen.ListSubscriptionChangesRequestObject) (gen.ListSubscriptionChangesResponseObject, error) {
	p := req.Params
	filter := subscription.ChangeFilter{
		CustomerID: wire.Deref(p.CustomerID), ExternalCustomerID: wire.Deref(p.ExternalCustomerID),
		Status: subscription.ChangeStatus(wire.Deref(p.Status)),
	}
	var list gen.SubscriptionChangePage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		changes, next, err := subscription.ListChanges(tx, filter, wire.ReadPage(p.Limit, p.Cursor))
		list.PaginationMetadata = wire.Page(next)
		list.Data = wire.MapSlice(changes, func(c subscription.Change) gen.SubscriptionChangeListItem {
			return gen.SubscriptionChangeListItem{
				ID: c.ID, SubscriptionID: c.SubscriptionID, Status: gen.SubscriptionChangeStatus(c.Status()),
				ExpirationTime: wire.Instant(c.ExpiresAt),
				AppliedAt:      wire.OptionalInstant(c.AppliedAt), CancelledAt: wire.OptionalInstant(c.CancelledAt),
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
// It makes the change to see its result, and rolls it back.
func (s *Server) FetchSubscriptionChange(ctx context.Context, req gen.FetchSubscriptionChangeRequestObject) (gen.FetchSubscriptionChangeResponseObject, error) {
	var shown gen.SubscriptionChange
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		c, err := subscription.FindChange(tx, req.SubscriptionChangeID)
		if err != nil {
			return err
		}
		if shown, err = wire.LoadSubscriptionChange(tx, c); err != nil {
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
		body, err := wire.LoadMutatedSubscription(tx, made)
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
	shown, err := wire.LoadSubscriptions(tx, terms)
	if err != nil {
		return nil, err
	}
	return &gen.MutatedSubscription{Subscription: shown[0]}, nil
}

// replay makes a change as its request asked for it.
func replay(tx *store.Tx) func(subscription.Change) (billing.Change, error) {
	return func(c subscription.Change) (billing.Change, error) {
		do, err := changes[c.Type]([]byte(c.Request))
		if err != nil {
			return billing.Change{}, err
		}
		return do(tx, wire.Deref(c.SubscriptionID))
	}
}

// ApplySubscriptionChange serves POST /v1/subscription_changes/{subscription_change_id}/apply.
func (s *Server) ApplySubscriptionChange(ctx context.Context, req gen.ApplySubscriptionChangeRequestObject) (gen.ApplySubscriptionChangeResponseObject, error) {
	collected, err := wire.ReadPaymentReceived(req.Body)
	if err != nil {
		return nil, err
	}
	body, err := once(ctx, s, func(tx *store.Tx) (gen.SubscriptionChange, error) {
		c, made, err := billing.ApplyPendingChange(tx, req.SubscriptionChangeID, collected, replay(tx))
		if err != nil {
			return gen.SubscriptionChange{}, err
		}
		subscribed, err := wire.LoadMutatedSubscription(tx, made)
		if err != nil {
			return gen.SubscriptionChange{}, err
		}
		shown, err := wire.LoadSubscriptionChange(tx, c)
		shown.Subscription = &subscribed
		return shown, err
	})
	if err != nil {
		return nil, err
	}
	return gen.ApplySubscriptionChange200JSONResponse(body), nil
}

// CancelSubscriptionChange serves POST /v1/subscription_changes/{subscription_change_id}/cancel.
func (s *Server) CancelSubscriptionChange(ctx context.Context, req gen.CancelSubscriptionChangeRequestObject) (gen.CancelSubscriptionChangeResponseObject, error) {
	body, err := once(ctx, s, func(tx *store.Tx) (gen.SubscriptionChange, error) {
		c, err := subscription.CancelChange(tx, req.SubscriptionChangeID)
		if err != nil {
			return gen.SubscriptionChange{}, err
		}
		return wire.LoadSubscriptionChange(tx, c)
	})
	if err != nil {
		return nil, err
	}
	return gen.CancelSubscriptionChange200JSONResponse(body), nil
}
