package billing

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/reference"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Bounds of what is compared with the reference model, which is slow: an invoice beyond them
// is left out, and counted.
const (
	mostReferredEvents = 10_000 // of one service
	mostReferredGroups = 1_000  // of one service, by the values that its model splits by
)

// eventReader reads the events of an invoice from the table as they are there. Of several
// prices that count the same ones it reads them once.
type eventReader struct {
	tx    *store.Tx
	seen  *event.Snapshot // a partial invoice counts those that it has seen
	terms subscription.Terms
	last  string
	read  []reference.Event
}

// usage is what a usage price rates, by the reference model, and the quantity of its line;
// that is nil where the model sums up groups.
func (r *eventReader) usage(s subscription.ServicePeriod) (u reference.Usage, quantity *big.Rat, err error) {
	price := s.Interval.Price
	inputs, err := reference.InputsOf(price.ModelType, price.Config)
	if err != nil {
		return u, nil, err
	}
	events, err := r.events(s)
	if err != nil {
		return u, nil, err
	}
	spans := r.terms.CountedSpans(s.Interval, s.Period)
	if events, err = counted(events, s, spans); err != nil {
		return u, nil, err
	}
	params, err := timedParameters(spans)
	if err != nil {
		return u, nil, err
	}
	if u.Quotients, err = reference.Divides(s.Interval.Metric.SQL); err != nil {
		return u, nil, err
	}
	measure := func(of []reference.Event) (*big.Rat, bool, error) {
		return reference.Metric(s.Interval.Metric.SQL, params, of)
	}
	if inputs.Whole {
		if u.Quantity, _, err = measure(events); err != nil {
			return u, nil, err
		}
		quantity = u.Rounded(u.Quantity)
	}
	if inputs.Filters != nil {
		var matching []reference.Event
		for _, e := range events {
			if hasAll(e, inputs.Filters) {
				matching = append(matching, e)
			}
		}
		if u.Matching, _, err = measure(matching); err != nil {
			return u, nil, err
		}
		quantity = nil // below 0 it is charged as 0, and shown as either
	}
	if len(inputs.Properties) == 0 {
		return u, quantity, nil
	}
	groups, of := byValues(events, inputs.Properties)
	if len(groups) > mostReferredGroups {
		return u, nil, tooManyGroups
	}
	for k, g := range groups {
		var reached bool
		if g.Quantity, reached, err = measure(of[k]); err != nil {
			return u, nil, err
		}
		if reached {
			u.Groups = append(u.Groups, g)
		}
	}
	return u, nil, nil
}

// byValues divides events by their values of properties.
func byValues(events []reference.Event, properties []string) (groups []reference.Group, of [][]reference.Event) {
	at := map[string]int{}
	for _, e := range events {
		values, key := map[string]string{}, ""
		for _, name := range properties {
			if v, ok := e.Value(name); ok {
				values[name] = v
				key += "=" + v
			}
			key += "\x00"
		}
		k, known := at[key]
		if !known {
			k = len(groups)
			at[key] = k
			groups, of = append(groups, reference.Group{Values: values}), append(of, nil)
		}
		of[k] = append(of[k], e)
	}
	return groups, of
}

// counted are the events that a price counts of those of its users: by the filter that its
// interval had at the time of the event, and the values of its dimensions.
func counted(events []reference.Event, s subscription.ServicePeriod, spans []subscription.CountedSpan) (passed []reference.Event, err error) {
	dimensions := map[string]string{}
	for _, d := range s.Interval.Price.Dimensions {
		dimensions[d.Key] = d.Value
	}
	for _, e := range events {
		holds := hasAll(e, dimensions)
		k := 0
		for spans[k].Until != nil && !e.Timestamp.Before(*spans[k].Until) {
			k++
		}
		if filter := spans[k].Filter; holds && filter != nil {
			if holds, err = reference.Holds(*filter, e); err != nil {
				return nil, err
			}
		}
		if holds {
			passed = append(passed, e)
		}
	}
	return passed, nil
}

func hasAll(e reference.Event, values map[string]string) bool {
	for name, must := range values {
		if v, ok := e.Value(name); !ok || v != must {
			return false
		}
	}
	return true
}

// timedParameters are the values for the parameters of a metric by time, as the reference model
// takes them.
func timedParameters(spans []subscription.CountedSpan) (map[string]any, error) {
	params, err := plainParameters(spans[len(spans)-1].Parameters)
	if err != nil || len(spans) == 1 {
		return params, err
	}
	names := map[string]bool{}
	plain := make([]map[string]any, len(spans))
	for k, span := range spans {
		if plain[k], err = plainParameters(span.Parameters); err != nil {
			return nil, err
		}
		for name := range plain[k] {
			names[name] = true
		}
	}
	for name := range names {
		over := reference.ByTime{Last: params[name]}
		for k, span := range spans[:len(spans)-1] {
			over.Before = append(over.Before, reference.Until{Until: *span.Until, Value: plain[k][name]})
		}
		params[name] = over
	}
	return params, nil
}

// plainParameters are the values for the parameters of a metric, as the reference model takes
// them.
func plainParameters(values metric.Parameters) (map[string]any, error) {
	plain := map[string]any{}
	for name, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if text[0] != '"' {
			if plain[name], err = reference.ParseNumber(string(text)); err != nil {
				return nil, err
			}
			continue
		}
		var word string
		if err := json.Unmarshal(text, &word); err != nil {
			return nil, err
		}
		plain[name] = word
	}
	return plain, nil
}

