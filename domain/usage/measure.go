package usage

import (
	"database/sql"
	"fmt"
	"time"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// Request asks what a metric counts. Its restrictions are ANDed (semantics 4.2.6).
type Request struct {
	Query    *metric.Query
	Subjects []string          // whose events: see the function Subjects
	Split    []string          // properties to ask by; none for one total
	Cuts     []time.Time       // ascending: cuts[i] begins slice i and ends the one before
	Match    []rating.Property // values that properties must have
	Filter   *metric.Condition // nil for none
}

// Reading is what a metric counted from the first cut to the end of a slice. A
// metric that found nothing counted 0.
type Reading struct {
	Total money.Decimal // of a request without Split, and 0 with it

	// Cells are the metric's value for each distinct tuple of the properties in
	// Split, asked of the events that have it, in order of the values, missing
	// ones first.
	Cells []rating.Cell
}

// Measure returns one reading for each slice, each cumulative from the first
// cut: element i covers [cuts[0], cuts[i+1]). It reads the events once, however
// many slices there are; the store's statement timeout bounds it.
func Measure(tx *store.Tx, req Request) ([]Reading, error) {
	if len(req.Cuts) < 2 {
		return nil, nil
	}
	m := req.Query.Compile("e")
	s := req.statement(tx.AccountID, m)
	rows, err := tx.Conn().QueryContext(tx.Context(), s.text.String(), s.args...)
	if err != nil {
		return nil, fmt.Errorf("measure usage: %w", err)
	}
	defer func() { _ = rows.Close() }()

	t := table{kind: m.Kind, cells: map[string]*column{}, slices: len(req.Cuts) - 1}
	for rows.Next() {
		var slice int
		var amount sql.Null[money.Decimal]
		var p part
		values := make([]*string, len(req.Split))
		into := []any{&slice, &amount, &p.weight}
		for i := range values {
			into = append(into, &values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("read usage: %w", err)
		}
		p.amount, p.known = amount.V, amount.Valid
		t.add(slice-1, values, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("measure usage: %w", err)
	}
	return t.readings(len(req.Split) > 0), nil
}
