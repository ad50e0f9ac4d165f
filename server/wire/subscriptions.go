package wire

import (
	"time"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadSubscriptions returns subscriptions as of the time of tx, with customers, plans and pending
// changes. The number of queries does not depend on the number of subscriptions.
func LoadSubscriptions(tx *store.Tx, all ...subscription.Terms) ([]gen.Subscription, error) {
	var plans []catalog.Plan
	var prices []catalog.Price
	var ids []string
	for _, t := range all {
		ids = append(ids, t.ID)
		plans = append(plans, t.Plan)
		for _, i := range t.Intervals {
			prices = append(prices, i.Price)
		}
	}
	shownPlans, err := LoadPlans(tx, plans)
	if err != nil {
		return nil, err
	}
	names, err := LoadItemNames(tx, prices)
	if err != nil {
		return nil, err
	}
	buyers, err := LoadCustomers(tx, MapSlice(all, func(t subscription.Terms) customer.Customer { return t.Customer })...)
	if err != nil {
		return nil, err
	}
	waiting, err := subscription.Pending(tx, ids)
	if err != nil {
		return nil, err
	}
	shown := make([]gen.Subscription, len(all))
	for k, t := range all {
		shown[k] = subscriptionToWire(t, shownPlans[k], names, tx.Now)
		shown[k].Customer = buyers[k]
		if c, found := waiting[t.ID]; found {
			shown[k].PendingSubscriptionChange = &gen.SubscriptionChangeMinified{ID: c.ID}
		}
	}
	return shown, nil
}

func subscriptionToWire(t subscription.Terms, plan gen.Plan, names map[string]string, now time.Time) gen.Subscription {
	anchor := t.AnchorAt(now)
	shown := gen.Subscription{
		ID:             t.ID,
		Name:           t.Name,
		CreatedAt:      Instant(t.CreatedAt),
		Status:         gen.SubscriptionStatus(t.Status(now)),
		StartDate:      Instant(t.StartAt),
		EndDate:        OptionalInstant(t.EndAt),
		Plan:           &plan,
		NetTerms:       t.NetTerms(),
		AutoCollection: t.AutoCollection,
		AutoIssuance:   t.AutoIssuance,

		BillingCycleDay: anchor.Day,
		BillingCycleAnchorConfiguration: gen.BillingCycleAnchorConfiguration{
			Day: anchor.Day, Month: anchor.Month, Year: anchor.Year,
		},
		DefaultInvoiceMemo:       t.DefaultInvoiceMemo,
		Metadata:                 Metadata(t.Metadata),
		RedeemedCoupon:           redemptionToWire(t),
		FixedFeeQuantitySchedule: []gen.FixedFeeQuantityScheduleEntry{},
		PriceIntervals: MapSlice(t.Intervals, func(i subscription.PriceInterval) gen.PriceInterval {
			return priceIntervalToWire(t, i, names, now)
		}),
	}
	shown.InvoicingThreshold = InvoicingThreshold(t.Subscription)
	if phase := t.PhaseAt(now); phase != nil {
		shown.ActivePlanPhaseOrder = &phase.PhaseOrder
	}
	if current, ok := t.BillingPeriod(now); ok {
		shown.CurrentBillingPeriodStartDate = OptionalInstant(&current.Start)
		shown.CurrentBillingPeriodEndDate = OptionalInstant(&current.End)
	}
	for _, i := range t.Intervals {
		if i.Price.Fixed() {
			for _, spell := range i.Spells() {
				shown.FixedFeeQuantitySchedule = append(shown.FixedFeeQuantitySchedule, gen.FixedFeeQuantityScheduleEntry{
					PriceID: i.PriceID, Quantity: Number(spell.Quantity),
					StartDate: Instant(spell.Start), EndDate: OptionalInstant(spell.End),
				})
			}
		}
	}
	shown.TrialInfo.EndDate = OptionalInstant(t.PlanInterval(now).TrialEndAt)
	adjustmentIntervalsToWire(t, &shown)
	return shown
}

// InvoicingThreshold formats the threshold in the subscription's currency, nil for none.
func InvoicingThreshold(s subscription.Subscription) *gen.Decimal {
	if s.InvoicingThreshold == nil {
		return nil
	}
	amount := s.Currency.Format(*s.InvoicingThreshold)
	return &amount
}

// LoadMutatedSubscription returns a subscription after a change, with the invoices and credit notes
// that the change made or voided.
func LoadMutatedSubscription(tx *store.Tx, change billing.Change) (gen.MutatedSubscription, error) {
	shown, err := LoadSubscriptions(tx, change.Terms)
	if err != nil {
		return gen.MutatedSubscription{}, err
	}
	changed, err := changedToWire(tx, change)
	return gen.MutatedSubscription{
		Subscription:         shown[0],
		SubscriptionMutation: gen.SubscriptionMutation{ChangedResources: &changed},
	}, err
}

func changedToWire(tx *store.Tx, change billing.Change) (changed gen.ChangedSubscriptionResources, err error) {
	created, err := LoadInvoices(tx, change.CreatedInvoices)
	if err != nil {
		return changed, err
	}
	changed.CreatedInvoices = make([]gen.CreatedInvoice, len(created))
	for k, inv := range created {
		changed.CreatedInvoices[k] = gen.CreatedInvoice{
			Invoice:    inv,
			PayableNow: gen.PayableNow{IsPayableNow: change.CreatedInvoices[k].Status == invoice.StatusIssued},
		}
	}
	changed.CreatedCreditNotes = MapSlice(change.CreatedNotes, CreditNote)
	changed.VoidedCreditNotes = MapSlice(change.VoidedNotes, CreditNote)
	changed.VoidedInvoices, err = LoadInvoices(tx, change.VoidedInvoices)
	return changed, err
}
