package subscription

import (
	"errors"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewSubscription is what a client asks for. Exactly one of the customer's
// identifiers and one of the plan's is given.
type NewSubscription struct {
	CustomerID, ExternalCustomerID *string
	PlanID, ExternalPlanID         *string

	PlanVersion  *int // nil: the default version
	InitialPhase *int // order of the phase to begin with; nil: the first

	StartDate *string // date or date-time in the customer's zone; nil: today
	EndDate   *string // the same, exclusive; nil: open

	AlignWithStart bool           // cycles begin on the start date's day of the month
	Anchor         *period.Anchor // or where this says

	TrialDays  *int    // 0 or more; nil: as the plan
	CouponCode *string // redeemed from the start on

	Name               *string // nil: the plan's
	Currency           *string // must be the plan's invoicing currency
	AutoCollection     *bool
	AutoIssuance       *bool
	DefaultInvoiceMemo *string
	NetTermsDays       *int
	InvoicingThreshold *money.Decimal
	Metadata           map[string]*string

	Scope
	Customization
}

// Create subscribes a customer to a version of a plan. The customer
// stays locked until the transaction ends, and takes the plan's invoicing
// currency if it has none (semantics 6.1.3). Nothing is invoiced yet.
func Create(tx *store.Tx, in NewSubscription) (Terms, error) {
	if err := in.check(); err != nil {
		return Terms{}, err
	}
	buyer, plan, err := in.lockCustomerAndPlan(tx)
	if err != nil {
		return Terms{}, err
	}
	version, err := in.version(tx, plan)
	if err != nil {
		return Terms{}, err
	}
	line, err := in.schedule(tx, buyer, plan, version)
	if err != nil {
		return Terms{}, err
	}
	if err := in.Scope.Check(tx, buyer); err != nil {
		return Terms{}, err
	}
	line.planInterval.Scope = in.Scope
	line.planInterval.setTrial(in.TrialDays, plan, line.loc)
	custom, err := in.resolve(tx, version)
	if err != nil {
		return Terms{}, err
	}
	custom, at := custom.expandLegacy(version)
	line.sub.NextNewsAt = &line.sub.StartAt
	if err := tx.Create(&line.sub).Error; err != nil {
		return Terms{}, err
	}
	if err := tx.Create(&line.planInterval).Error; err != nil {
		return Terms{}, err
	}
	has, err := catalog.Customize(tx, plan, version, line.sub.ID, custom.difference())
	if err != nil {
		return Terms{}, at.of(err)
	}
	if err := custom.place(tx, line, has); err != nil {
		return Terms{}, err
	}
	terms, err := Find(tx, line.sub.ID)
	if err != nil {
		return terms, err
	}
	if err := terms.SetNextBilling(tx, terms.FirstOpening()); err != nil {
		return terms, err
	}
	if in.CouponCode != nil {
		if err := Redeem(tx, &terms, Redemption{Code: in.CouponCode}, terms.StartAt); err != nil {
			return terms, err
		}
	}
	webhook.Announce(tx, webhook.SubscriptionCreated, terms.ID, nil)
	return terms, terms.Notify(tx)
}

// lockCustomerAndPlan locks the customer and checks that it may subscribe to the plan.
func (in NewSubscription) lockCustomerAndPlan(tx *store.Tx) (customer.Customer, catalog.Plan, error) {
	buyer, err := in.customer(tx)
	if err != nil {
		return buyer, catalog.Plan{}, err
	}
	plan, err := in.plan(tx)
	if err != nil {
		return buyer, plan, err
	}
	if plan.Status != catalog.PlanActive {
		return buyer, plan, fault.Refused("a plan that is %s takes no subscriptions", plan.Status)
	}
	if in.Currency != nil && money.Currency(*in.Currency) != plan.InvoicingCurrency {
		return buyer, plan, fault.Refused("currency must be the plan's invoicing currency")
	}
	if err := customer.TakeCurrency(tx, &buyer, plan.InvoicingCurrency); err != nil {
		return buyer, plan, err
	}
	return buyer, plan, checkSubscriptionLimit(tx, buyer)
}

// schedule is the subscription, without a row yet, and its phases. It ends with the
// last of them, if that ends.
func (in NewSubscription) schedule(tx *store.Tx, buyer customer.Customer, plan catalog.Plan, version catalog.PlanVersion) (schedule, error) {
	sub, err := in.record(tx, buyer, plan)
	if err != nil {
		return schedule{}, err
	}
	ramp, err := from(in.InitialPhase, version.Phases)
	if err != nil {
		return schedule{}, err
	}
	sub.PlanVersion = version.Version
	return newSchedule(tx, sub, plan, version, ramp, buyer.Location()), nil
}

// newSchedule places a version of a plan at the start of a subscription, from the first of
// those phases on. What the plan ends itself ends there.
func newSchedule(tx *store.Tx, sub Subscription, plan catalog.Plan, version catalog.PlanVersion, ramp []catalog.Phase, loc *time.Location) schedule {
	planInterval := PlanInterval{
		Record: tx.Record("planinterval"), SubscriptionID: sub.ID, PlanID: plan.ID, PlanVersion: version.Version, StartAt: sub.StartAt,
	}
	line := schedule{sub: sub, planInterval: planInterval, phases: unroll(tx, sub, planInterval.ID, ramp, loc), loc: loc}
	if n := len(line.phases); n > 0 {
		end := line.phases[n-1].EndAt
		if end != nil && (sub.EndAt == nil || end.Before(*sub.EndAt)) {
			line.planInterval.EndsAt = end
		}
		line.sub.EndAt = end
	}
	line.sub.CurrentPlanIntervalID = planInterval.ID
	return line
}

// place writes when what belongs to the plan interval is in force.
func (c Customization) place(tx *store.Tx, line schedule, has catalog.PlanVersion) error {
	intervals, pricesErr := line.prices(tx, has.Prices, c.AddPrices)
	adjustments, adjustmentsErr := line.adjustments(tx, has.Adjustments, c.AddAdjustments)
	if err := fault.Join(pricesErr, adjustmentsErr); err != nil {
		return err
	}
	return errors.Join(save(tx, line.phases), save(tx, intervals), save(tx, adjustments))
}

func save[T any](tx *store.Tx, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	return tx.Create(&rows).Error
}

// version is the one asked for, which must be of the plan.
func (in NewSubscription) version(tx *store.Tx, plan catalog.Plan) (catalog.PlanVersion, error) {
	if in.PlanVersion == nil {
		return catalog.FindVersion(tx, plan.ID, plan.Version)
	}
	version, err := catalog.FindVersion(tx, plan.ID, *in.PlanVersion)
	if fault.Is(err, fault.KindMissing) {
		err = fault.NotPartOf("plan_version_number", "must be a version of the plan")
	}
	return version, err
}

// check finds what is wrong with the request by itself.
func (in NewSubscription) check() error {
	var errs []error
	if (in.CustomerID == nil) == (in.ExternalCustomerID == nil) {
		errs = append(errs, fault.Bad("customer_id, external_customer_id", "exactly one must be specified"))
	}
	if (in.PlanID == nil) == (in.ExternalPlanID == nil) {
		errs = append(errs, fault.Bad("plan_id, external_plan_id", "exactly one must be specified"))
	}
	if in.AlignWithStart && in.Anchor != nil {
		errs = append(errs, fault.Bad("billing_cycle_anchor_configuration",
			"cannot be combined with align_billing_with_subscription_start_date"))
	}
	if in.Anchor != nil && in.Anchor.Year != nil && in.Anchor.Month == nil {
		errs = append(errs, fault.Bad("billing_cycle_anchor_configuration.year", "needs a month"))
	}
	return fault.Join(append(errs, checkThreshold(in.InvoicingThreshold))...)
}

func (in NewSubscription) customer(tx *store.Tx) (customer.Customer, error) {
	if in.CustomerID != nil {
		return customer.Lock(tx, *in.CustomerID)
	}
	found, err := customer.FindByExternalID(tx, *in.ExternalCustomerID)
	if err != nil {
		return customer.Customer{}, err
	}
	return customer.Lock(tx, found.ID)
}

func (in NewSubscription) plan(tx *store.Tx) (catalog.Plan, error) {
	if in.PlanID != nil {
		return catalog.FindPlan(tx, *in.PlanID)
	}
	return catalog.FindPlanByExternalID(tx, *in.ExternalPlanID)
}

// checkSubscriptionLimit refuses one subscription more than the account allows a customer. Ended
// ones do not count.
func checkSubscriptionLimit(tx *store.Tx, buyer customer.Customer) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	var running int64
	err = tx.Model(&Subscription{}).
		Where("customer_id = ? AND (end_at IS NULL OR end_at > ? AND end_at > start_at)", buyer.ID, tx.Now).
		Count(&running).Error
	if err == nil && running >= int64(settings.SubscriptionsPerCustomer) {
		err = fault.Refused("a customer can have at most %d subscriptions", settings.SubscriptionsPerCustomer)
	}
	return err
}

