package event

import (
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/store"
)

// Event is something a customer used, as far as it could be read.
type Event struct {
	Key        string    // idempotency key; "" when it cannot be used
	Name       string    // 1 to 255 characters
	Subject    string    // who: see [Subjects]; "" unless exactly one is named
	Timestamp  time.Time // UTC, whole microseconds; zero when it cannot be read
	Properties string    // a JSON object of strings, numbers and booleans, numbers as sent

	customerID string // the customer that must exist; "" for none
	failures   []failure
}

// Failure tells why an event was refused.
type Failure struct {
	Key     string
	Reasons []string // "<place>: <what is wrong>", in the order of the checks
}

// text is how much of an answer the failure takes, about, in bytes.
func (f Failure) text() int {
	n := len(f.Key)
	for _, reason := range f.Reasons {
		n += len(reason)
	}
	return n
}

// failure is a check that an event did not pass.
type failure struct {
	step   step
	reason string
}

// step is the place of a check in the order of semantics 2.2.
type step int

const (
	stepKey step = iota + 5
	stepName
	stepReference
	stepCustomer
	stepTimestamp
	stepTooOld
	stepTooNew
	stepMembers
	stepDeprecated
	stepScope
)

// failed lists the event with its failures, by step.
func (e *Event) failed(failures []failure) Failure {
	slices.SortStableFunc(failures, func(a, b failure) int { return int(a.step - b.step) })
	f := Failure{Key: e.Key}
	for _, each := range failures {
		f.Reasons = append(f.Reasons, each.reason)
	}
	return f
}

// The two ways to name a customer. An alias is stored as it was sent and stands
// for the customer who has it when usage is read (semantics 2.4.5).
const (
	byID    = "c:"
	byAlias = "e:"
)

// Subjects are the names under which events of a customer are stored.
func Subjects(customerID string, externalID *string) []string {
	subjects := []string{byID + customerID}
	if externalID != nil {
		subjects = append(subjects, byAlias+*externalID)
	}
	return subjects
}

// SubjectsOf are the names under which events of several customers are stored.
func SubjectsOf(customers []customer.Customer) (subjects []string) {
	for _, c := range customers {
		subjects = append(subjects, Subjects(c.ID, c.ExternalCustomerID)...)
	}
	return subjects
}

// Any tells whether the account ever took an event.
func Any(tx *store.Tx) (found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(),
		"SELECT EXISTS (SELECT FROM event_keys WHERE account_id = $1)", tx.AccountID).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for events: %w", err)
	}
	return found, nil
}
