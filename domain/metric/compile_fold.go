package metric

import "fmt"

// totals writes the rows of a fold: slice, the keys, groups and totals, and seq unless
// it is the last fold.
//
// The first fold reads each event once, where its totals can be merged: events are
// put together slice by slice, and the slices then. Otherwise its rows are repeated in
// all slices that they count in, as those of later folds already are.
func (w *writer) totals(f *fold, last bool) Fragment {
	rows := w.inputs(f)
	first := w.counted.SQL == ""
	if first {
		w.counted = rows
		rows = Fragment{SQL: "SELECT * FROM counted"}
	}
	switch {
	case first && f.merges() && last:
		return w.running(f)
	case first && f.merges():
		return w.merged(f)
	case first:
		rows = sql("SELECT every.slice"+w.keys("")+", seq"+f.groups()+numbered(", v%d", len(f.inputs))+
			" FROM ($) AS own CROSS JOIN LATERAL generate_series(own.slice, $) AS every(slice)", rows, w.last())
	}
	return w.whole(f, rows, first)
}

// last is the number of the last slice.
func (w *writer) last() Fragment { return bind("integer", w.Slices) }

// inputs writes the rows that the fold puts together: slice, the keys, seq, the groups
// and the inputs of its totals.
func (w *writer) inputs(f *fold) Fragment {
	source, columns := w.rows(f.stage.source), Fragment{}
	for i, group := range f.stage.groups {
		columns = sql(fmt.Sprintf("$, $ AS g%d", i), columns, overRows.free(group))
	}
	for i, input := range f.inputs {
		columns = sql(fmt.Sprintf("$, $ AS v%d", i), columns, input.value)
	}
	return sql("SELECT slice"+w.keys("")+", seq$ FROM ($) AS e WHERE $", columns, source, overRows.filter(f.stage.where))
}

// whole puts all rows together at once.
func (w *writer) whole(f *fold, rows Fragment, first bool) Fragment {
	if f.single() && (w.Keys == 0 || !first) { // keys have rows in the first fold
		var inputs string
		for _, in := range f.inputs {
			inputs += ", NULL::" + in.sqlType
		}
		rows = sql("$ UNION ALL SELECT every.slice"+w.keys("")+", NULL::bigint"+inputs+
			" FROM ($) AS own CROSS JOIN LATERAL generate_series(own.slice, $) AS every(slice)", rows, w.firsts(), w.last())
	}
	by := w.keys("") + f.groups()
	totals := f.columns(func(_ int, t total) string { return t.whole(fmt.Sprintf("v%d", t.input)) })
	return sql("SELECT slice"+by+", max(seq) AS seq"+totals+" FROM ($) AS e GROUP BY slice"+by, rows)
}

// firsts writes the first slice of each tuple of keys.
func (w *writer) firsts() Fragment {
	if w.Keys == 0 {
		return Fragment{SQL: "SELECT 1 AS slice"}
	}
	return Fragment{SQL: "SELECT min(slice) AS slice" + w.keys("") + " FROM counted GROUP BY " + w.keys("")[2:]}
}

// merged puts the parts of slices together to groups in all slices.
func (w *writer) merged(f *fold) Fragment {
	totals := ""
	for i, t := range f.totals {
		totals += fmt.Sprintf(", %s(t%d) AS t%d", adding[t.kind].merge, i, i)
	}
	by := w.keys("") + f.groups()
	return sql("SELECT every.slice"+by+", max(seq) AS seq"+totals+
		" FROM ($) AS own CROSS JOIN LATERAL generate_series(own.slice, $) AS every(slice) GROUP BY every.slice"+by,
		w.parts(f, false), w.last())
}

// running adds the parts of slices up, from the first one to each.
func (w *writer) running(f *fold) Fragment {
	totals, partition := "", ""
	for i, t := range f.totals {
		totals += fmt.Sprintf(", %[1]s(%[1]s(t%[2]d)) OVER upto AS t%[2]d", adding[t.kind].merge, i)
	}
	if w.Keys > 0 {
		partition = "PARTITION BY " + w.keys("")[2:] + " "
	}
	return sql("SELECT slice"+w.keys("")+totals+" FROM ($) AS part GROUP BY slice"+w.keys("")+
		" WINDOW upto AS ("+partition+"ORDER BY slice)", w.parts(f, true))
}

// parts writes the totals of each slice by itself, in one row or several. A value that
// is counted once belongs to the first slice it appears in.
func (w *writer) parts(f *fold, last bool) Fragment {
	by := w.keys("") + f.groups()
	var parts []Fragment
	if !last || !f.only(kindDistinct) || w.Kept != nil { // a kept row shows that the key exists, even without a value
		totals := f.columns(func(_ int, t total) string {
			if t.kind == kindDistinct {
				return ""
			}
			return t.whole(fmt.Sprintf("v%d", t.input))
		})
		parts = append(parts, sql("SELECT slice"+by+", max(seq) AS seq"+totals+" FROM counted GROUP BY slice"+by+"$", w.kept(f)))
	}
	for i, t := range f.totals {
		if t.kind == kindDistinct {
			parts = append(parts, w.once(f, i, t))
		}
	}
	if f.single() && w.Keys == 0 {
		nothing := f.columns(func(int, total) string { return "" })
		parts = append(parts, Fragment{SQL: "SELECT 1 AS slice, NULL::bigint AS seq" + nothing})
	}
	return list(" UNION ALL ", parts)
}

// once writes how many values of a total are new in each slice.
func (w *writer) once(f *fold, i int, t total) Fragment {
	by := w.keys("") + f.groups()
	totals := f.columns(func(other int, _ total) string {
		if other != i {
			return ""
		}
		return "count(value)::numeric"
	})
	return sql("SELECT slice"+by+", NULL::bigint AS seq"+totals+
		" FROM (SELECT min(slice) AS slice"+by+", value FROM ($) AS every GROUP BY value"+by+") AS different GROUP BY slice"+by, w.different(f, i, t))
}
