package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateSubscription serves POST /v1/subscriptions.
func (s *Server) CreateSubscription(ctx context.Context, req gen.CreateSubscriptionRequestObject) (gen.CreateSubscriptionResponseObject, error) {
	body, err := makeChange(ctx, s, "", *req.Body, subscriptionCreation)
	if err != nil {
		return nil, err
	}
	return gen.CreateSubscription201JSONResponse(body), nil
}

func subscriptionCreation(body gen.SubscriptionCreate) (change, error) {
	wanted, err := wire.ReadSubscription(body)
	return func(tx *store.Tx, _ string) (billing.Change, error) {
		terms, created, err := billing.Subscribe(tx, wanted)
		return billing.Change{Terms: terms, CreatedInvoices: created}, err
	}, err
}

// ListSubscriptions serves GET /v1/subscriptions.
func (s *Server) ListSubscriptions(ctx context.Context, req gen.ListSubscriptionsRequestObject) (gen.ListSubscriptionsResponseObject, error) {
	p := req.Params
	created, err := wire.ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	filter := subscription.Filter{
		CustomerIDs:         wire.OneOrMany(p.CustomerID, p.CustomerIDs),
		ExternalCustomerIDs: wire.OneOrMany(p.ExternalCustomerID, p.ExternalCustomerIDs),
		PlanID:              wire.Deref(p.PlanID),
		ExternalPlanID:      wire.Deref(p.ExternalPlanID),
		CreatedAt:           created,
	}
	for _, status := range wire.OneOrMany(p.Status, p.Statuses) {
		filter.Statuses = append(filter.Statuses, subscription.Status(status))
	}
	var list gen.SubscriptionPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		terms, next, err := subscription.List(tx, filter, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = wire.Page(next)
		list.Data, err = wire.LoadSubscriptions(tx, terms...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListSubscriptions200JSONResponse(list), nil
}

// FetchSubscription serves GET /v1/subscriptions/{subscription_id}.
func (s *Server) FetchSubscription(ctx context.Context, req gen.FetchSubscriptionRequestObject) (gen.FetchSubscriptionResponseObject, error) {
	var shown []gen.Subscription
	err := s.store.View(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Find(tx, req.SubscriptionID)
		if err != nil {
			return err
		}
		shown, err = wire.LoadSubscriptions(tx, terms)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchSubscription200JSONResponse(shown[0]), nil
}

// UpdateSubscription serves PUT /v1/subscriptions/{subscription_id}.
func (s *Server) UpdateSubscription(ctx context.Context, req gen.UpdateSubscriptionRequestObject) (gen.UpdateSubscriptionResponseObject, error) {
	var shown []gen.Subscription
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Update(tx, req.SubscriptionID, func(sub *subscription.Subscription) error {
			return editSubscription(ctx, sub, *req.Body)
		})
		if err != nil {
			return err
		}
		shown, err = wire.LoadSubscriptions(tx, terms)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateSubscription200JSONResponse(shown[0]), nil
}

// editSubscription applies what the body has; null clears.
func editSubscription(ctx context.Context, sub *subscription.Subscription, body gen.SubscriptionUpdate) error {
	if sent(ctx, "auto_collection") {
		sub.AutoCollection = body.AutoCollection
	}
	if sent(ctx, "auto_issuance") {
		sub.AutoIssuance = body.AutoIssuance
	}
	if sent(ctx, "default_invoice_memo") {
		sub.DefaultInvoiceMemo = body.DefaultInvoiceMemo
	}
	if sent(ctx, "net_terms") {
		sub.NetTermsDays = body.NetTerms
	}
	if sent(ctx, "invoicing_threshold") {
		threshold, err := wire.ReadOptionalAmount("invoicing_threshold", body.InvoicingThreshold)
		if err != nil {
			return err
		}
		sub.InvoicingThreshold = threshold
	}
	return editMetadata(ctx, &sub.Metadata, body.Metadata)
}
