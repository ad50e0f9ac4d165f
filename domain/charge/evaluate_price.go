package charge

import (
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// evaluationItem is a price on the way to its evaluation.
type evaluationItem struct {
	PriceEvaluation
	filter *metric.Condition  // nil for none
	groups []*metric.Computed // by the grouping keys
	item   Item               // of no subscription, and without usage
	asks   int                // how many questions
}

// read checks what can be judged from the request alone.
func (p PriceEvaluation) read() (evaluationItem, error) {
	a := evaluationItem{PriceEvaluation: p, groups: make([]*metric.Computed, len(p.GroupingKeys))}
	var faults []error
	refuse := func(field, reason string, args ...any) { faults = append(faults, fault.Bad(field, reason, args...)) }
	named := 0
	for _, given := range []bool{p.PriceID != nil, p.ExternalPriceID != nil, p.Price != nil} {
		if given {
			named++
		}
	}
	if named != 1 {
		refuse("price_id", "must be given, or external_price_id or price, and only one of them")
	}
	var err error
	if p.Filter != nil {
		if a.filter, err = metric.ParseCondition(*p.Filter); err != nil {
			refuse("filter", "%v", err)
		}
	}
	for i, key := range p.GroupingKeys {
		if a.groups[i], err = metric.ParseComputed(key); err != nil {
			refuse(fmt.Sprintf("grouping_keys[%d]", i), "%v", err)
		}
	}
	return a, fault.Join(faults...)
}

// findPrices finds the prices, or makes them where they are not saved.
func findPrices(tx *store.Tx, asked []evaluationItem) error {
	var ids, aliases, places []string
	var wanted []catalog.NewPrice
	for _, a := range asked {
		switch {
		case a.PriceID != nil:
			ids = append(ids, *a.PriceID)
		case a.ExternalPriceID != nil:
			aliases = append(aliases, *a.ExternalPriceID)
		default:
			wanted, places = append(wanted, *a.Price), append(places, a.Place+".price")
		}
	}
	byID, err := catalog.FindPrices(tx, ids)
	if err != nil {
		return err
	}
	byAlias, err := catalog.FindPricesByExternalID(tx, aliases)
	if err != nil {
		return err
	}
	made, err := catalog.UnsavedPrices(tx, wanted, places)
	if err != nil {
		return err
	}
	for k := range asked {
		var found bool
		a := &asked[k]
		price := &a.item.Interval.Price
		switch {
		case a.PriceID != nil:
			if *price, found = byID[*a.PriceID]; !found {
				return fault.Missing("Price", *a.PriceID)
			}
		case a.ExternalPriceID != nil:
			if *price, found = byAlias[*a.ExternalPriceID]; !found {
				return fault.Missing("Price", *a.ExternalPriceID)
			}
		default:
			*price, made = made[0], made[1:]
		}
		if err := a.check(); err != nil {
			return err
		}
		a.item.Model, a.item.Quantity = price.Model(), a.item.Interval.QuantityAt(time.Time{})
	}
	return findMetrics(tx, asked)
}

func findMetrics(tx *store.Tx, asked []evaluationItem) error {
	var ids []string
	for _, a := range asked {
		if id := a.item.Interval.Price.MetricID; id != nil {
			ids = append(ids, *id)
		}
	}
	metrics, err := catalog.FindMetrics(tx, ids)
	if err != nil {
		return err
	}
	for k := range asked {
		a := &asked[k]
		i := &a.item.Interval
		if i.Price.MetricID == nil {
			continue
		}
		i.Metric = metrics[*i.Price.MetricID]
		if err := a.refusal(i.Metric.Take(a.Parameters)); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what the price cannot be asked.
func (a evaluationItem) check() error {
	var err error
	switch price := a.item.Interval.Price; {
	case price.Type == catalog.PriceComposite:
		err = fault.Bad("price", "charges for other prices, so it is worth nothing by itself")
	case price.Fixed() && a.filter != nil:
		err = fault.Bad("filter", "must not be given, since the price has no metric")
	case price.Fixed() && len(a.groups) > 0:
		err = fault.Bad("grouping_keys", "must be empty, since the price has no metric")
	case price.Fixed() && len(a.Parameters) > 0:
		err = fault.Bad("metric_parameter_overrides", "must be empty, since the price has no metric")
	}
	return a.refusal(err)
}

// refusal is err, where it is about a price that the request brings along, and else that
// what is stored forbids it.
func (a evaluationItem) refusal(err error) error {
	if err = fault.In(a.Place, err); err != nil && a.Price == nil {
		return fault.Refused("%v", err)
	}
	return err
}

// requests are those of the price about what is asked, by groups.
func (a *evaluationItem) requests(about usage.Request) []usage.Request {
	about.Filter, about.Groups = a.filter, a.groups
	asked := Requests(a.item.Interval, a.item.Model, about)
	a.asks = len(asked)
	return asked
}

// evaluate charges what the questions were answered, each group by itself.
func (a evaluationItem) evaluate(answers []usage.Reading) Evaluated {
	e := Evaluated{Price: a.item.Interval.Price, Groups: []EvaluatedGroup{}}
	if len(a.groups) == 0 {
		e.Groups = append(e.Groups, a.charge([]string{}, answers))
		return e
	}
	for _, group := range answers[0].Groups {
		alone := make([]usage.Reading, len(answers))
		for q, answer := range answers {
			alone[q] = answer.Group(group.Values)
		}
		e.Groups = append(e.Groups, a.charge(group.Values, alone))
	}
	return e
}

func (a evaluationItem) charge(values []string, answers []usage.Reading) EvaluatedGroup {
	used := a.item
	used.Count(answers)
	worth := Rate(used)
	return EvaluatedGroup{Values: values, Quantity: worth.Quantity, Amount: worth.Exact.WithoutTail()}
}
