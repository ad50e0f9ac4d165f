package main

import (
	"math/big"
	"slices"
	"sort"
	"time"

	"tollkeeper/domain/reference"
)

// world is what the model knows: what was asked of the server and granted, and nothing that
// the server computed but identifiers.
type world struct {
	now     time.Time
	before  time.Time         // when the step began that is done
	items   map[string]string // names to ids
	metrics map[string]string
	plans   map[string]*plan

	licenseType string // its id, "" before there is one

	customers            map[string]*customer
	subs                 map[string]*subscription
	order                []string // of subscriptions
	events               map[string]*event
	keys                 []string        // of events, as they came
	redeemed             bool            // whether there were coupons
	voided               map[string]bool // service periods whose invoice was voided by hand
	voidedByHand         map[string]bool // such invoices
	credited, uncredited map[string]bool // customers with credit notes, and with some that were voided
	backfills            map[string]*backfill
	issued               func(piece) bool                                  // whether the document of a service period was seen issued
	frozen               func(*charge) bool                                // whether the document of a charge is issued
	base                 func(p piece) *big.Rat                            // of a composite price
	worth                func(p piece, until time.Time) (*big.Rat, string) // of a line, after adjustments, or why that is not decided
	worths               map[string]map[string]lineWorth
	vague                map[*customer]string       // whose credits in money are not decided, and why
	measured             map[string]reference.Usage // until usage, or what is counted of it, changes
}

// backfill is one that is open, reflected or reverted.
type backfill struct {
	id       string
	customer string
	from, to time.Time
	replace  bool
	state    string
	gone     []*event // that do not count because of it
}

func newWorld() *world {
	return &world{items: map[string]string{}, metrics: map[string]string{}, plans: map[string]*plan{}, customers: map[string]*customer{},
		subs: map[string]*subscription{}, events: map[string]*event{}, voided: map[string]bool{}, voidedByHand: map[string]bool{}, credited: map[string]bool{}, uncredited: map[string]bool{}, backfills: map[string]*backfill{}, measured: map[string]reference.Usage{}, worths: map[string]map[string]lineWorth{}, vague: map[*customer]string{}}
}

type plan struct {
	id       string
	version  int               // from 1
	replaces map[string]string // prices of the version before, by the names of those in their place
	ids      map[string]string // of prices, by name
	prices   []priceSpec
	adjust   []adjustment
	phases   []phase
}

type customer struct {
	name, id string
	zone     *zone
	parent   string
	ledgers  map[string]*ledger // by currency
	oneOffs  []*oneOff
	manual   []manual // moves of the balance, in their order
}

// event is a usage event with what happened to it.
type event struct {
	eventSpec
	customer   string
	at         time.Time
	order      int64 // rises as they came
	deprecated bool
	replaced   bool // by a backfill
	backfill   *backfill
}

// interval is the time during which a subscription has a price.
type interval struct {
	spec       priceSpec
	price      string // id
	id         string
	from       time.Time
	to         time.Time // zero: open
	anchor     anchor
	quantities []transition
	change     int         // the number of the plan change that brought it
	plan       string      // the name of the plan that it came with
	counted    []counting  // what it counts, from the earliest on
	former     []time.Time // ends that were given to it and do not hold any more
	deferred   bool        // where it ends within its cycle, that waits for the next regular invoice
}

// transition is a quantity that applies from a local day on.
type transition struct {
	from     day
	quantity *big.Rat
}

// quantity on a local day.
func (i *interval) quantity(d day) *big.Rat { return i.changed(d, rat(i.spec.Quantity)) }

// changed is the quantity on a local day where it was q at first.
func (i *interval) changed(d day, q *big.Rat) *big.Rat {
	for _, t := range i.quantities {
		if t.from <= d {
			q = t.quantity
		}
	}
	return q
}

// set makes a quantity apply from a day on, until the next transition.
func (i *interval) set(d day, q *big.Rat) {
	i.quantities = slices.DeleteFunc(i.quantities, func(t transition) bool { return t.from == d })
	i.quantities = append(i.quantities, transition{d, q})
	sort.Slice(i.quantities, func(a, b int) bool { return i.quantities[a].from < i.quantities[b].from })
}

type subscription struct {
	who       []string // whose usage it counts
	name, id  string
	customer  *customer
	plan      string
	from, to  time.Time // to zero: open
	canceled  bool      // to stems from a cancellation
	anchor    anchor
	intervals []*interval
	changes   []planChange
	former    []time.Time  // ends that were taken back
	troubled  bool         // a cancellation or a plan change was scheduled once
	phases    []placed     // in the order of time
	trial     time.Time    // its end as was asked for; zero: none
	threshold *big.Rat     // in money; nil: none
	coupons   []redemption // in the order of time
	amountOff bool         // it redeemed a coupon of an amount, which may be gone
	partial   bool         // it had a partial invoice
	grants    []*grant     // of its allocations
	licenses  []*license
	migrated  time.Time          // when it was put on another version last
	reduced   map[*interval]bool // prices that grant less, for which it was taken back

	added       []addedLine // to its invoices
	adjusts     []*ownAdjustment
	planAdjusts map[string]bool // ids of the intervals of adjustments that its plans brought
	pending     *proposal
}

// planChange is one that is scheduled or done.
type planChange struct {
	at     time.Time
	plan   string
	anchor anchor
	before []ending // the intervals there were
	phases []placed // and the phases
}

