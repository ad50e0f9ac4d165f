package wire

import (
	"tollkeeper/domain/alert"
	"tollkeeper/domain/fault"
	"tollkeeper/gen"
)

// ReadAlertFilter reads the alert filter of a request.
func ReadAlertFilter(p gen.ListAlertsParams) (alert.Filter, error) {
	created, err := ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	filter := alert.Filter{
		CustomerID: Deref(p.CustomerID), ExternalCustomerID: Deref(p.ExternalCustomerID), SubscriptionID: Deref(p.SubscriptionID),
		CreatedAt: created,
	}
	given := 0
	for _, id := range []string{filter.CustomerID, filter.ExternalCustomerID, filter.SubscriptionID} {
		if id != "" {
			given++
		}
	}
	if given != 1 {
		err = fault.Join(err, fault.Bad("customer_id", "must be given, or external_customer_id or subscription_id, and only one of them"))
	}
	return filter, err
}
