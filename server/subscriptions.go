package server

import (
	"context"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CreateSubscription serves POST /v1/subscriptions.
func (s *Server) CreateSubscription(ctx context.Context, req gen.CreateSubscriptionRequestObject) (gen.CreateSubscriptionResponseObject, error) {
	body, err := once(ctx, s, func(tx *store.Tx) (gen.MutatedSubscription, error) {
		terms, created, err := invoice.Subscribe(tx, newSubscriptionFromWire(*req.Body))
		if err != nil {
			return gen.MutatedSubscription{}, err
		}
		return mutatedToWire(tx, terms, created)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateSubscription201JSONResponse(body), nil
}

// ListSubscriptions serves GET /v1/subscriptions.
func (s *Server) ListSubscriptions(ctx context.Context, req gen.ListSubscriptionsRequestObject) (gen.ListSubscriptionsResponseObject, error) {
	p := req.Params
	created, err := rangeFromWire("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	filter := subscription.Filter{
		CustomerIDs:         several(p.CustomerID, p.CustomerIDs),
		ExternalCustomerIDs: several(p.ExternalCustomerID, p.ExternalCustomerIDs),
		PlanID:              orEmpty(p.PlanID),
		ExternalPlanID:      orEmpty(p.ExternalPlanID),
		CreatedAt:           created,
	}
	for _, status := range several(p.Status, p.Statuses) {
		filter.Statuses = append(filter.Statuses, subscription.Status(status))
	}
	var list gen.SubscriptionPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		terms, next, err := subscription.List(tx, filter, pageFromWire(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = pageToWire(next)
		list.Data, err = subscriptionsToWire(tx, terms...)
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
		shown, err = subscriptionsToWire(tx, terms)
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
		shown, err = subscriptionsToWire(tx, terms)
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
	return editMetadata(ctx, &sub.Metadata, body.Metadata)
}

func newSubscriptionFromWire(body gen.SubscriptionCreate) subscription.NewSubscription {
	in := subscription.NewSubscription{
		CustomerID: body.CustomerID, ExternalCustomerID: body.ExternalCustomerID,
		PlanID: body.PlanID, ExternalPlanID: body.ExternalPlanID,
		StartDate: body.StartDate, EndDate: body.EndDate,
		AlignWithStart: body.AlignBillingWithSubscriptionStartDate != nil && *body.AlignBillingWithSubscriptionStartDate,
		Name:           body.Name, Currency: body.Currency, CouponCode: body.CouponRedemptionCode,
		AutoCollection: body.AutoCollection, AutoIssuance: body.AutoIssuance,
		DefaultInvoiceMemo: body.DefaultInvoiceMemo, NetTermsDays: body.NetTerms,
		Metadata: metadataFromWire(body.Metadata),
	}
	if a := body.BillingCycleAnchorConfiguration; a != nil {
		in.Anchor = &period.Anchor{Day: a.Day, Month: a.Month, Year: a.Year}
	}
	return in
}

// subscriptionsToWire shows subscriptions as of the transaction's time.
func subscriptionsToWire(tx *store.Tx, all ...subscription.Terms) ([]gen.Subscription, error) {
	var plans []catalog.Plan
	var prices []catalog.Price
	for _, t := range all {
		plans = append(plans, t.Plan)
		for _, i := range t.Intervals {
			prices = append(prices, i.Price)
		}
	}
	shownPlans, err := loadPlans(tx, plans)
	if err != nil {
		return nil, err
	}
	names, err := itemNames(tx, prices)
	if err != nil {
		return nil, err
	}
	shown := make([]gen.Subscription, len(all))
	for k, t := range all {
		shown[k] = subscriptionToWire(t, shownPlans[k], names, tx.Now)
	}
	return shown, nil
}

func subscriptionToWire(t subscription.Terms, plan gen.Plan, names map[string]string, now time.Time) gen.Subscription {
	shown := gen.Subscription{
		ID:             t.ID,
		Name:           t.Name,
		CreatedAt:      instantToWire(t.CreatedAt),
		Status:         gen.SubscriptionStatus(t.Status(now)),
		StartDate:      instantToWire(t.StartAt),
		EndDate:        optionalInstantToWire(t.EndAt),
		Customer:       customerToWire(t.Customer),
		Plan:           &plan,
		NetTerms:       t.NetTerms(),
		AutoCollection: t.AutoCollection,
		AutoIssuance:   t.AutoIssuance,

		BillingCycleDay: t.AnchorDay,
		BillingCycleAnchorConfiguration: gen.BillingCycleAnchorConfiguration{
			Day: t.AnchorDay, Month: t.AnchorMonth, Year: t.AnchorYear,
		},
		DefaultInvoiceMemo:       t.DefaultInvoiceMemo,
		Metadata:                 metadataToWire(t.Metadata),
		PriceIntervals:           []gen.PriceInterval{},
		FixedFeeQuantitySchedule: []gen.FixedFeeQuantityScheduleEntry{},
		AdjustmentIntervals:      []gen.AdjustmentInterval{},
		DiscountIntervals:        []gen.DiscountInterval{},
		MinimumIntervals:         []gen.MinimumInterval{},
		MaximumIntervals:         []gen.MaximumInterval{},
		RedeemedCoupon:           redeemedToWire(t),
	}
	if current, ok := t.BillingPeriod(now); ok {
		shown.CurrentBillingPeriodStartDate = optionalInstantToWire(&current.Start)
		shown.CurrentBillingPeriodEndDate = optionalInstantToWire(&current.End)
	}
	for _, i := range t.Intervals {
		shown.PriceIntervals = append(shown.PriceIntervals, priceIntervalToWire(t, i, names, now))
		if i.Price.Fixed() {
			shown.FixedFeeQuantitySchedule = append(shown.FixedFeeQuantitySchedule, gen.FixedFeeQuantityScheduleEntry{
				PriceID: i.PriceID, Quantity: numberToWire(*i.Price.Quantity),
				StartDate: instantToWire(i.StartAt), EndDate: optionalInstantToWire(i.EndAt),
			})
		}
	}
	return shown
}

func priceIntervalToWire(t subscription.Terms, i subscription.PriceInterval, names map[string]string, now time.Time) gen.PriceInterval {
	shown := gen.PriceInterval{
		ID:              i.ID,
		Price:           priceToWire(i.Price, names[i.Price.ItemID]),
		BillingCycleDay: t.AnchorDay,
		StartDate:       instantToWire(i.StartAt),
		EndDate:         optionalInstantToWire(i.EndAt),
	}
	if i.Price.Fixed() {
		shown.FixedFeeQuantityTransitions = []gen.FixedFeeQuantityTransition{}
	}
	if current, ok := t.PeriodOf(i, now); ok {
		shown.CurrentBillingPeriodStartDate = optionalInstantToWire(&current.Start)
		shown.CurrentBillingPeriodEndDate = optionalInstantToWire(&current.End)
	}
	return shown
}

// mutatedToWire shows a subscription after a change, and the invoices that it made.
func mutatedToWire(tx *store.Tx, t subscription.Terms, created []invoice.View) (gen.MutatedSubscription, error) {
	shown, err := subscriptionsToWire(tx, t)
	if err != nil {
		return gen.MutatedSubscription{}, err
	}
	changed, err := changedToWire(tx, created)
	return gen.MutatedSubscription{
		Subscription:         shown[0],
		SubscriptionMutation: gen.SubscriptionMutation{ChangedResources: &changed},
	}, err
}

// changedToWire lists what a change of a subscription brought about.
func changedToWire(tx *store.Tx, created []invoice.View) (gen.ChangedSubscriptionResources, error) {
	changed := gen.ChangedSubscriptionResources{
		CreatedCreditNotes: []gen.CreditNote{},
		CreatedInvoices:    []gen.CreatedInvoice{},
		VoidedCreditNotes:  []gen.CreditNote{},
		VoidedInvoices:     []gen.Invoice{},
	}
	shown, err := invoicesToWire(tx, created)
	for k, inv := range shown {
		changed.CreatedInvoices = append(changed.CreatedInvoices, gen.CreatedInvoice{
			Invoice:    inv,
			PayableNow: gen.PayableNow{IsPayableNow: created[k].Status == invoice.StatusIssued},
		})
	}
	return changed, err
}

// several joins the two forms of a filter: name=a, and name[]=a&name[]=b.
func several[T any](one *T, many []T) []T {
	if one != nil {
		return append([]T{*one}, many...)
	}
	return many
}

func orEmpty[T ~string](text *T) string {
	if text == nil {
		return ""
	}
	return string(*text)
}

// timeframeFromWire reads the two ends of a timeframe. A date-time without an
// offset is UTC, a bare date local midnight (semantics 1.1.11).
func timeframeFromWire(start, end *gen.DateOrDateTime, loc *time.Location) (from, to *time.Time, err error) {
	read := func(field string, text *gen.DateOrDateTime) (*time.Time, error) {
		if text == nil {
			return nil, nil
		}
		zone := time.UTC
		if _, err := period.ParseDate(*text); err == nil {
			zone = loc
		}
		return instantFromWire(field, text, zone)
	}
	from, startErr := read("timeframe_start", start)
	to, endErr := read("timeframe_end", end)
	return from, to, fault.Join(startErr, endErr)
}
