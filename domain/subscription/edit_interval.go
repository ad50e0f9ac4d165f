package subscription

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// editInterval changes one interval, or removes it where it then ends as it starts.
func (t Terms) editInterval(tx *store.Tx, e IntervalEdit, all *bool, at map[string]string, place string) error {
	k := slices.IndexFunc(t.Intervals, func(i PriceInterval) bool { return i.ID == e.ID })
	if k < 0 {
		return fault.NotPartOf("price_interval_id", "must be a price interval of the subscription")
	}
	if _, edited := at[e.ID]; edited {
		return fault.Bad("price_interval_id", "must be edited once")
	}
	at[e.ID] = place
	i := t.Intervals[k]
	in, err := t.edited(tx.Now, span{i.StartAt, i.EndAt}, t.of(i), e.Start, e.End)
	if err != nil {
		return err
	}
	if in.end != nil && in.end.Equal(in.start) {
		return tx.Where("id = ?", i.ID).Delete(&PriceInterval{}).Error
	}
	columns := in.columns(e.Start, e.End)
	i.StartAt, i.EndAt = in.start, in.end
	if e.BillingDay.Given {
		columns["billing_day"] = e.BillingDay.Value
		columns["billing_days_before"] = t.moveDay(i, e.BillingDay.Value, tx.Now)
	}
	if e.Defers != nil || all != nil && e.End.Given && e.End.Value != nil {
		columns["can_defer_billing"] = defers(e.Defers, all, true)
	}
	scope := i.Scope
	if e.UsageCustomers.Given {
		scope.UsageCustomerIDs = e.UsageCustomers.Value
		columns["usage_customer_ids"] = scope.UsageCustomerIDs
		columns["usage_customers_before"] = i.changeUsers(scope.UsageCustomerIDs, tx.Now)
	}
	if e.Filter.Given {
		scope.Filter = e.Filter.Value
		columns["filter"] = scope.Filter
		if !reflect.DeepEqual(scope.Filter, i.Filter) {
			columns["filters_before"] = i.FiltersBefore.and(i.Filter, i, tx.Now)
		}
	}
	if err := i.checkScope(tx, t, scope); err != nil {
		return err
	}
	if e.Parameters.Given {
		if err := i.take(e); err != nil {
			return err
		}
		columns["metric_parameter_overrides"] = e.Parameters.Value
		if !maps.Equal(e.Parameters.Value, i.Parameters) {
			columns["parameters_before"] = i.ParametersBefore.and(i.Parameters, i, tx.Now)
		}
	}
	if len(columns) > 0 {
		if err := tx.Model(&PriceInterval{}).Where("id = ?", i.ID).Updates(columns).Error; err != nil {
			return err
		}
	}
	return errors.Join(t.cutResumes(tx, i), t.editTransitions(tx, i, e.Transitions))
}

// edited is a life with other dates, within that of a plan interval.
func (t Terms) edited(now time.Time, in span, s PlanInterval, start *string, end Sent[*string]) (span, error) {
	var startErr, endErr error
	if start != nil {
		in.start, startErr = t.date("start_date", *start, now)
	}
	if end.Given {
		in.end = t.EndAt
		if end.Value != nil {
			var until time.Time
			until, endErr = t.date("end_date", *end.Value, now)
			in.end = &until
		}
	}
	err := fault.Join(startErr, endErr)
	if err != nil || start == nil && !end.Given {
		return in, err
	}
	return in, t.within(in, s, in.end != nil)
}

// columns are what changes of a row.
func (l span) columns(start *string, end Sent[*string]) map[string]any {
	columns := map[string]any{}
	if start != nil {
		columns["start_at"] = l.start
	}
	if end.Given {
		columns["end_at"] = l.end
	}
	return columns
}

// take checks values for the parameters of the price's metric.
func (i PriceInterval) take(e IntervalEdit) error {
	if i.Price.MetricID == nil && len(e.Parameters.Value) > 0 {
		return fault.Bad("metric_parameter_overrides", "must be empty, since the price has no metric")
	}
	if i.Price.MetricID == nil {
		return nil
	}
	return i.Metric.Take(e.Parameters.Value)
}

