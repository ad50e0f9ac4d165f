package main

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// license is one of a subscription: usage of its name draws on credits of its own before it costs
// anything (semantics 17.1).
type license struct {
	name, id string
	of       string    // the value of who that is its usage
	from, to time.Time // to zero: open
}

// allowance is what each license may use in a period of a license price, or in a part of it, where the
// price took the place of another one.
type allowance struct {
	piece
	amount *big.Rat
	after  bool // it took the place of the one before
}

// allowances are those that have begun by an instant, in the order of time.
func (s *subscription) allowances(until time.Time) (all []allowance) {
	for _, i := range s.intervals {
		if i.spec.Seats == "" || !i.to.IsZero() && !i.from.Before(i.to) {
			continue
		}
		for _, p := range s.pieces(i, until) {
			all = append(all, allowance{piece: p, amount: rat(i.spec.Seats)})
		}
	}
	slices.SortStableFunc(all, func(a, b allowance) int { return a.from.Compare(b.from) })
	for k := range all[min(1, len(all)):] {
		old, next := all[k], &all[k+1]
		next.after = old.interval != next.interval && old.to.Equal(next.from) && old.cycle == next.cycle && s.customer.zone.start(next.cycle.from).Before(next.from)
	}
	return all
}

// covered is what licenses pay of a price's usage until an instant, in credits: what they drew on their
// own, and what is written off.
func (w *world) covered(p piece, until time.Time) *big.Rat {
	total := new(big.Rat)
	if !p.spec.Licensed || len(p.sub.licenses) == 0 {
		return total
	}
	if until.After(p.to) {
		until = p.to
	}
	for _, l := range p.sub.licenses {
		total.Add(total, sub(w.own(p.sub, l, until), w.own(p.sub, l, p.from)))
	}
	return total
}

// own is what a license has paid until an instant, since its subscription began.
func (w *world) own(s *subscription, l *license, until time.Time) *big.Rat {
	total, drawn := new(big.Rat), new(big.Rat)
	for _, a := range s.allowances(until) {
		if !a.after {
			total.Add(total, drawn)
			drawn = new(big.Rat)
		}
		used := w.usedBy(s, l, a.from, earlier(a.to, until))
		room := greatest(sub(greatest(a.amount, drawn), drawn), new(big.Rat))
		if a.spec.WritesOff {
			total.Add(total, greatest(sub(used, room), new(big.Rat)))
		}
		drawn = greatest(add(drawn, least(used, room)), new(big.Rat)) // usage below 0 takes back what was drawn, and no more
	}
	return total.Add(total, drawn)
}

// usedBy is what usage under the name of a license costs in a span, while it is active.
func (w *world) usedBy(s *subscription, l *license, from, to time.Time) *big.Rat {
	if from.Before(l.from) {
		from = l.from
	}
	if !l.to.IsZero() {
		to = earlier(to, l.to)
	}
	total := new(big.Rat)
	for _, i := range s.intervals {
		if !i.spec.Licensed {
			continue
		}
		begin, end := from, to
		if begin.Before(i.from) {
			begin = i.from
		}
		if !i.to.IsZero() {
			end = earlier(end, i.to)
		}
		if begin.Before(end) {
			total.Add(total, mul(rat(i.spec.Amount), w.countedOf(piece{interval: i, sub: s}, begin, end, l.of)))
		}
	}
	return total
}

// earlier is the earlier of two instants.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// licenseType finds or makes the one type of an account.
func (r *run) licenseType(ctx context.Context) (string, error) {
	if r.w.licenseType == "" {
		made, err := r.post(ctx, "/v1/license_types", object{"name": "Seat", "grouping_key": "who"})
		if err != nil {
			return "", err
		}
		r.w.licenseType = made.str("id")
	}
	return r.w.licenseType, nil
}

