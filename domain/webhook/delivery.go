package webhook

import (
	"time"

	"tollkeeper/store"
)

// Status is how far a delivery has come.
type Status string

// A delivery is pending until the endpoint takes it or the schedule is over.
const (
	StatusPending   Status = "pending"
	StatusDelivered Status = "delivered"
	StatusFailed    Status = "failed"
)

// Delivery is a message on its way to an endpoint. All instants of attempts are real
// time, CreatedAt alone is the account's.
type Delivery struct {
	store.Record
	EndpointID    string
	MessageID     string
	Type          Type // of the message
	Status        Status
	Attempts      []Attempt  `gorm:"serializer:json"` // oldest first
	Tries         int        // how many of the last attempts the schedule counts
	NextAttemptAt *time.Time `gorm:"default:clock_timestamp()"` // nil unless pending
	ClaimedUntil  *time.Time // a server is at it until then, unless it died
	LastAttemptAt *time.Time
	LastStatus    *int // of HTTP; nil: no answer
}

// TableName has no noun of its own.
func (Delivery) TableName() string { return "webhook_deliveries" }

// Attempt is one request and what came of it.
type Attempt struct {
	At     time.Time `json:"at"`
	Status *int      `json:"status"` // of HTTP; nil: no answer
	Error  *string   `json:"error"`  // why there was none, or why the answer was not taken for one; nil: delivered
}