// checkScope refuses another scope that is none, and one of what counts no events.
func (i PriceInterval) checkScope(tx *store.Tx, t Terms, scope Scope) error {
	if i.Price.MetricID != nil {
		return scope.Check(tx, t.Customer)
	}
	return scope.ofNone()
}

// ofNone refuses a scope where no events are counted.
func (s Scope) ofNone() error {
	var faults []error
	if len(s.UsageCustomerIDs) > 0 {
		faults = append(faults, fault.Bad("usage_customer_ids", "can be given for usage prices only"))
	}
	if s.Filter != nil {
		faults = append(faults, fault.Bad("filter", "can be given for usage prices only"))
	}
	return fault.Join(faults...)
}

// cutResumes drops what was noted about charges after the end of an interval.
func (t Terms) cutResumes(tx *store.Tx, i PriceInterval) error {
	if i.EndAt == nil {
		return nil
	}
	return tx.Where("interval_id = ? AND resumes AND effective_at >= ?", i.ID, *i.EndAt).Delete(&Transition{}).Error
}

// editTransitions gives a fee those quantities instead of the ones it has. Its charge
// resumes where it did.
func (t Terms) editTransitions(tx *store.Tx, i PriceInterval, wanted Sent[[]NewTransition]) error {
	if !wanted.Given {
		return nil
	}
	rows, err := t.transitions(tx, i, wanted.Value)
	if err != nil {
		return err
	}
	if err := tx.Where("interval_id = ?", i.ID).Delete(&Transition{}).Error; err != nil {
		return err
	}
	for _, change := range i.Transitions {
		if !change.Resumes || i.EndAt != nil && !change.EffectiveAt.Before(*i.EndAt) {
			continue
		}
		if k := slices.IndexFunc(rows, func(c Transition) bool { return c.EffectiveAt.Equal(change.EffectiveAt) }); k >= 0 {
			change.EffectiveAt = change.EffectiveAt.Add(time.Microsecond)
		}
		change.Seq = 0
		rows = append(rows, change)
	}
	return save(tx, rows)
}

// transitions are the quantities that a request gives a fee, from local midnights on,
// each of another day within the interval.
func (t Terms) transitions(tx *store.Tx, i PriceInterval, wanted []NewTransition) ([]Transition, error) {
	if len(wanted) > 0 && !i.Price.Fixed() {
		return nil, fault.Bad("fixed_fee_quantity_transitions", "can be given for fixed fees only")
	}
	if len(wanted) > 0 && i.Price.Allocation != nil {
		return nil, fault.Bad("fixed_fee_quantity_transitions", "cannot be given for allocation prices, whose quantity is what they grant")
	}
	loc := t.Customer.Location()
	var rows []Transition
	err := each("fixed_fee_quantity_transitions", wanted, func(w NewTransition, _ string) error {
		at, err := period.ParseInstant(w.On, loc)
		if err != nil {
			return fault.Bad("effective_date", "%s", err)
		}
		at = period.DateOf(at, loc).In(loc)
		switch {
		case w.Quantity.Sign() < 0:
			return fault.Bad("quantity", "must not be negative")
		case at.Before(period.DateOf(i.StartAt, loc).In(loc)), i.EndAt != nil && !at.Before(*i.EndAt):
			return fault.Bad("effective_date", "must lie in the interval")
		case slices.ContainsFunc(rows, func(c Transition) bool { return c.EffectiveAt.Equal(at) }):
			return fault.Bad("effective_date", "must differ from those before it")
		}
		rows = append(rows, Transition{Record: tx.Record("qty"), IntervalID: i.ID, EffectiveAt: at, Quantity: &w.Quantity})
		return nil
	})
	slices.SortFunc(rows, func(a, b Transition) int { return a.EffectiveAt.Compare(b.EffectiveAt) })
	return rows, err
}
