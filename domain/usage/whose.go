package usage

import (
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/subscription"
)

// subjectSpan is a time in which the events of some subjects count.
type subjectSpan struct {
	until    *time.Time // exclusive; nil: open. It begins where the one before ends.
	subjects []string
}

// Of is the request about the customers whose events a price of a subscription counts, each
// for the time in which it counts them. The cuts of the request are set.
func (req Request) Of(t subscription.Terms, i subscription.PriceInterval) Request {
	var spans []subjectSpan
	for _, span := range t.UserSpans(i) {
		if span.Until != nil && !span.Until.After(req.Cuts[0]) {
			continue // it ends before the request begins
		}
		spans = append(spans, subjectSpan{span.Until, event.SubjectsOf(span.Users)})
		if span.Until != nil && !span.Until.Before(req.Cuts[len(req.Cuts)-1]) {
			break // those after it begin when the request is over
		}
	}
	req.Subjects = nil
	for _, span := range spans {
		req.Subjects = append(req.Subjects, span.subjects...)
	}
	if len(spans) > 1 {
		req.spans, req.Subjects = spans, unique(req.Subjects)
	}
	return req
}

// whose is the condition that an event is of a subject that counts at its instant.
func (req Request) whose() metric.Fragment {
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
		from = span.until
	}
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}
