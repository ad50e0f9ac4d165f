package usage

import (
	"encoding/base64"
	"strings"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// mostCells bounds the groups of a report, times its days.
const mostCells = 3_000_000

// groups returns the reports of a page of groups. Only a metric that adds up can be grouped by any
// property. Others could be grouped only by the invoice grouping key of their price, and such a price
// has none (price models 8).
func (r reporter) groups(tx *store.Tx, i subscription.PriceInterval) (reports []Report, next string, err error) {
	if !i.Metric.Query().AddsUp() {
		return nil, "", fault.Bad("group_by", "needs a metric that is a count or a sum")
	}
	after, err := afterCursor(r.Groups.Cursor)
	if err != nil {
		return nil, "", err
	}
	req := r.request(i, r.frame.Start, r.days)
	req.Split, req.MostTuples = []string{r.GroupBy}, mostCells/len(r.days)
	readings, err := Measure(tx, req)
	if err != nil {
		return nil, "", err
	}
	values := valuesAfter(after, readings[len(readings)-1].Cells)
	if len(values) > r.Groups.Limit {
		values = values[:r.Groups.Limit]
		next = cursorAt(values[len(values)-1])
	}
	totals := totalsOf(values, readings)
	reports = []Report{}
	for _, value := range values {
		reports = append(reports, Report{Metric: i.Metric, Group: &value, Steps: r.shown(i.Metric, totals[value])})
	}
	return reports, next, nil
}

// valuesAfter are the values of cells, which are in their order, beyond one; all of
// them if that is nil.
func valuesAfter(after *string, cells []rating.Cell) (values []string) {
	for _, cell := range cells {
		if value := cell.Values[0]; value != nil && (after == nil || *value > *after) {
			values = append(values, *value)
		}
	}
	return values
}

// totalsOf is the total of each of the values at the end of each slice.
func totalsOf(values []string, readings []Reading) map[string][]money.Decimal {
	totals := map[string][]money.Decimal{}
	for _, value := range values {
		totals[value] = make([]money.Decimal, len(readings))
	}
	for k, reading := range readings {
		for _, cell := range reading.Cells {
			if value := cell.Values[0]; value != nil && totals[*value] != nil {
				totals[*value][k] = cell.Quantity
			}
		}
	}
	return totals
}

// The cursor of a page of groups has the last value of the page before, which may be
// empty.
const cursorMark = "="

func cursorAt(value string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + value))
}

func afterCursor(cursor string) (*string, error) {
	if cursor == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	value, ok := strings.CutPrefix(string(text), cursorMark)
	if err != nil || !ok {
		return nil, fault.Bad("cursor", "is not one that a list returned")
	}
	return &value, nil
}
