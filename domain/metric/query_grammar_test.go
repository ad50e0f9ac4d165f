package metric_test

import (
	"fmt"
	"math/big"
	"strings"

	"pgregory.net/rapid"
)

// columns is the language over the columns x0, x1, … of a sub-query called t.
func columns(t *rapid.T, n int) language {
	return language{t, func() term {
		name := fmt.Sprint("x", rapid.IntRange(0, n-1).Draw(t, "column"))
		return named(rapid.SampledFrom([]string{"", "t."}).Draw(t, "prefix")+name, name)
	}}
}

// folding is the language of a SELECT with those groups over rows of a source.
func folding(source language, groups []term) language {
	l := language{T: source.T}
	l.leaf = func() term {
		if len(groups) > 0 && l.pick("group", "aggregate") == "group" {
			i := rapid.IntRange(0, len(groups)-1).Draw(l.T, "group")
			return named(groups[i].text, fmt.Sprint(rowGroup, i))
		}
		return source.aggregate()
	}
	return l
}

// aggregate draws an aggregate over rows.
func (l language) aggregate() term {
	x := l.simple()
	switch name := l.pick("EARLIEST_BY", "LATEST_BY", "PERCENTILE_CONT", "DISTINCT", "SUM", "MIN", "MAX", "AVG", "COUNT", "COUNT(*)"); name {
	case "COUNT":
		return aggregated("COUNT("+x.text+")", func(rows []row, _ bool) value { return whole(len(present(x)(rows))) })
	case "DISTINCT":
		return aggregated("count(DISTINCT "+x.text+")", func(rows []row, _ bool) value { return distinct(present(x)(rows)) })
	case "SUM":
		return aggregated("SUM("+x.text+")", over(x, total))
	case "MIN":
		return aggregated("MIN("+x.text+")", over(x, func(sorted []*big.Rat) *big.Rat { return sorted[0] }))
	case "MAX":
		return aggregated("max("+x.text+")", over(x, func(sorted []*big.Rat) *big.Rat { return sorted[len(sorted)-1] }))
	case "AVG":
		return aggregated("AVG("+x.text+")", over(x, func(sorted []*big.Rat) *big.Rat {
			return calculate("/", total(sorted), whole(len(sorted))).(*big.Rat)
		}))
	case "PERCENTILE_CONT":
		fraction := l.pick("0", "0.5", "0.95", "1", ".333", "1.0")
		return aggregated("PERCENTILE_CONT("+x.text+", "+fraction+")", over(x, percentile(fraction)))
	case "LATEST_BY", "EARLIEST_BY":
		order := l.order()
		sign := map[string]int{"LATEST_BY": 1, "EARLIEST_BY": -1}[name]
		return aggregated(name+"("+x.text+", "+order.text+")", picked(x, order, sign))
	}
	return aggregated("COUNT(*)", func(rows []row, _ bool) value { return counted(rows) })
}

// simple draws a name of the row, mostly.
func (l language) simple() term {
	if l.pick("name", "name", "name", "term") == "name" {
		return l.leaf()
	}
	return l.term(1)
}

// order draws what LATEST_BY goes by.
func (l language) order() term {
	o := l.leaf()
	if ofEvent := !strings.Contains(o.text, "x"); ofEvent && l.pick("time", "value") == "time" {
		return named("timestamp", rowAt)
	}
	return o
}

// maybe draws a condition or none, with the word before it.
func (l language) maybe(word string) (text string, p *proposition) {
	if l.pick("none", "none", word) == "none" {
		return "", nil
	}
	drawn := l.proposition(1)
	if l.pick("any", "likely") == "likely" {
		x, p := l.leaf(), drawn
		drawn = proposition{"(" + x.text + " IS NOT NULL OR " + p.text + ")", func(r row) truth { return some(known(x.of(r, false) != nil), p.of(r)) }}
	}
	return " " + word + " " + drawn.text, &drawn
}

// from draws a source of so many sub-queries within each other, and the language over
// its rows.
func from(t *rapid.T, depth int) (selectStage, language) {
	if depth == 0 {
		return selectStage{text: "events", of: func(rows []row) []row { return rows }}, overEvents(t)
	}
	source, l := from(t, depth-1)
	filter, passes := l.maybe("WHERE")
	var items, groups []term
	text, fold := "", l.pick("rows", "groups", "groups", "single")
	over := l
	if fold == "groups" {
		for range rapid.IntRange(1, 2).Draw(t, "groups") {
			g := l.leaf()
			if l.pick("name", "computed") == "computed" {
				g = l.term(1)
			}
			groups, text = append(groups, g), text+", "+g.text
		}
		text = " GROUP BY " + text[2:]
	}
	having, keeps := "", (*proposition)(nil)
	if fold != "rows" {
		over = folding(l, groups)
		having, keeps = over.maybe("HAVING")
	}
	list := ""
	for i := range rapid.IntRange(1, 3).Draw(t, "items") {
		item := over.simple()
		if fold == "single" && i == 0 {
			item = l.aggregate()
		}
		items, list = append(items, item), list+fmt.Sprintf(", %s AS x%d", item.text, i)
	}
	reach := source.reach
	if fold != "rows" {
		reach = source.reached(passes)
	}
	return selectStage{
		reach: reach,
		text:  "(SELECT " + list[2:] + " FROM " + source.text + filter + text + having + ") AS t",
		of: func(rows []row) []row {
			rows = where(passes, source.of(rows))
			if fold != "rows" {
				rows = where(keeps, folded(groups, rows))
			}
			return selected(items, rows)
		},
	}, columns(t, len(items))
}

// drawnMetric is a metric, and the quantity it gives over events; nil is NULL.
type drawnMetric struct {
	text  string
	of    func(events []row) *big.Rat
	reach func(events []row) []row // what of them it puts together first
}

func drawMetric(t *rapid.T) drawnMetric {
	source, l := from(t, rapid.IntRange(0, 3).Draw(t, "sub-queries"))
	filter, passes := l.maybe("WHERE")
	over := folding(l, nil)
	amount := l.aggregate()
	alone := l.pick("aggregate", "calculation") == "aggregate"
	if !alone {
		amount = over.term(2)
	}
	having, keeps := over.maybe("HAVING")
	return drawnMetric{
		reach: source.reached(passes),
		text:  "SELECT " + amount.text + " AS total FROM " + source.text + filter + having,
		of: func(events []row) *big.Rat {
			rows := where(keeps, folded(nil, where(passes, source.of(events))))
			if len(rows) == 0 {
				return nil
			}
			n := numeric(amount.of(rows[0], true))
			return quantity(n, !alone && n != nil)
		},
	}
}
