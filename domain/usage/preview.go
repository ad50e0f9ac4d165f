package usage

import (
	"cmp"
	"slices"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Bounds of a preview: of how many events, for how many of them the value is told, and for how
// long it may be computed.
const (
	previewed      = 1000
	previewPage    = 100 // events are read in pages of so many
	previewSteps   = 20
	previewTimeout = "5s"
)

// Preview is what a metric would count of the events that were taken in last.
type Preview struct {
	Value  money.Decimal // of all of them together
	Events int           // how many were looked at
	Newest []PreviewStep // the latest by their timestamps, the earliest first
}

// PreviewStep is the value of a metric over the events up to one.
type PreviewStep struct {
	Event event.Stored
	Value money.Decimal // of the events up to and including those of this instant
}

// PreviewMetric tries the SQL of a metric on the events that were taken in last, as if they were
// all of one customer. SQL outside the language of metrics is an invalid request that tells the line
// and column (semantics 4.1.4). Deprecated events do not count.
func PreviewMetric(tx *store.Tx, sql string) (p Preview, err error) {
	query, err := metric.Parse(sql)
	if err != nil {
		return p, fault.Bad("sql", "%v", err)
	}
	if err := tx.Exec("SELECT set_config('statement_timeout', ?, true)", previewTimeout).Error; err != nil {
		return p, err
	}
	events, err := recent(tx)
	if err != nil || len(events) == 0 {
		return p, err
	}
	p.Events = len(events)
	sample, cuts := sampleOf(events), cutsOf(events)
	readings, err := MeasureAll(tx, sample, []Request{{Query: query, Subjects: subjectsOf(events), Cuts: cuts}})
	if err != nil {
		return p, err
	}
	values := readings[0]
	p.Value = values[len(values)-1].Total
	for _, e := range events[max(0, len(events)-previewSteps):] {
		end, _ := slices.BinarySearchFunc(cuts[1:], e.Timestamp.Add(time.Microsecond), time.Time.Compare)
		p.Newest = append(p.Newest, PreviewStep{e, values[end].Total})
	}
	return p, nil
}

// recent are the events that were taken in last and are not deprecated, by their timestamps.
func recent(tx *store.Tx) (events []event.Stored, err error) {
	page := store.Page{Limit: previewPage}
	for read := 0; read < previewed; read += previewPage {
		found, next, err := event.Newest(tx, page)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if !e.Deprecated {
				events = append(events, e)
			}
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	slices.SortStableFunc(events, func(a, b event.Stored) int { return a.Timestamp.Compare(b.Timestamp) })
	return events, nil
}

// cutsOf part the time of the events behind each of the last ones.
func cutsOf(events []event.Stored) []time.Time {
	cuts := []time.Time{events[0].Timestamp}
	for _, e := range events[max(0, len(events)-previewSteps):] {
		if end := e.Timestamp.Add(time.Microsecond); end.After(cuts[len(cuts)-1]) {
			cuts = append(cuts, end)
		}
	}
	return cuts
}

// subjectsOf are those that the events name.
func subjectsOf(events []event.Stored) (subjects []string) {
	for _, e := range events {
		subjects = append(subjects, e.Subject)
	}
	slices.Sort(subjects)
	return slices.Compact(subjects)
}

// sampleOf are stored events as a sample, in the order in which they were taken in.
func sampleOf(events []event.Stored) *Sample {
	events = slices.Clone(events)
	slices.SortFunc(events, func(a, b event.Stored) int { return cmp.Compare(a.Seq, b.Seq) })
	s := &Sample{}
	for _, e := range events {
		s.names, s.subjects = append(s.names, e.Name), append(s.subjects, e.Subject)
		s.timestamps, s.properties = append(s.timestamps, e.Timestamp), append(s.properties, e.Properties)
	}
	return s
}
