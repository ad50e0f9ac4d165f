package metric

import (
	"fmt"
	"strings"
)

// Summary is how a metric that adds up is answered without its events: of totals that
// were kept of them, hour by hour, and of which values came up at all.
type Summary struct{ fold *fold }

// Summary tells what has to be kept of events for the metric. It is nil if that is all
// of them: if the metric looks at more than one fold, or at more of an event than
// counts, sums, extremes and different values.
func (q *Query) Summary() *Summary {
	for s := q.outer.source; s != nil; s = s.source {
		if s.folds {
			return nil
		}
	}
	f := q.outer.folded(overRows)
	for _, t := range f.totals {
		if _, kept := keeping[t.kind]; !kept {
			return nil
		}
	}
	return &Summary{f}
}

// folded is the fold of the metric's last stage, over rows that a compiler is for.
func (s *stage) folded(rows compiler) *fold {
	c := compiler{alias: "e", fold: &fold{stage: s, rows: rows}}
	c.number(s.items[0].value)
	c.filter(s.having)
	return c.fold
}

// keeping tells how a total that was kept takes up another one, either of which is NULL
// where there was nothing. Different values are kept by themselves.
var keeping = map[kind]string{
	kindCount:    adds,
	kindSum:      adds,
	kindMin:      "least(%[1]s, %[2]s)",
	kindMax:      "greatest(%[1]s, %[2]s)",
	kindDistinct: "NULL::numeric",
}

const adds = "coalesce(%[1]s + %[2]s, %[1]s, %[2]s)"

// Width is how many totals are kept: how many events there were, and what the metric
// makes of them.
func (s *Summary) Width() int { return 1 + len(s.fold.totals) }

// Steps reports whether the metric selects from a sub-query.
func (s *Summary) Steps() bool { return s.fold.stage.source != nil }

// Counting reads events once for several metrics, all but one without sub-queries.
type Counting []*Summary

// Rows writes the rows that Totals and Values read, where they are called counted: those
// events that one of the metrics at least counts. Column w tells whether a metric does,
// and v what it looks at then.
func (all Counting) Rows(f Frame) Fragment {
	w := writer{Frame: f}
	if all[0].Steps() {
		rows := w.inputs(all[0].fold)
		return sql("SELECT slice"+w.keys("")+", TRUE AS w0"+numbered(", v%[1]d AS v0_%[1]d", len(all[0].fold.inputs))+" FROM ($) AS e", rows)
	}
	var counts, inputs []Fragment
	var any []string
	var properties reading
	for k, s := range all {
		properties.by = fmt.Sprintf("w%d", k)
		counts = append(counts, sql(fmt.Sprintf(", $ AS w%d", k), overRows.filter(s.fold.stage.where)))
		any = append(any, properties.by)
		for i, in := range s.fold.stage.folded(compiler{alias: "e", read: &properties}).inputs {
			inputs = append(inputs, sql(fmt.Sprintf(", CASE WHEN w%d THEN $ END AS v%d_%d", k, k, i), in.value))
		}
	}
	// OFFSET 0 keeps conditions and properties from being worked out again for each input.
	return sql("SELECT slice"+w.keys("")+", "+strings.Join(any, ", ")+"$ FROM (SELECT e.*$ FROM (SELECT e.*$ FROM ($) AS e OFFSET 0) AS e WHERE "+
		strings.Join(any, " OR ")+" OFFSET 0) AS e", list("", inputs), properties.columns(), list("", counts), f.Events)
}

// Totals writes what is kept of the counted rows that are together, for the metric of
// that place: as many expressions as it is wide.
func (all Counting) Totals(place int) []string {
	f := all[place].fold
	totals := []string{fmt.Sprintf("nullif(count(*) FILTER (WHERE w%d), 0)::numeric", place)}
	for _, t := range f.totals {
		total := "NULL::numeric"
		if t.kind != kindDistinct {
			total = t.whole(fmt.Sprintf("v%d_%d", place, t.input))
		}
		totals = append(totals, total)
	}
	return totals
}

// Values writes a SELECT of slice, the keys, place, the number of a total and value, the
// digest of a value that the total counts once: one row for all events that are alike in
// these, so that only one digest is made. It is "" where nothing is counted so.
func (all Counting) Values(keys int) string {
	by := numbered(", key%d", keys)
	var parts []string
	for k, s := range all {
		for i, t := range s.fold.totals {
			if t.kind == kindDistinct {
				value := fmt.Sprintf("v%d_%d", k, t.input)
				parts = append(parts, fmt.Sprintf("SELECT slice%s, %d AS place, %d AS total, %s AS value FROM counted WHERE %s IS NOT NULL GROUP BY slice%[1]s, %[5]s",
					by, k, i, digest(value), value))
			}
		}
	}
	return strings.Join(parts, " UNION ALL ")
}

// digest stands for a value that is counted once: values are as long as they like, and
// no two of them have one digest.
func digest(value string) string { return "sha256(convert_to(" + value + "::text, 'UTF8'))" }

// Merged writes the total of that place, from 0 to Width, of two rows a and b as that of one.
func (s *Summary) Merged(total int, a, b string) string {
	if total == 0 {
		return fmt.Sprintf(adds, a, b)
	}
	merged := keeping[s.fold.totals[total-1].kind]
	if !strings.Contains(merged, "%") {
		return merged
	}
	return fmt.Sprintf(merged, a, b)
}

// Merges names, for each total in its place, the aggregate that makes one of those of
// several rows; it is "" for totals of different values, which rows do not have.
func (s *Summary) Merges() []string {
	merges := []string{"sum"}
	for _, t := range s.fold.totals {
		merge := adding[t.kind].merge
		if t.kind == kindDistinct {
			merge = ""
		}
		merges = append(merges, merge)
	}
	return merges
}

// Kept is what was kept of events that Frame.Events leaves out, for a metric with a
// Summary.
type Kept struct {
	Totals Fragment // a SELECT of slice, the keys and totals, a numeric[]
	First  int      // place in totals, from 1, of the first one that is the metric's
	Values Fragment // a SELECT of slice, the keys, total and value; not asked where no total is of different values
}

// kept writes the totals that were kept, behind UNION ALL, as parts of slices.
func (w *writer) kept(f *fold) Fragment {
	if w.Kept == nil {
		return Fragment{}
	}
	totals := f.columns(func(i int, t total) string {
		if t.kind == kindDistinct {
			return ""
		}
		return fmt.Sprintf("totals[%d]", w.Kept.First+1+i)
	})
	return sql(fmt.Sprintf(" UNION ALL SELECT slice%s, NULL::bigint AS seq%s FROM ($) AS kept WHERE totals[%d] IS NOT NULL",
		w.keys(""), totals, w.Kept.First), w.Kept.Totals)
}

// different writes the values of a total that are counted once, with the slices that
// they came up in.
func (w *writer) different(f *fold, i int, t total) Fragment {
	value := fmt.Sprintf("v%d", t.input)
	if w.Kept == nil {
		return Fragment{SQL: "SELECT slice" + w.keys("") + f.groups() + ", " + value + " AS value FROM counted"}
	}
	return sql("SELECT slice"+w.keys("")+", "+digest(value)+" AS value FROM counted"+
		fmt.Sprintf(" UNION ALL SELECT slice%s, value FROM ($) AS kept WHERE total = %d", w.keys(""), i), w.Kept.Values)
}