func (in NewSubscription) record(tx *store.Tx, buyer customer.Customer, plan catalog.Plan) (Subscription, error) {
	if err := checkShown(in.InvoicingThreshold, plan.InvoicingCurrency); err != nil {
		return Subscription{}, err
	}
	loc := buyer.Location()
	start := period.DateOf(tx.Now, loc).In(loc)
	end, err := readDate("end_date", in.EndDate, loc)
	if err != nil {
		return Subscription{}, err
	}
	if given, err := readDate("start_date", in.StartDate, loc); err != nil {
		return Subscription{}, err
	} else if given != nil {
		start = *given
	}
	if end != nil && !end.After(start) {
		return Subscription{}, fault.Bad("end_date", "must be after start_date")
	}
	metadata, err := store.Metadata{}.Merge(in.Metadata)
	if err != nil {
		return Subscription{}, err
	}
	anchor := period.Anchor{Day: 1}
	switch {
	case in.Anchor != nil:
		anchor = *in.Anchor
	case in.AlignWithStart:
		anchor.Day = period.DateOf(start, loc).Day
	}
	name := plan.Name
	if in.Name != nil {
		name = *in.Name
	}
	return Subscription{
		Record: tx.Record("sub"), CustomerID: buyer.ID, PlanID: plan.ID, PlanVersion: plan.Version,
		Name: name, Currency: plan.InvoicingCurrency, StartAt: start, EndAt: end,
		AnchorDay: anchor.Day, AnchorMonth: anchor.Month, AnchorYear: anchor.Year,
		AutoCollection: in.AutoCollection, AutoIssuance: in.AutoIssuance,
		DefaultInvoiceMemo: in.DefaultInvoiceMemo, NetTermsDays: in.NetTermsDays, Metadata: metadata,
		InvoicingThreshold: in.InvoicingThreshold, AccrualChanged: in.InvoicingThreshold != nil,
	}, nil
}

func readDate(field string, text *string, loc *time.Location) (*time.Time, error) {
	if text == nil {
		return nil, nil
	}
	at, err := period.ParseInstant(*text, loc)
	if err != nil {
		return nil, fault.Bad(field, "%s", err)
	}
	return &at, nil
}