// events are the events of the customers that a service counts, in its time, in the order in
// which they came. Deprecated events do not count, nor those of a backfill that is not in
// effect, nor those that one in effect replaced.
func (r *eventReader) events(s subscription.ServicePeriod) ([]reference.Event, error) {
	spans := r.terms.UserSpans(s.Interval)
	subjects := subjectsOf(r.terms.Users(s.Interval))
	asked := fmt.Sprint(s.Period.Start.UnixMicro(), s.Period.End.UnixMicro(), subjects)
	if asked == r.last {
		if err := r.tx.Exec("SELECT 1").Error; err != nil { // computing takes long, and a transaction may not be idle for long
			return nil, readFailed{err}
		}
		return countedThen(r.read, spans), nil
	}
	read, err := r.query(subjects, s.Period.Start, s.Period.End)
	if err != nil {
		return nil, err
	}
	r.last, r.read = asked, read
	return countedThen(read, spans), nil
}

// subjectsOf are the subjects of the events of customers, as the table has them, in order.
func subjectsOf(customers []customer.Customer) (subjects []string) {
	for _, c := range customers {
		subjects = append(subjects, "c:"+c.ID)
		if c.ExternalCustomerID != nil {
			subjects = append(subjects, "e:"+*c.ExternalCustomerID)
		}
	}
	sort.Strings(subjects)
	return subjects
}

// countedThen are the events of customers whose usage the price counts at the time of the
// event. Each span ends where the next begins, and the last is open.
func countedThen(events []reference.Event, spans []subscription.UserSpan) []reference.Event {
	if len(spans) == 1 {
		return events
	}
	counts := make([][]string, len(spans))
	for k, span := range spans {
		counts[k] = subjectsOf(span.Users)
	}
	var passed []reference.Event
	for _, e := range events {
		k := 0
		for spans[k].Until != nil && !e.Timestamp.Before(*spans[k].Until) {
			k++
		}
		subject := "c:" + e.CustomerID
		if e.ExternalCustomerID != "" {
			subject = "e:" + e.ExternalCustomerID
		}
		if slices.Contains(counts[k], subject) {
			passed = append(passed, e)
		}
	}
	return passed
}

// replaced is a backfill that may have replaced an event: it did if its filter holds.
type replaced struct {
	Filter             string
	Matched, Unmatched bool // known of an event that was amended since
}

func (r *eventReader) query(subjects []string, start, end time.Time) (found []reference.Event, err error) {
	rows, err := r.tx.Conn().QueryContext(r.tx.Context(), `
		SELECT e.idempotency_key, e.event_name, e.subject, e."timestamp", e.properties::text, e.seq,
			(SELECT json_agg(json_build_object('Filter', r.filter, 'Matched', e.seq = ANY (r.matched), 'Unmatched', e.seq = ANY (r.unmatched)))
				FROM usage_revisions AS r
				WHERE r.account_id = $1 AND r.replaces AND e."timestamp" >= r.start_at AND e."timestamp" < r.end_at
					AND (r.subjects IS NULL OR e.subject = ANY (r.subjects)) AND e.backfill_id IS DISTINCT FROM r.id
					AND `+event.InSnapshot("r.seen")+`)::text
		FROM events AS e
		WHERE e.account_id = $1 AND e.subject = ANY ($2) AND e."timestamp" >= $3 AND e."timestamp" < $4 AND NOT e.deprecated
			AND (e.backfill_id IS NULL OR EXISTS (SELECT FROM usage_revisions AS r WHERE r.account_id = $1 AND r.id = e.backfill_id))
			AND ($5::pg_snapshot IS NULL OR `+event.InSnapshot("$5")+`)
		ORDER BY e.seq LIMIT $6`,
		r.tx.AccountID, subjects, start, end, r.seen, mostReferredEvents+1)
	if err != nil {
		return nil, readFailed{fmt.Errorf("read events for the reference model: %w", err)}
	}
	defer func() { _ = rows.Close() }()
	read := 0
	for rows.Next() {
		var e reference.Event
		var subject, properties string
		var by sql.NullString
		if err := rows.Scan(&e.IdempotencyKey, &e.Name, &subject, &e.Timestamp, &properties, &e.Order, &by); err != nil {
			return nil, readFailed{fmt.Errorf("read events for the reference model: %w", err)}
		}
		if read++; read > mostReferredEvents {
			return nil, tooManyEvents
		}
		if id, ok := strings.CutPrefix(subject, "c:"); ok {
			e.CustomerID = id
		} else {
			e.ExternalCustomerID = strings.TrimPrefix(subject, "e:")
		}
		if e.Properties, err = reference.ParseProperties([]byte(properties)); err != nil {
			return nil, err
		}
		gone, err := isReplaced(e, by.String)
		if err != nil {
			return nil, err
		}
		if !gone {
			found = append(found, e)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, readFailed{fmt.Errorf("read events for the reference model: %w", err)}
	}
	return found, nil
}

// isReplaced reports whether one of the backfills replaced an event.
func isReplaced(e reference.Event, by string) (bool, error) {
	if by == "" {
		return false, nil
	}
	var all []replaced
	if err := json.Unmarshal([]byte(by), &all); err != nil {
		return false, err
	}
	for _, r := range all {
		holds := r.Filter == "" || r.Matched
		if !holds && !r.Unmatched {
			var err error
			if holds, err = reference.Holds(r.Filter, e); err != nil {
				return false, err
			}
		}
		if holds {
			return true, nil
		}
	}
	return false, nil
}