// piece is a service period of an interval within one cycle.
type piece struct {
	*interval
	sub      *subscription
	cycle    span      // whole
	days     span      // of service, within the cycle
	from, to time.Time // of service
	trial    bool

	window span      // the cycle of its invoices
	since  time.Time // of usage: from where on it is rated, from unless an earlier invoice has a part
	number int       // of a fee: its place among the invoices of a cycle, from 0
	parts  int       // of a fee: how many invoices there are in a cycle, 0 for one
}

// key names the service period of a price of a subscription.
func (p piece) key() string { return p.sub.name + " " + p.price + " " + clock(p.from) }

// fraction of the cycle that is served (price-models.md 1.4).
func (p piece) fraction() *big.Rat {
	if p.spec.Cycle == (cycle{}) {
		return num(1)
	}
	if p.parts > 0 {
		return quo(num(p.days.days()), num(p.parts*p.cycle.days())) // of equal parts, as the fee
	}
	return quo(num(p.days.days()), num(p.cycle.days()))
}

// pieces are the service periods of an interval that begin by an instant.
func (s *subscription) pieces(i *interval, until time.Time) []piece {
	z := s.customer.zone
	var all []piece
	start := i.from
	if end := s.trialEnd(); start.Before(end) && (i.to.IsZero() || start.Before(i.to)) {
		if start = end; i.spec.Metric != "" && !i.from.After(until) {
			all = append(all, s.inTrial(i, end))
		}
		if !i.to.IsZero() && !start.Before(i.to) {
			return all
		}
	}
	for d := z.day(start); ; {
		c := i.anchor.around(i.spec.Cycle, d)
		p := piece{interval: i, sub: s, cycle: c}
		p.from, p.to = z.start(c.from), z.start(c.to)
		if p.from.Before(start) {
			p.from = start
		}
		if !i.to.IsZero() && p.to.After(i.to) {
			p.to = i.to
		}
		if p.from.After(until) || !p.from.Before(p.to) {
			return all
		}
		p.days = span{max(c.from, z.day(start)), c.to}
		if !i.to.IsZero() {
			p.days.to = min(c.to, z.day(i.to))
		}
		p.window, p.since = p.cycle, p.from
		if i.spec.Invoiced == nil {
			all = append(all, p)
		} else if all = append(all, p.invoiced(z)...); all[len(all)-1].from.After(until) {
			return slices.DeleteFunc(all, func(p piece) bool { return p.from.After(until) })
		}
		d = c.to
		if i.spec.Cycle == (cycle{}) || (!i.to.IsZero() && !z.start(d).Before(i.to)) {
			return all
		}
	}
}

// term is the longest cycle of the prices, and period the shortest (semantics 1.1.15).
func (s *subscription) longest(at time.Time) (cycle, bool) {
	if at.Before(s.from) {
		at = s.from
	}
	var best cycle
	found := false
	for _, i := range s.intervals {
		c := i.spec.Cycle
		if c == (cycle{}) || i.from.After(at) || (!i.to.IsZero() && !i.to.After(at)) {
			continue
		}
		if !found || c.Months*30+c.Days > best.Months*30+best.Days {
			best, found = c, true
		}
	}
	return best, found
}

// advance reports whether the price is billed in advance, and so never draws credits.
func (s priceSpec) advance() bool { return s.Metric == "" && s.Advance }

func (s priceSpec) unit(plan string) string {
	if s.Currency != "" {
		return s.Currency
	}
	return plan
}

// fee is what a fixed fee costs for the days of a service period, exactly: per day, by the
// quantity of that day.
func (p piece) fee() *big.Rat {
	if p.spec.allocation() {
		return mul(p.sub.share(p), rat(p.spec.Basis))
	}
	if p.spec.Cycle == (cycle{}) {
		return p.spec.rate(p.quantity(p.days.from))
	}
	total, rates := new(big.Rat), map[*big.Rat]*big.Rat{} // a day of one quantity costs what the last one did
	first := rat(p.spec.Quantity)
	for d := p.days.from; d < p.days.to; d++ {
		q := p.changed(d, first)
		if rates[q] == nil {
			rates[q] = p.spec.rate(q)
		}
		total.Add(total, rates[q])
	}
	return total.Quo(total, num(p.cycle.days()*max(p.parts, 1)))
}

// changes is how often the quantity changes within the service period.
func (p piece) changes() (n int) {
	for _, t := range p.quantities {
		if p.days.from < t.from && t.from < p.days.to {
			n++
		}
	}
	return n
}

// quantitiesBy is the piece without the quantities that lie ahead.
func (p piece) quantitiesBy(now time.Time) piece {
	if p.from.After(now) {
		now = p.from
	}
	known := *p.interval
	known.quantities = nil
	for _, t := range p.quantities {
		if !p.sub.customer.zone.start(t.from).After(now) {
			known.quantities = append(known.quantities, t)
		}
	}
	p.interval = &known
	return p
}

// feeBy is the fee as documents have it at an instant: what is billed in advance knows neither
// the quantities nor the end that lie ahead.
func (p piece) feeBy(now time.Time) *big.Rat {
	if !p.spec.Advance {
		return p.fee()
	}
	p = p.quantitiesBy(now)
	if p.to.After(now) && p.to.After(p.from) && !p.interval.to.IsZero() && p.days.to == min(p.cycle.to, p.sub.customer.zone.day(p.interval.to)) {
		p.days.to = p.cycle.to
	}
	return p.fee()
}
