package due

import (
	"context"

	"tollkeeper/store"
)

// Subject is what a unit of due work concerns: a subscription, else a customer, else the whole account.
type Subject struct {
	CustomerID     *string
	SubscriptionID *string
}

type watchKey struct{}

// Watch returns a context whose transactions say what they concern: see [Concern]. The subject is that of the
// last transaction, also if it failed.
func Watch(ctx context.Context) (context.Context, *Subject) {
	s := &Subject{}
	return context.WithValue(ctx, watchKey{}, s), s
}

// Concern says what the unit that a transaction does concerns, as soon as that is known. It does nothing in
// the transaction of a request.
func Concern(tx *store.Tx, s Subject) {
	if watched, is := tx.Context().Value(watchKey{}).(*Subject); is {
		*watched = s
	}
}
