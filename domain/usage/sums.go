package usage

import (
	"fmt"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
)

// sums are totals of buckets, put together slice by slice and tuple by tuple. Questions
// about the same buckets and slices have them in common: the buckets are read once.
type sums struct {
	name   string
	from   metric.Fragment // slice, the keys and totals of the buckets
	keys   int
	totals []string // by place: how one is made of those of several buckets, "" if not asked for
}

// sum is the sums that answer a request, which other requests may have too.
func (s source) sum(req Request, k *bucketPlan) *sums {
	from := k.totals(req, s)
	key := keyOf(from.SQL, from.Args)
	shared := s.sums[key]
	if shared == nil {
		shared = &sums{name: fmt.Sprintf("sums%d", len(s.sums)), from: from, keys: len(req.Split)}
		s.sums[key] = shared
	}
	shared.totals = placed(shared.totals, k.series.First, req.Query.Summary().Merges())
	return shared
}

// rows reads the relation.
func (s *sums) rows(req Request) metric.Fragment {
	columns := ""
	for i := range req.Split {
		columns += fmt.Sprintf("key%d, ", i)
	}
	return metric.Fragment{SQL: "SELECT slice, " + columns + "totals FROM " + s.name}
}

// define writes the relation.
func (s *sums) define(to *statement) {
	by := "slice"
	for i := range s.keys {
		by += fmt.Sprintf(", key%d", i)
	}
	to.add(", " + s.name + " AS MATERIALIZED (SELECT " + by + ", " + mergedTotals(s.totals) + " AS totals FROM (")
	to.fragment(s.from)
	to.add(") AS b GROUP BY " + by + ")")
}

// totals are those of the buckets of six-hour buckets and hours.
func (k *bucketPlan) totals(req Request, from source) metric.Fragment {
	s := &statement{}
	if len(k.sixHours) > 0 {
		k.rowsOf(s, "usage_buckets_6h", k.sixHours, req, from)
	}
	if len(k.sixHours) > 0 && len(k.hours) > 0 {
		s.add(" UNION ALL ")
	}
	if len(k.hours) > 0 {
		k.rowsOf(s, "usage_buckets", k.hours, req, from)
	}
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}

// rowsOf reads a table of buckets for some periods.
func (k *bucketPlan) rowsOf(s *statement, table string, periods []period.Period, req Request, from source) {
	s.add("SELECT ")
	s.fragment(req.slice("b.hour"))
	s.add(" AS slice, " + k.columns(req) + "b.totals FROM ")
	starts, ends := bounds(periods)
	if len(periods) == 1 {
		k.about(s, table, req, from, "b.grain = ? AND b.hour >= ? AND b.hour < ?", k.series.Grain, starts[0], ends[0])
		return
	}
	s.add("unnest(?::timestamptz[], ?::timestamptz[]) AS part (a, b) CROSS JOIN ", starts, ends)
	k.about(s, table, req, from, "b.grain = ? AND b.hour >= part.a AND b.hour < part.b", k.series.Grain)
}
