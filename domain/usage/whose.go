package usage

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// countedSpan is a time in which the events of some subjects count that meet a condition.
type countedSpan struct {
	until    *time.Time // exclusive; nil: open. It begins where the one before ends.
	subjects []string
	filter   *metric.Condition // nil for none
}

// Of is the request about what a price of a subscription counts: the events of its customers
// that meet its filter, by its metric with its parameters, each for the time in which that
// applies. The cuts of the request are set.
func (req Request) Of(t subscription.Terms, i subscription.PriceInterval) Request {
	return req.of(i, t.CountedSpans(i, req.whole()))
}

// OfAll is Of without the filter of the price.
func (req Request) OfAll(t subscription.Terms, i subscription.PriceInterval) Request {
	spans := t.CountedSpans(i, req.whole())
	for k := range spans {
		spans[k].Filter = nil
	}
	return req.of(i, spans)
}

// whole is the time from the first cut to the last.
func (req Request) whole() period.Period {
	return period.Period{Start: req.Cuts[0], End: req.Cuts[len(req.Cuts)-1]}
}

func (req Request) of(i subscription.PriceInterval, counted []subscription.CountedSpan) Request {
	var spans []countedSpan
	var values []metric.Timed
	req.Subjects = nil
	for _, span := range counted {
		subjects := event.SubjectsOf(span.Users)
		req.Subjects = append(req.Subjects, subjects...)
		spans = append(spans, countedSpan{span.Until, subjects, subscription.Scope{Filter: span.Filter}.Condition()})
		values = append(values, metric.Timed{Until: span.Until, Values: span.Parameters})
	}
	if req.Filter = spans[0].filter; i.Price.MetricID == nil {
		return req
	}
	if req.Query = i.Metric.QueryOver(values); len(spans) == 1 {
		return req
	}
	req.Subjects = unique(req.Subjects)
	varies := func(span countedSpan) bool {
		return !slices.Equal(span.subjects, spans[0].subjects) || !reflect.DeepEqual(span.filter, spans[0].filter)
	}
	if req.timed = true; slices.ContainsFunc(spans, varies) {
		req.spans, req.Filter = spans, nil
	}
	return req
}

// counts is the condition that an event counts at its instant.
func (req Request) counts() metric.Fragment {
	s := &statement{}
	var from *time.Time
	for k, span := range req.spans {
		s.add(strings.Repeat(" OR ", min(k, 1))+"e.subject = ANY(?::text[])", slices.Clone(span.subjects))
		if from != nil {
			s.add(` AND e."timestamp" >= ?`, *from)
		}
		if span.until != nil {
			s.add(` AND e."timestamp" < ?`, *span.until)
		}
		if span.filter != nil {
			s.add(" AND (")
			s.fragment(span.filter.Compile("e"))
			s.add(")")
		}
		from = span.until
	}
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}
