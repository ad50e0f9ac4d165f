package main

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"tollkeeper/domain/reference"
)

// has reports whether a price counts an event.
func (p piece) has(e *event) bool {
	c := p.counts(e.at)
	who := c.who
	if len(who) == 0 {
		who = []string{p.sub.customer.name}
	}
	if !slices.Contains(who, e.customer) || c.filter == "" {
		return slices.Contains(who, e.customer)
	}
	holds, err := reference.Holds(c.filter, e.sent())
	if err != nil {
		panic(err)
	}
	return holds
}

// inForce reports whether an event counts at all.
func (e *event) inForce() bool {
	return !e.deprecated && !e.replaced && (e.backfill == nil || e.backfill.state == "reflected")
}

// sent is an event as it was sent.
func (e *event) sent() reference.Event {
	known := map[string]any{"n": rat(e.N), "who": e.Who}
	if e.Where != "" {
		known["where"] = e.Where
	}
	if e.Rate != "" {
		known["rate"] = e.Rate
	}
	return reference.Event{Name: "use", ExternalCustomerID: e.customer, Timestamp: e.at, Order: e.order,
		Properties: known}
}

// inputs are what the model of a price reads.
func (s priceSpec) inputs() reference.Inputs {
	in, err := reference.InputsOf(s.Model, s.configText())
	if err != nil {
		panic(err)
	}
	return in
}

// usage is what a price rates of the usage of a service period before an instant, as is known now.
func (w *world) usage(p piece, until time.Time) (u reference.Usage) {
	if until.After(p.to) {
		until = p.to
	}
	key := fmt.Sprintf("%p %s %s", p.interval, clock(p.since), clock(until))
	if known, ok := w.measured[key]; ok {
		return known
	}
	events := w.counted(p, p.since, until)
	in := p.spec.inputs()
	u.Quotients = divides(p.spec.Metric)
	if in.Whole {
		u.Quantity, _ = p.measure(events)
	}
	if in.Filters != nil {
		u.Matching, _ = p.measure(slices.DeleteFunc(slices.Clone(events), func(e reference.Event) bool {
			for name, want := range in.Filters {
				if got, ok := e.Value(name); !ok || got != want {
					return true
				}
			}
			return false
		}))
	}
	if len(in.Properties) > 0 {
		u.Groups = p.groups(events, in.Properties)
	}
	w.measured[key] = u
	return u
}

// counted are the events of a span that a price counts, as they came.
func (w *world) counted(p piece, from, to time.Time) (events []reference.Event) {
	for _, key := range w.keys {
		if e := w.events[key]; e.inForce() && !e.at.Before(from) && e.at.Before(to) && p.has(e) {
			events = append(events, e.sent())
		}
	}
	return events
}

// countedOf is the metric of a price over its events in a span, of those with a value.
func (w *world) countedOf(p piece, from, to time.Time, who string) *big.Rat {
	quantity, _ := p.measure(slices.DeleteFunc(w.counted(p, from, to), func(e reference.Event) bool { return e.Properties["who"] != who }))
	return quantity
}

// recount forgets what was measured: events have come or gone, or what is counted of them has changed.
func (w *world) recount() { clear(w.measured); clear(w.worths) }

// measure is the metric of a price over events, and whether one of them came as far as the sum.
func (p piece) measure(events []reference.Event) (*big.Rat, bool) {
	var parameters map[string]any
	if p.spec.Metric == "parameter" {
		parameters = map[string]any{"least": p.leastByTime()}
	}
	value, reached, err := reference.Metric(sqls[p.spec.Metric], parameters, events)
	if err != nil {
		panic(err)
	}
	return value, reached
}

// leastByTime is the parameter of the metric, as it was at each time (semantics 4.2.7).
func (p piece) leastByTime() (all reference.ByTime) {
	value := func(text string) any {
		if text == "" {
			return nil
		}
		return rat(text)
	}
	for k, c := range p.interval.counted {
		if k+1 < len(p.interval.counted) {
			all.Before = append(all.Before, reference.Until{Until: p.interval.counted[k+1].from, Value: value(c.least)})
		} else {
			all.Last = value(c.least)
		}
	}
	return all
}

// groups are the metric of a price for each distinct tuple of values.
func (p piece) groups(events []reference.Event, properties []string) (groups []reference.Group) {
	var keys []string
	of := map[string][]reference.Event{}
	values := map[string]map[string]string{}
	for _, e := range events {
		tuple, key := map[string]string{}, ""
		for _, name := range properties {
			if v, ok := e.Value(name); ok {
				tuple[name], key = v, key+"="+v
			}
			key += ","
		}
		if of[key] == nil {
			keys = append(keys, key)
		}
		of[key], values[key] = append(of[key], e), tuple
	}
	for _, key := range keys {
		if quantity, reached := p.measure(of[key]); reached {
			groups = append(groups, reference.Group{Values: values[key], Quantity: quantity})
		}
	}
	return groups
}

// divides reports whether a metric divides.
func divides(metric string) bool {
	yes, err := reference.Divides(sqls[metric])
	if err != nil {
		panic(err)
	}
	return yes
}
