package due

import "fmt"

// Lane is units of due work that are done in the order of time where they concern the same. A unit that
// failed holds up no unit of another lane. The texts are in the database, so they never change.
type Lane string

// Lanes.
const (
	Billing         Lane = "billing"         // what makes or changes documents, terms, credits or usage
	PendingChanges  Lane = "pending changes" // their expiry
	UnmatchedEvents Lane = "unmatched events"
	UsageScan       Lane = "usage scan" // for thresholds
	Notices         Lane = "notices"
	Payments        Lane = "payments"
	Alerts          Lane = "alerts"
)

// All are the lanes.
var All = []Lane{Billing, PendingChanges, UnmatchedEvents, UsageScan, Notices, Payments, Alerts}

// FreeSubscription is the SQL condition that no parked unit of the lane holds up a unit of a subscription. The
// account, the customer and the subscription are SQL expressions, which are trusted.
func (l Lane) FreeSubscription(account, customer, subscription string) string {
	return l.free(account, fmt.Sprintf("parked.subscription_id = %s OR parked.subscription_id IS NULL AND parked.customer_id = %s", subscription, customer))
}

// FreeCustomer is FreeSubscription for a unit of a customer: it waits for those of all subscriptions, too.
func (l Lane) FreeCustomer(account, customer string) string {
	return l.free(account, "parked.customer_id = "+customer)
}

// free asks for the time of each row: with a condition that is constant in the statement PostgreSQL may join the
// tables, and then no longer reads the units in the order of their index.
func (l Lane) free(account, same string) string {
	return fmt.Sprintf(`NOT EXISTS (SELECT FROM parked_units AS parked WHERE parked.account_id = %s AND parked.lane = '%s'
		AND parked.next_try_at > parked_as_of() AND (%s OR parked.customer_id IS NULL AND parked.subscription_id IS NULL))`, account, l, same)
}
