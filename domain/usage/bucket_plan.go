package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
)

// bucketPlan is how a request is answered from the buckets of a series: whole hours from
// those, by six hours where it can be, and the rest and what came in later from
// events.
type bucketPlan struct {
	series          *series
	whole           []period.Period // hours, in order: six-hour buckets, and the hours beside those
	sixHours, hours []period.Period // in order
	rest            []period.Period // in order
	sums            *sums           // of the whole hours
}

// choose decides whether buckets answer a request. This is the only place that does.
func (st bucketState) choose(req Request) *bucketPlan {
	s := st.serving(req)
	if s == nil {
		return nil
	}
	whole, rest := st.cover(req)
	if len(whole) == 0 {
		return nil
	}
	sixHours, hours := st.sixHours(whole, req.Cuts)
	return &bucketPlan{series: s, whole: whole, sixHours: sixHours, hours: hours, rest: rest}
}

// events are those that the buckets do not have.
func (k *bucketPlan) events(req Request, from source) metric.Fragment {
	s := &statement{}
	s.add("(SELECT * FROM fresh")
	if len(k.rest) > 0 {
		starts, ends := bounds(k.rest)
		s.add(` UNION ALL SELECT e.* FROM unnest(?::timestamptz[], ?::timestamptz[]) AS part (a, b) CROSS JOIN LATERAL (
			SELECT e.* FROM events AS e
			WHERE e.account_id = ? AND e.subject = ANY(?::text[]) AND e."timestamp" >= part.a AND e."timestamp" < part.b AND e.seq < ? AND `,
			starts, ends, from.account, req.Subjects, from.standing.mark.V)
		s.fragment(from.standing.counting)
		s.add(") AS e")
	}
	s.add(")")
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}

// rows are what the buckets have.
func (k *bucketPlan) rows(req Request, from source) *metric.Kept {
	rows := &metric.Kept{Totals: k.sums.rows(req), First: k.series.First}
	if slices.Contains(req.Query.Summary().Merges(), "") { // of different values
		rows.Values = k.values(req, from)
	}
	return rows
}

// values tells of each value the first hour among those asked for.
func (k *bucketPlan) values(req Request, from source) metric.Fragment {
	months, masks := monthMasks(k.whole)
	s := &statement{}
	s.add("SELECT ")
	s.fragment(req.slice("b.month + (b.first - 1) * interval '1 hour'"))
	s.add(" AS slice, "+k.columns(req)+`b.total, b.value FROM (
		SELECT b.*, position(B'1' IN b.hours & m.mask) AS first
		FROM unnest(?::timestamptz[], ?::text[]::bit(744)[]) AS m (month, mask) CROSS JOIN `, months, masks)
	k.about(s, "usage_values", req, from, "b.series = ? AND b.month = m.month", k.series.ID)
	s.add(") AS b WHERE b.first > 0")
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}

// about writes a relation b: the rows of a table that the request is about and a condition
// holds for. OFFSET 0 has them looked up for one reference to a customer at a time, by the
// whole key, also where the planner takes an account that it has never seen for a small
// one. LIMIT tells it how many references there are, or it would plan each time again.
func (k *bucketPlan) about(s *statement, table string, req Request, from source, condition string, args ...any) {
	s.add(fmt.Sprintf(`(SELECT unnest(?::text[]) AS subject LIMIT %d) AS who CROSS JOIN LATERAL (
		SELECT b.* FROM %s AS b WHERE b.account_id = ? AND b.subject = who.subject AND `, len(req.Subjects), table), req.Subjects, from.account)
	for _, match := range req.Match {
		s.add(fmt.Sprintf("b.keys[%d] = ? AND ", k.column(match.Key)), match.Value)
	}
	s.add(condition+" OFFSET 0) AS b", args...)
}

// columns are the keys that the request is answered by.
func (k *bucketPlan) columns(req Request) string {
	var columns strings.Builder
	for i, property := range req.Split {
		fmt.Fprintf(&columns, "b.keys[%d] AS key%d, ", k.column(property), i)
	}
	return columns.String()
}

// column is the place of a property among the keys of the series, from 1.
func (k *bucketPlan) column(property string) int { return slices.Index(k.series.Keys, property) + 1 }

func bounds(periods []period.Period) (starts, ends []time.Time) {
	for _, p := range periods {
		starts, ends = append(starts, p.Start), append(ends, p.End)
	}
	return starts, ends
}

// hoursOfMonth is how many bits a month of hours has: those of the longest month.
const hoursOfMonth = 31 * 24

// monthMasks marks whole hours in the months, in UTC, that they lie in: a bit string
// for each month, with a 1 for each hour.
func monthMasks(hours []period.Period) (months []time.Time, masks []string) {
	var mask []byte
	for _, p := range hours {
		for at := p.Start.UTC(); at.Before(p.End); at = at.Add(time.Hour) {
			month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
			if n := len(months); n == 0 || !months[n-1].Equal(month) {
				if n > 0 {
					masks = append(masks, string(mask))
				}
				months, mask = append(months, month), []byte(strings.Repeat("0", hoursOfMonth))
			}
			mask[at.Sub(month)/time.Hour] = '1'
		}
	}
	if len(months) > 0 {
		masks = append(masks, string(mask))
	}
	return months, masks
}
