package main

import (
	"fmt"
	"time"
)

// withdrawn cancels a subscription within the next period of a fee in advance, lets the fee be
// billed up to there, takes the cancellation back, changes the quantity, and goes on behind the
// former end. By chance these hardly follow each other.
func (g *generator) withdrawn() []step {
	if g.largest > 0 {
		return nil
	}
	for _, name := range g.w.order {
		sub := g.w.subs[name]
		z := sub.customer.zone
		for _, i := range sub.intervals {
			if i.spec.Metric != "" || i.spec.allocation() || !i.spec.Advance || i.spec.Cycle == (cycle{}) || !i.to.IsZero() || !sub.to.IsZero() ||
				i.from.After(g.w.now) || sub.trialEnd().After(g.w.now) {
				continue
			}
			next := i.anchor.around(i.spec.Cycle, z.day(g.w.now)).to
			after := i.anchor.around(i.spec.Cycle, next).to
			if next > z.day(g.w.now)+100 {
				continue
			}
			end := next + (after-next)/2 + 1
			return []step{
				{Do: "cancel", Of: name, Option: "requested_date", At: end.String()},
				{Do: "clock", At: z.start(next).Add(14 * time.Hour).Format(time.RFC3339)},
				{Do: "unschedule cancellation", Of: name},
				{Do: "quantity", Of: name, Price: i.spec.Name, Option: "immediate", Amount: fmt.Sprint(g.IntN(8))},
				{Do: "clock", At: z.start(end + 1).Add(6 * time.Hour).Format(time.RFC3339)},
			}
		}
	}
	return nil
}
