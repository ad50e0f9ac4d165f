package main

import (
	"fmt"
	"slices"
	"time"
)

func (g *generator) ingest() (step, bool) {
	s := step{Do: "ingest"}
	for range 1 + g.IntN(6) {
		at := g.w.now.Add(-time.Duration(g.IntN(12*3600)) * time.Second)
		e := eventSpec{Key: g.name("event"), Customer: g.customer().name, At: at.Format(time.RFC3339), N: fmt.Sprint(g.IntN(15)), Who: pick(g, "a", "b", "c")}
		g.wideEvent(&e)
		s.Events = append(s.Events, e)
	}
	return s, true
}

func (g *generator) correct() (step, bool) {
	if len(g.w.keys) == 0 {
		return step{}, false
	}
	key := g.w.keys[len(g.w.keys)-1-g.IntN(min(len(g.w.keys), 6))]
	if g.w.events[key].deprecated {
		return step{}, false
	}
	if g.chance(50) {
		return step{Do: "deprecate", Name: key}, true
	}
	return step{Do: "amend", Name: key, Amount: g.below(fmt.Sprint(g.IntN(20)))}, true
}

func (g *generator) backfill() (step, bool) {
	c := g.customer()
	from := g.w.now.Add(-time.Duration(1+g.IntN(20*24)) * time.Hour)
	to := from.Add(time.Duration(1+g.IntN(10*24)) * time.Hour)
	if g.wants("event replaced") { // there are events to replace
		from, to = g.w.now.Add(-10*24*time.Hour), g.w.now
	}
	if to.After(g.w.now) {
		to = g.w.now
	}
	s := step{Do: "backfill", Name: g.name("backfill"), Of: c.name, At: from.Format(time.RFC3339), Until: to.Format(time.RFC3339), Flag: g.chance(50) || g.wants("event replaced")}
	for range 1 + g.IntN(4) {
		at := from.Add(time.Duration(g.Int64N(int64(to.Sub(from))))).Truncate(time.Second)
		e := eventSpec{Key: g.name("event"), Customer: c.name, At: at.Format(time.RFC3339), N: fmt.Sprint(g.IntN(15)), Who: pick(g, "a", "b", "c")}
		g.wideEvent(&e)
		s.Events = append(s.Events, e)
	}
	return s, true
}

func (g *generator) closeBackfill() (step, bool) {
	var open []string
	for name, b := range g.w.backfills {
		if b.state != "reverted" {
			open = append(open, name)
		}
	}
	if len(open) == 0 {
		return step{}, false
	}
	slices.Sort(open)
	name := pick(g, open...)
	if g.w.backfills[name].state == "pending" && g.chance(80) {
		return step{Do: "close backfill", Name: name}, true
	}
	return step{Do: "revert backfill", Name: name}, true
}
