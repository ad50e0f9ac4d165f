package subscription

import (
	"errors"
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewInterval is a price that a client wants for a time: a new one, or one that is
// named. It ends with its plan at the latest.
type NewInterval struct {
	catalog.PlanPrice
	PriceName
	Own         []LegacyAdjustment
	Scope       // what it leaves open is as in the plan interval
	Start       string
	End         *string // nil: with the subscription
	Defers      *bool
	Transitions []NewTransition // of a fixed fee
}

// NewAdjustmentInterval is an adjustment that a client wants for a time: a new one, or
// one that exists.
type NewAdjustmentInterval struct {
	Adjustment   catalog.NewAdjustment
	AdjustmentID *string
	Start        string
	End          *string // nil: with the subscription
}

// addition is what a request adds, before it has rows.
type addition struct {
	Customization
	prices      []stay // of AddPrices, and
	adjustments []stay // of AddAdjustments: when they are in force
	known       []AdjustmentInterval
	at          requestPaths
}

// stay is a life within a plan interval.
type stay struct {
	span
	planIntervalID string
}

// addIntervals adds the prices and adjustments that a request brings, and notes where in
// it each interval is from.
func (t Terms) addIntervals(tx *store.Tx, in IntervalChanges, at map[string]string) error {
	sum := addition{at: requestPaths{}}
	err := fault.Join(
		each("add", in.Add, func(add NewInterval, place string) error { return sum.price(tx, t, add, place) }),
		each("add_adjustments", in.AddAdjustments, func(add NewAdjustmentInterval, _ string) error { return sum.adjustment(tx, t, add) }),
	)
	if err != nil {
		return err
	}
	for k, add := range in.Add {
		sum.addLegacy(&sum.AddPrices[k].PlanPrice, add.Own, nil, fmt.Sprintf("add[%d]", k), sum.at)
		for range add.Own {
			sum.adjustments = append(sum.adjustments, sum.prices[k])
		}
	}
	has := t.prices()
	for _, add := range sum.AddPrices {
		if add.Given != nil {
			has = append(has, *add.Given)
		}
	}
	prices, adjustments, err := catalog.Extend(tx, t.PlanInterval(tx.Now).Plan, has, t.ID, sum.difference())
	if err != nil {
		return sum.at.of(err)
	}
	return errors.Join(t.savePrices(tx, in, sum, prices, at), t.saveAdjustments(tx, sum, adjustments))
}

func (sum *addition) price(tx *store.Tx, t Terms, add NewInterval, place string) error {
	price := AddedPrice{PlanPrice: add.PlanPrice, PriceName: add.PriceName}
	if add.given() {
		found, err := add.find(tx, t.ID)
		if err != nil {
			return err
		}
		price.Given = &found
	}
	sum.at[fmt.Sprintf("add_prices[%d]", len(sum.AddPrices))] = place
	in, err := t.stay(tx.Now, add.Start, add.End)
	sum.AddPrices, sum.prices = append(sum.AddPrices, price), append(sum.prices, in)
	return err
}

func (sum *addition) adjustment(tx *store.Tx, t Terms, add NewAdjustmentInterval) error {
	in, err := t.stay(tx.Now, add.Start, add.End)
	if add.AdjustmentID == nil {
		sum.AddAdjustments = append(sum.AddAdjustments, AddedAdjustment{PlanAdjustment: catalog.PlanAdjustment{Adjustment: add.Adjustment}})
		sum.adjustments = append(sum.adjustments, in)
		return err
	}
	if err := reusable(tx, *add.AdjustmentID); err != nil {
		return err
	}
	sum.known = append(sum.known, AdjustmentInterval{AdjustmentID: *add.AdjustmentID, PlanIntervalID: &in.planIntervalID, StartAt: in.start, EndAt: in.end})
	return err
}

// reusable refuses an adjustment that may not work in another place: that of a coupon,
// or of an invoice.
func reusable(tx *store.Tx, id string) error {
	found, err := catalog.FindAdjustments(tx, []string{id})
	if err != nil {
		return err
	}
	a, exists := found[id]
	if !exists {
		return fault.Missing("Adjustment", id)
	}
	var redeemed int64
	err = tx.Model(&AdjustmentInterval{}).Where("adjustment_id = ? AND coupon_id IS NOT NULL", id).Count(&redeemed).Error
	if err == nil && (redeemed > 0 || a.InvoiceID != nil) {
		err = fault.NotPartOf("adjustment_id", "must be an adjustment of a plan or a subscription, and not of a coupon")
	}
	return err
}

func (t Terms) savePrices(tx *store.Tx, in IntervalChanges, sum addition, prices []catalog.Price, at map[string]string) error {
	next := 0
	if n := len(t.Intervals); n > 0 {
		next = t.Intervals[n-1].Position + 1
	}
	var intervals []PriceInterval
	var transitions []Transition
	err := each("add", in.Add, func(add NewInterval, place string) error {
		k := len(intervals)
		i := PriceInterval{
			Record: tx.Record("pint"), SubscriptionID: t.ID, PlanIntervalID: &sum.prices[k].planIntervalID, PriceID: prices[k].ID, Price: prices[k],
			Position: next + k, StartAt: sum.prices[k].start, EndAt: sum.prices[k].end, Parameters: prices[k].Parameters,
			CanDeferBilling: defers(add.Defers, in.Defers, add.End != nil),
		}
		at[i.ID] = place
		scopeErr := i.checkScope(tx, t, add.Scope)
		if i.Price.MetricID != nil {
			i.Scope = add.Scope.or(t.PlanInterval(i.StartAt).Scope)
		}
		intervals = append(intervals, i)
		changes, err := t.transitions(tx, i, add.Transitions)
		transitions = append(transitions, changes...)
		return fault.Join(scopeErr, err)
	})
	if err != nil {
		return err
	}
	return errors.Join(save(tx, intervals), save(tx, transitions))
}

func (t Terms) saveAdjustments(tx *store.Tx, sum addition, adjustments []catalog.Adjustment) error {
	rows := sum.known
	for k, a := range adjustments {
		in := sum.adjustments[k]
		rows = append(rows, AdjustmentInterval{AdjustmentID: a.ID, PlanIntervalID: &in.planIntervalID, StartAt: in.start, EndAt: in.end})
	}
	next := 0
	if n := len(t.Adjustments); n > 0 {
		next = t.Adjustments[n-1].Position + 1
	}
	for k := range rows {
		rows[k].Record, rows[k].SubscriptionID, rows[k].Position = tx.Record("aint"), t.ID, next+k
	}
	return save(tx, rows)
}

// stay is the time that a request gives an interval. It belongs to the plan that the
// subscription is on at its start.
func (t Terms) stay(now time.Time, start string, end *string) (stay, error) {
	in := stay{span: span{end: t.EndAt}}
	var startErr, endErr error
	in.start, startErr = t.date("start_date", start, now)
	if end != nil {
		var until time.Time
		until, endErr = t.date("end_date", *end, now)
		in.end = &until
	}
	if err := fault.Join(startErr, endErr); err != nil {
		return in, err
	}
	planInterval := t.PlanInterval(in.start)
	in.planIntervalID = planInterval.ID
	if end != nil && in.end.Equal(in.start) {
		return in, fault.Bad("end_date", "must be after start_date")
	}
	return in, t.within(in.span, planInterval, end != nil)
}

// prices are those that the subscription has at any time, each once.
func (t Terms) prices() (prices []catalog.Price) {
	known := map[string]bool{}
	for _, i := range t.Intervals {
		if !known[i.PriceID] {
			known[i.PriceID] = true
			prices = append(prices, i.Price)
		}
	}
	return prices
}

// defers is whether an interval may be billed late: as it says, else as the request
// says for those with an end.
func defers(own, all *bool, ends bool) bool {
	if own == nil && ends {
		own = all
	}
	return own != nil && *own
}