// giveLicense makes a license.
func (r *run) giveLicense(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil || r.w.licenseType == "" {
		return errSkipped
	}
	z := sub.customer.zone
	l := &license{name: s.Name, of: s.Price, from: z.start(z.day(r.w.now))}
	body := object{"subscription_id": sub.id, "license_type_id": r.w.licenseType, "external_license_id": s.Price}
	if s.At != "" {
		body["start_date"], l.from = s.At, when(z, s.At)
	}
	if s.Until != "" {
		body["end_date"], l.to = s.Until, when(z, s.Until)
	}
	made, err := r.post(ctx, "/v1/licenses", body)
	if err != nil {
		return err
	}
	l.id = made.str("id")
	sub.licenses = append(sub.licenses, l)
	return nil
}

// endLicense ends a license.
func (r *run) endLicense(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	k := slices.IndexFunc(sub.licenses, func(l *license) bool { return l.name == s.Name })
	if k < 0 {
		return errSkipped
	}
	z := sub.customer.zone
	end := z.start(z.day(r.w.now) + 1)
	body := object{}
	if s.At != "" {
		body["end_date"], end = s.At, when(z, s.At)
	}
	if _, err := r.post(ctx, "/v1/licenses/"+sub.licenses[k].id+"/deactivate", body); err != nil {
		return err
	}
	sub.licenses[k].to = end
	return nil
}

// license is a step of the licenses of a subscription that has a license price.
func (g *generator) license() (step, bool) {
	sub := g.sub()
	if !slices.ContainsFunc(sub.intervals, func(i *interval) bool { return i.spec.Seats != "" }) || !sub.to.IsZero() && !sub.to.After(g.w.now) {
		return step{}, false
	}
	for _, l := range sub.licenses {
		if (l.to.IsZero() || l.to.After(g.w.now)) && g.chance(25) {
			s := step{Do: "end license", Of: sub.name, Name: l.name}
			if g.chance(60) {
				s.At = g.date(sub.customer, 0, 12)
			}
			return s, true
		}
	}
	s := step{Do: "license", Of: sub.name, Name: g.name("license"), Price: pick(g, "a", "b", "c")}
	if g.chance(50) {
		s.At = g.date(sub.customer, -6, 6)
	}
	if g.chance(20) {
		s.Until = g.date(sub.customer, 7, 30)
	}
	return s, true
}

// seats are a license price and the usage that draws on its licenses.
func (g *generator) seats(plan string) []priceSpec {
	c := pick(g, cycle{Months: 1}, cycle{Months: 1}, cycle{Months: 3})
	fee := priceSpec{Name: plan + "." + g.name("seats"), Model: "unit", Advance: true, Cycle: c, Amount: pick(g, "10.00", "7.10"), Quantity: pick(g, "2", "3", "5"),
		Item: "Item A", Seats: pick(g, "6", "15", "40.5"), WritesOff: g.chance(25)}
	usage := priceSpec{Name: plan + "." + g.name("price"), Model: "unit", Metric: pick(g, "sum", "sum", "count"), Cycle: pick(g, c, cycle{Months: 1}, cycle{Days: 10}),
		Amount: pick(g, "1", "0.35"), Item: "Item B", Currency: "credits", Conversion: pick(g, "1", "0.05"), Licensed: true}
	return []priceSpec{fee, usage}
}

// licenseFeatures are those of the licenses of a subscription.
func (s *subscription) licenseFeatures(see func(bool, string), now time.Time) {
	see(len(s.licenses) > 0, "license")
	for _, l := range s.licenses {
		see(!l.to.IsZero() && !l.to.After(now), "license that has ended")
	}
	for _, i := range s.intervals {
		see(i.spec.Seats != "", "license price")
	}
}

// licensing adds to the body of a price what it grants to licenses, or that it draws on them.
func (r *run) licensing(ctx context.Context, s priceSpec, body object) error {
	if s.Seats == "" && !s.Licensed {
		return nil
	}
	kind, err := r.licenseType(ctx)
	if err != nil {
		return fmt.Errorf("make a license type: %w", err)
	}
	body["license_type_id"] = kind
	if s.Seats != "" {
		body["license_allocations"] = []object{{"amount": s.Seats, "currency": "credits", "write_off_overage": s.WritesOff}}
	}
	return nil
}
