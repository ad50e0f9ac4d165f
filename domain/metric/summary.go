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
	c := compiler{alias: "e", fold: &fold{stage: q.outer}}
	c.number(q.outer.items[0].value)
	c.filter(q.outer.having)
	for _, t := range c.fold.totals {
		if _, kept := keeping[t.kind]; !kept {
			return nil
		}
	}
	return &Summary{c.fold}
}

// keeping tells how a total that was kept takes up another one, which is NULL where
// there was nothing. Different values are kept by themselves.
var keeping = map[kind]string{
	kindCount:    "%[1]s + %[2]s",
	kindSum:      "coalesce(%[1]s + %[2]s, %[1]s, %[2]s)",
	kindMin:      "least(%[1]s, %[2]s)",
	kindMax:      "greatest(%[1]s, %[2]s)",
	kindDistinct: "NULL",
}

// Counted writes the rows of a relation counted, which the other parts read.
func (s *Summary) Counted(f Frame) Fragment {
	w := writer{Frame: f}
	return w.inputs(s.fold)
}

// Totals writes a SELECT of slice, the keys and totals, a numeric[].
func (s *Summary) Totals(keys int) string {
	by := (&writer{Frame: Frame{Keys: keys}}).keys("")
	totals := make([]string, len(s.fold.totals))
	for i, t := range s.fold.totals {
		totals[i] = "NULL"
		if t.kind != kindDistinct {
			totals[i] = fmt.Sprintf(adding[t.kind].whole, t.input)
		}
	}
	return "SELECT slice" + by + ", ARRAY[" + strings.Join(totals, ", ") + "]::numeric[] AS totals FROM counted GROUP BY slice" + by
}

// Values writes a SELECT of slice, the keys, the number of a total and value, the
// digest of a value that the total counts once. It is "" where nothing is counted so.
func (s *Summary) Values(keys int) string {
	by := (&writer{Frame: Frame{Keys: keys}}).keys("")
	var parts []string
	for i, t := range s.fold.totals {
		if t.kind == kindDistinct {
			parts = append(parts, fmt.Sprintf("SELECT slice%s, %d AS total, %s AS value FROM counted WHERE v%d IS NOT NULL", by, i, digest(t.input), t.input))
		}
	}
	return strings.Join(parts, " UNION ALL ")
}

// digest stands for an input that is counted once: values are as long as they like,
// and no two of them have one digest.
func digest(input int) string { return fmt.Sprintf("sha256(convert_to(v%d::text, 'UTF8'))", input) }

// Merged is the totals of rows a and b as those of one.
func (s *Summary) Merged(a, b string) string {
	totals := make([]string, len(s.fold.totals))
	for i, t := range s.fold.totals {
		totals[i] = keeping[t.kind]
		if t.kind != kindDistinct {
			totals[i] = fmt.Sprintf(totals[i], fmt.Sprintf("%s[%d]", a, i+1), fmt.Sprintf("%s[%d]", b, i+1))
		}
	}
	return "ARRAY[" + strings.Join(totals, ", ") + "]::numeric[]"
}

// Kept is what was kept of events that Frame.Events leaves out, for a metric with a
// Summary.
type Kept struct {
	Totals Fragment // a SELECT of slice, the keys and totals
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
		return fmt.Sprintf("totals[%d]", i+1)
	})
	return sql(" UNION ALL SELECT slice"+w.keys("")+", NULL::bigint AS seq"+totals+" FROM ($) AS kept", w.Kept.Totals)
}

// different writes the values of a total that are counted once, with the slices that
// they came up in.
func (w *writer) different(f *fold, i int, t total) Fragment {
	if w.Kept == nil {
		return Fragment{SQL: "SELECT slice" + w.keys("") + f.groups() + fmt.Sprintf(", v%d AS value FROM counted", t.input)}
	}
	return sql("SELECT slice"+w.keys("")+", "+digest(t.input)+" AS value FROM counted"+
		fmt.Sprintf(" UNION ALL SELECT slice%s, value FROM ($) AS kept WHERE total = %d", w.keys(""), i), w.Kept.Values)
}
