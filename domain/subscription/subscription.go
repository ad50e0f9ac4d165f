package subscription

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Status follows from the dates alone (semantics 6.1.1).
type Status string

// The states of a subscription.
const (
	StatusUpcoming Status = "upcoming"
	StatusActive   Status = "active"
	StatusEnded    Status = "ended"
)

// Subscription is a customer's agreement to a version of a plan.
type Subscription struct {
	store.Record
	CustomerID  string
	PlanID      string // of the plan interval entered last, like
	PlanVersion int    // this

	CurrentPlanIntervalID string

	Name     string
	Currency money.Currency // of its invoices
	StartAt  time.Time      // inclusive
	EndAt    *time.Time     // exclusive; nil: open

	AnchorDay   int // 1 to 31; a month without it uses its last day
	AnchorMonth *int
	AnchorYear  *int

	AutoCollection     *bool   // nil: as the customer
	AutoIssuance       *bool   // nil: as the customer, else as the account
	DefaultInvoiceMemo *string // nil: as the plan
	NetTermsDays       *int    // nil: as the plan
	Metadata           store.Metadata

	InvoicingThreshold *money.Decimal // usage that reaches it is invoiced at once; nil: when its period ends
	AccrualChanged     bool           // what was used is to be compared with that
	PartialAt          *time.Time     // when that was invoiced last

	NextBillingAt *time.Time // the next date on which invoices are opened; nil: never again
	NextChangeAt  *time.Time // the next one on which what was charged may have to be credited; nil: never again
	NextNewsAt    *time.Time // when it begins or ends, not announced yet; nil: never again
	NextGrantAt   *time.Time // the next one on which credits are granted; nil: never again
	NextResetAt   *time.Time // the next one on which licenses are granted credits again; nil: never again

	Revision int // how often its terms were changed
}

// PriceInterval is the time over which a subscription is billed a price.
type PriceInterval struct {
	store.Record
	SubscriptionID string
	PlanIntervalID *string // nil: of the one in which it begins
	PriceID        string
	Position       int        // order on invoices
	StartAt        time.Time  // inclusive
	EndAt          *time.Time // exclusive; nil: open

	BillingDay *int // of the month, on which its cycles begin; nil: as those of the subscription

	// BillingDaysBefore are the days before BillingDay, by instant. Cycles begin on one in its own time.
	BillingDaysBefore Former[*int]

	Parameters metric.Parameters `gorm:"column:metric_parameter_overrides"` // for the metric
	Scope                        // of a usage price

	// What it counted before what Scope and Parameters say, by instant.
	UsageCustomersBefore FormerUsage
	FiltersBefore        Former[*string]
	ParametersBefore     Former[metric.Parameters]

	CanDeferBilling bool // in arrears: ended amid a cycle, it is billed on the next billing date

	// CreditsTakenBack is what was taken back of the grants of the allocation price that this one took
	// the place of, as it grants less; in credits, 0 or more. Nil where nothing was due yet.
	CreditsTakenBack *money.Decimal

	Price       catalog.Price  `gorm:"-"`
	Metric      catalog.Metric `gorm:"-"` // of a usage price
	Transitions []Transition   `gorm:"-"` // of a fixed fee, by instant
	PlanID      string         `gorm:"-"` // of its plan interval

	users  []customer.Customer   // of UsageCustomerIDs
	former [][]customer.Customer // of UsageCustomersBefore
}

// Overlaps reports whether the interval is in force at some time of p.
func (i PriceInterval) Overlaps(p period.Period) bool { return i.overlaps(p.Start, &p.End) }

// inForce reports whether an instant lies in the interval.
func (i PriceInterval) inForce(at time.Time) bool {
	return !at.Before(i.StartAt) && (i.EndAt == nil || at.Before(*i.EndAt))
}

func (i PriceInterval) overlaps(start time.Time, end *time.Time) bool {
	return (end == nil || i.StartAt.Before(*end)) && (i.EndAt == nil || i.EndAt.After(start))
}

// Terms is a subscription with all that decides what is billed and when.
type Terms struct {
	Subscription
	Plan          catalog.Plan // of the plan interval entered last
	Customer      customer.Customer
	Intervals     []PriceInterval // by position, each with its price
	Phases        []Phase         // by start; none where the plan has none
	PlanIntervals []PlanInterval  // by start

	Adjustments []AdjustmentInterval // in the order in which they were made
}

// Anchor is where its billing cycles begin.
func (s Subscription) Anchor() period.Anchor {
	return period.Anchor{Day: s.AnchorDay, Month: s.AnchorMonth, Year: s.AnchorYear}
}

// Status returns what it is at an instant.
func (s Subscription) Status(now time.Time) Status {
	switch {
	case s.EndAt != nil && (!now.Before(*s.EndAt) || s.EndAt.Equal(s.StartAt)):
		return StatusEnded
	case now.Before(s.StartAt):
		return StatusUpcoming
	default:
		return StatusActive
	}
}

// NetTerms is the number of days between issue and due date: its own, else the
// plan's, else 0.
func (t Terms) NetTerms() int {
	for _, days := range []*int{t.NetTermsDays, t.Plan.NetTermsDays} {
		if days != nil {
			return *days
		}
	}
	return 0
}

// Memo is the text of its invoices: its own, else the plan's.
func (t Terms) Memo() *string {
	if t.DefaultInvoiceMemo != nil {
		return t.DefaultInvoiceMemo
	}
	return t.Plan.DefaultInvoiceMemo
}

// CollectsAutomatically reports whether its invoices are charged without
// being asked: as it says, else as the customer.
func (t Terms) CollectsAutomatically() bool {
	if t.AutoCollection != nil {
		return *t.AutoCollection
	}
	return t.Customer.AutoCollection
}

// IssuesAutomatically reports whether its invoices are issued without being
// asked: as it says, else as the customer, else as the account.
func (t Terms) IssuesAutomatically(account bool) bool {
	for _, setting := range []*bool{t.AutoIssuance, t.Customer.AutoIssuance} {
		if setting != nil {
			return *setting
		}
	}
	return account
}
