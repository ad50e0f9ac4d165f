package usage

import (
	"fmt"
	"strings"

	"tollkeeper/domain/metric"
)

// sums are totals of buckets, put together slice by slice and tuple by tuple. Questions
// about the same buckets and slices have them in common: the buckets are read once.
type sums struct {
	name   string
	from   metric.Fragment // slice, the keys and totals of the buckets
	keys   int
	totals []string // by place: how one is made of those of several buckets, "" if nobody asks
}

// sum is the sums that answer a request, which other requests may have too.
func (s source) sum(req Request, k *kept) *sums {
	from := k.totals(req, s)
	key := keyOf(from.SQL, from.Args)
	shared := s.sums[key]
	if shared == nil {
		shared = &sums{name: fmt.Sprintf("sums%d", len(s.sums)), from: from, keys: len(req.Split)}
		s.sums[key] = shared
	}
	for i, merge := range req.Query.Summary().Merges() {
		place := k.series.First + i
		for len(shared.totals) < place {
			shared.totals = append(shared.totals, "")
		}
		shared.totals[place-1] = merge
	}
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
	totals := make([]string, len(s.totals))
	for i, merge := range s.totals {
		totals[i] = "NULL::numeric"
		if merge != "" {
			totals[i] = fmt.Sprintf("%s(totals[%d])", merge, i+1)
		}
	}
	to.add(", " + s.name + " AS MATERIALIZED (SELECT " + by + ", ARRAY[" + strings.Join(totals, ", ") + "] AS totals FROM (")
	to.fragment(s.from)
	to.add(") AS b GROUP BY " + by + ")")
}

// totals are those of the buckets of the hours.
func (k *kept) totals(req Request, from source) metric.Fragment {
	s := &statement{}
	s.add("SELECT ")
	s.fragment(req.slice("b.hour"))
	s.add(" AS slice, " + k.columns(req) + "b.totals FROM ")
	if starts, ends := bounds(k.hours); len(starts) == 1 {
		s.add("usage_buckets AS b WHERE b.hour >= ? AND b.hour < ?", starts[0], ends[0])
	} else {
		s.add("unnest(?::timestamptz[], ?::timestamptz[]) AS part (a, b) JOIN usage_buckets AS b ON b.hour >= part.a AND b.hour < part.b WHERE TRUE", starts, ends)
	}
	s.add(" AND b.grain = ?", k.series.Grain)
	k.about(s, req, from)
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}
