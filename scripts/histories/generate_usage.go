package main

import (
	"fmt"
	"time"
)

func (g *generator) ingest() (step, bool) {
	s := step{Do: "ingest"}
	for range 1 + g.IntN(6) {
		at := g.w.now.Add(-time.Duration(g.IntN(12*3600)) * time.Second)
		s.Events = append(s.Events, eventSpec{Key: g.name("event"), Customer: g.customer().name, At: at.Format(time.RFC3339), N: fmt.Sprint(g.IntN(15)), Who: pick(g, "a", "b", "c")})
	}
	return s, true
}

func (g *generator) correct() (step, bool) {
	if len(g.w.keys) == 0 {
		return step{}, false
	}
	key := g.w.keys[len(g.w.keys)-1-g.IntN(min(len(g.w.keys), 12))]
	if g.w.events[key].deprecated {
		return step{}, false
	}
	if g.chance(50) {
		return step{Do: "deprecate", Name: key}, true
	}
	return step{Do: "amend", Name: key, Amount: fmt.Sprint(g.IntN(20))}, true
}

func (g *generator) backfill() (step, bool) {
	c := g.customer()
	from := g.w.now.Add(-time.Duration(1+g.IntN(20*24)) * time.Hour)
	to := from.Add(time.Duration(1+g.IntN(10*24)) * time.Hour)
	if to.After(g.w.now) {
		to = g.w.now
	}
	s := step{Do: "backfill", Name: g.name("backfill"), Of: c.name, At: from.Format(time.RFC3339), Until: to.Format(time.RFC3339), Flag: g.chance(50)}
	for range 1 + g.IntN(4) {
		at := from.Add(time.Duration(g.Int64N(int64(to.Sub(from))))).Truncate(time.Second)
		s.Events = append(s.Events, eventSpec{Key: g.name("event"), Customer: c.name, At: at.Format(time.RFC3339), N: fmt.Sprint(g.IntN(15)), Who: pick(g, "a", "b", "c")})
	}
	return s, true
}

func (g *generator) closeBackfill() (step, bool) {
	if g.names["backfill"] == 0 {
		return step{}, false
	}
	name := fmt.Sprint("backfill", 1+g.IntN(g.names["backfill"]))
	b := g.w.backfills[name]
	switch {
	case b == nil || b.state == "reverted":
		return step{}, false
	case b.state == "pending" && g.chance(80):
		return step{Do: "close backfill", Name: name}, true
	}
	return step{Do: "revert backfill", Name: name}, g.chance(40)
}
