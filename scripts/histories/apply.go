package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"
)

// run is a history being played on an account.
type run struct {
	c       *client
	w       *world
	refused map[string]int // steps that the server did not grant, by kind
	why     map[string]string
	books   books
	quick   bool
	pairs   map[string]map[string]int // steps done, by kind and feature
}

func newRun(c *client) *run {
	return &run{c: c, w: newWorld(), refused: map[string]int{}, why: map[string]string{}, books: newBooks(), pairs: map[string]map[string]int{}}
}

// errSkipped is a step that makes no sense, for what it works on is not there.
var errSkipped = errors.New("skipped")

// mismatch is a difference between the server and the model.
type mismatch struct{ what string }

func (m *mismatch) Error() string { return m.what }

func differ(format string, args ...any) error { return &mismatch{fmt.Sprintf(format, args...)} }

// apply does a step: it asks the server and, when that grants it, the model does it too.
// Done is false when it was skipped or refused.
func (r *run) apply(ctx context.Context, s step) (done bool, err error) {
	do := steps[s.Do]
	if do == nil {
		return false, fmt.Errorf("no step is called %q", s.Do)
	}
	err = do(r, ctx, s)
	var no *refused
	switch {
	case errors.Is(err, errSkipped):
		return false, nil
	case errors.As(err, &no) && no.status < 500:
		kind := s.Do
		if s.Option != "" {
			kind += " " + s.Option
		}
		r.refused[kind]++
		r.why[kind] = no.text
		return false, nil
	case errors.As(err, &no):
		return false, differ("%s", no)
	}
	return err == nil, err
}

var steps map[string]func(*run, context.Context, step) error

func init() {
	steps = map[string]func(*run, context.Context, step) error{
		"clock": (*run).clock, "customer": (*run).customer, "plan": (*run).plan, "subscribe": (*run).subscribe,
		"cancel": (*run).cancel, "unschedule cancellation": (*run).unscheduleCancellation,
		"quantity": (*run).quantity, "unschedule quantity": (*run).unscheduleQuantity,
		"ingest": (*run).ingest, "deprecate": (*run).deprecate, "amend": (*run).amend,
		"credit": (*run).credit, "decrement": (*run).decrement,
		"plan change": (*run).planChange, "unschedule plan change": (*run).unschedulePlanChange,
		"add price": (*run).addPrice, "end price": (*run).endPrice,
		"mark paid": (*run).markPaid, "void invoice": (*run).void, "credit note": (*run).note,
		"backfill": (*run).backfill, "close backfill": (*run).closeBackfill, "revert backfill": (*run).revertBackfill,
	}
}

func (r *run) post(ctx context.Context, path string, body any) (node, error) {
	return r.c.ask(ctx, http.MethodPost, path, body)
}

func (r *run) clock(ctx context.Context, s step) error {
	at, err := time.Parse(time.RFC3339, s.At)
	if err != nil {
		return err
	}
	if at.Before(r.w.now) {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/test_clock/advance", object{"now": s.At}); err != nil {
		return err
	}
	r.w.now = at.UTC()
	return nil
}

func (r *run) customer(ctx context.Context, s step) error {
	body := object{"name": s.Name, "email": s.Name + "@example.test", "external_customer_id": s.Name, "timezone": s.Zone, "currency": "USD"}
	if s.Of != "" {
		parent := r.w.customers[s.Of]
		if parent == nil {
			return errSkipped
		}
		body["hierarchy"] = object{"parent_customer_id": parent.id, "child_customer_ids": []string{}}
	}
	made, err := r.post(ctx, "/v1/customers", body)
	if err != nil {
		return err
	}
	r.w.customers[s.Name] = &customer{name: s.Name, id: made.str("id"), zone: newZone(s.Zone), parent: s.Of, ledgers: map[string]*ledger{}}
	return nil
}

// item finds or makes an item.
func (r *run) item(ctx context.Context, name string) (string, error) {
	if id := r.w.items[name]; id != "" {
		return id, nil
	}
	made, err := r.post(ctx, "/v1/items", object{"name": name})
	if err != nil {
		return "", err
	}
	r.w.items[name] = made.str("id")
	return made.str("id"), nil
}

// sqls are the metrics that prices may have.
var sqls = map[string]string{
	"sum":      "SELECT SUM(n) FROM events WHERE event_name = 'use'",
	"count":    "SELECT COUNT(*) FROM events WHERE event_name = 'use'",
	"max":      "SELECT MAX(n) FROM events WHERE event_name = 'use'",
	"distinct": "SELECT COUNT(DISTINCT who) FROM events WHERE event_name = 'use'",
}

func (r *run) metric(ctx context.Context, name string) (string, error) {
	if id := r.w.metrics[name]; id != "" {
		return id, nil
	}
	item, err := r.item(ctx, "Usage")
	if err != nil {
		return "", err
	}
	made, err := r.post(ctx, "/v1/metrics", object{"name": name, "description": nil, "item_id": item, "sql": sqls[name]})
	if err != nil {
		return "", err
	}
	r.w.metrics[name] = made.str("id")
	return made.str("id"), nil
}

var cadences = map[cycle]string{{}: "one_time", {Months: 1}: "monthly", {Months: 3}: "quarterly", {Months: 6}: "semi_annual", {Months: 12}: "annual"}

func (c cycle) configuration() object {
	if c.Days > 0 {
		return object{"duration": c.Days, "duration_unit": "day"}
	}
	return object{"duration": c.Months, "duration_unit": "month"}
}

// price is the body of a price.
func (r *run) price(ctx context.Context, s priceSpec) (object, error) {
	item, err := r.item(ctx, s.Item)
	if err != nil {
		return nil, err
	}
	body := object{"name": s.Name, "item_id": item, "model_type": s.Model, "reference_id": s.Name}
	if body["cadence"] = cadences[s.Cycle]; body["cadence"] == "" {
		body["cadence"], body["billing_cycle_configuration"] = "custom", s.Cycle.configuration()
	}
	if s.Metric == "" {
		body["fixed_price_quantity"], body["billed_in_advance"] = json.Number(s.Quantity), s.Advance
	} else if body["billable_metric_id"], err = r.metric(ctx, s.Metric); err != nil {
		return nil, err
	}
	if s.Currency != "" {
		body["currency"] = s.Currency
	}
	if s.Conversion != "" {
		body["conversion_rate_config"] = object{"conversion_rate_type": "unit", "unit_config": object{"unit_amount": s.Conversion}}
	}
	var configuration object
	switch s.Model {
	case "unit":
		configuration = object{"unit_amount": s.Amount, "prorated": s.Prorated}
	case "tiered":
		configuration = object{"tiers": []object{{"first_unit": 0, "last_unit": json.Number(s.Bound), "unit_amount": s.Amount}, {"first_unit": json.Number(s.Bound), "last_unit": nil, "unit_amount": s.Above}}, "prorated": s.Prorated}
	case "bulk":
		configuration = object{"tiers": []object{{"maximum_units": json.Number(s.Bound), "unit_amount": s.Amount}, {"maximum_units": nil, "unit_amount": s.Above}}}
	case "package":
		configuration = object{"package_amount": s.Amount, "package_size": json.Number(s.Bound)}
	}
	body[s.Model+"_config"] = configuration
	return body, nil
}

func (a adjustment) body() object {
	body := object{"adjustment_type": a.Kind, "is_invoice_level": len(a.Prices) != 1}
	if len(a.Prices) > 0 {
		body["applies_to_price_ids"] = a.Prices
	} else {
		body["applies_to_all"] = true
	}
	switch a.Kind {
	case "minimum", "maximum":
		body[a.Kind+"_amount"] = a.Amount
	case "amount_discount":
		body[a.Kind] = a.Amount
	default:
		body[a.Kind] = json.Number(a.Amount)
	}
	return body
}

func (r *run) plan(ctx context.Context, s step) error {
	var prices, adjusts, phases []object
	for _, p := range s.Prices {
		body, err := r.price(ctx, p)
		if err != nil {
			return err
		}
		entry := object{"price": body}
		if p.Phase > 0 {
			entry["plan_phase_order"] = p.Phase
		}
		prices = append(prices, entry)
	}
	for _, a := range s.Adjust {
		body := a.body()
		if a.Kind == "minimum" {
			item, err := r.item(ctx, "Minimum")
			if err != nil {
				return err
			}
			body["item_id"] = item
		}
		entry := object{"adjustment": body}
		if a.Phase > 0 {
			entry["plan_phase_order"] = a.Phase
		}
		adjusts = append(adjusts, entry)
	}
	for n, p := range s.Phases {
		one := object{"order": n + 1, "align_billing_with_phase_start_date": p.Align}
		if p.Months > 0 {
			one["duration"], one["duration_unit"] = p.Months, "monthly"
		}
		phases = append(phases, one)
	}
	body := object{"name": s.Name, "currency": "USD", "prices": prices, "net_terms": s.Terms}
	if len(adjusts) > 0 {
		body["adjustments"] = adjusts
	}
	if len(phases) > 0 {
		body["plan_phases"] = phases
	}
	made, err := r.post(ctx, "/v1/plans", body)
	if err != nil {
		return err
	}
	r.w.plans[s.Name] = &plan{id: made.str("id"), prices: s.Prices, adjust: s.Adjust, phases: s.Phases}
	return nil
}

// when reads a date in a zone, or an instant.
func when(z *zone, text string) time.Time {
	if !strings.Contains(text, "T") {
		return z.start(parseDay(text))
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

func (r *run) subscribe(ctx context.Context, s step) error {
	buyer, p := r.w.customers[s.Of], r.w.plans[s.Plan]
	if buyer == nil || p == nil {
		return errSkipped
	}
	body := object{"customer_id": buyer.id, "plan_id": p.id, "align_billing_with_subscription_start_date": s.Flag}
	from := buyer.zone.start(buyer.zone.day(r.w.now))
	if s.At != "" {
		from = when(buyer.zone, s.At)
		body["start_date"] = s.At
	}
	var who []string
	for _, name := range s.Who {
		c := r.w.customers[name]
		if c == nil {
			return errSkipped
		}
		who = append(who, c.id)
	}
	if len(who) > 0 {
		body["usage_customer_ids"] = who
	}
	made, err := r.post(ctx, "/v1/subscriptions", body)
	if err != nil {
		return err
	}
	began := buyer.zone.day(from)
	y, m, d := began.date()
	sub := &subscription{who: s.Who, name: s.Name, id: made.str("id"), customer: buyer, plan: s.Plan, from: from, anchor: anchor{y, m, 1, began}}
	if s.Flag {
		sub.anchor.day = d
	}
	for _, spec := range p.prices {
		sub.intervals = append(sub.intervals, &interval{spec: spec, plan: s.Plan, from: from, anchor: sub.anchor, who: s.Who})
	}
	r.w.subs[s.Name] = sub
	r.w.order = append(r.w.order, s.Name)
	return nil
}

func (r *run) cancel(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	z := sub.customer.zone
	body := object{"cancel_option": s.Option}
	var end time.Time
	switch s.Option {
	case "immediate":
		end = r.w.now
		if sub.from.After(end) {
			end = sub.from
		}
	case "requested_date":
		body["cancellation_date"] = s.At
		end = when(z, s.At)
	case "end_of_subscription_term":
		longest, ok := sub.longest(r.w.now)
		if !ok {
			return errSkipped
		}
		end = z.start(sub.anchored(r.w.now).around(longest, sub.today(r.w.now)).to)
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/cancel", body); err != nil {
		return err
	}
	sub.open()
	if !sub.from.Before(end) { // it had not begun: the intervals stay, without any time
		for _, i := range sub.intervals {
			i.to = i.from
		}
	} else {
		sub.cut(end)
	}
	sub.to, sub.canceled, sub.troubled = end, true, true
	for n, c := range sub.changes {
		if !c.at.Before(end) {
			sub.changes = sub.changes[:n]
			break
		}
	}
	return nil
}

// open takes the end of a subscription away: intervals that ended there are open again.
func (s *subscription) open() {
	for _, i := range s.intervals {
		if !i.to.IsZero() && i.to.Equal(s.to) {
			i.to = time.Time{}
		}
	}
	s.to, s.canceled = time.Time{}, false
}

// cut ends all intervals at an instant; those that would begin later are gone.
func (s *subscription) cut(end time.Time) {
	s.intervals = slices.DeleteFunc(s.intervals, func(i *interval) bool { return !i.from.Before(end) })
	for _, i := range s.intervals {
		if i.to.IsZero() || i.to.After(end) {
			i.to = end
		}
	}
}

func (r *run) unscheduleCancellation(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/unschedule_cancellation", object{}); err != nil {
		return err
	}
	sub.former = append(sub.former, sub.to)
	if !sub.canceled || !sub.to.After(r.w.now) {
		return differ("unscheduling the cancellation of %s was granted, though none is ahead", s.Of)
	}
	sub.open()
	return nil
}

// holding is the interval of a price that is in force or ahead, by the price's name.
func (s *subscription) holding(name string, now time.Time) *interval {
	for _, i := range s.intervals {
		if i.spec.Name == name && (i.to.IsZero() || i.to.After(now)) {
			return i
		}
	}
	return nil
}

func (r *run) quantity(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	i := sub.holding(s.Price, r.w.now)
	if i == nil || i.price == "" {
		return errSkipped
	}
	body := object{"price_id": i.price, "quantity": json.Number(s.Amount), "change_option": s.Option}
	z := sub.customer.zone
	var from day
	switch s.Option {
	case "immediate":
		from = z.day(r.w.now)
	case "effective_date":
		from = parseDay(s.At)
		body["effective_date"] = s.At
	case "upcoming_invoice":
		from = sub.nextBilling(i, r.w.now)
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/update_fixed_fee_quantity", body); err != nil {
		return err
	}
	i.set(max(from, z.day(i.from)), rat(s.Amount))
	return nil
}

// nextBilling is the local day from which the next invoice of an interval's price bills.
func (s *subscription) nextBilling(i *interval, now time.Time) day {
	z := s.customer.zone
	if i.from.After(now) {
		return z.day(i.from)
	}
	return i.anchor.around(i.spec.Cycle, z.day(now)).to
}

func (r *run) unscheduleQuantity(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	i := sub.holding(s.Price, r.w.now)
	if i == nil || i.price == "" {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/unschedule_fixed_fee_quantity_updates", object{"price_id": i.price}); err != nil {
		return err
	}
	z := sub.customer.zone
	i.quantities = slices.DeleteFunc(i.quantities, func(t transition) bool { return z.start(t.from).After(r.w.now) })
	return nil
}

func (r *run) ingest(ctx context.Context, s step) error {
	var events []object
	for _, e := range s.Events {
		if r.w.customers[e.Customer] == nil || r.w.events[e.Key] != nil {
			return errSkipped
		}
		events = append(events, object{"event_name": "use", "idempotency_key": e.Key, "external_customer_id": e.Customer, "timestamp": e.At,
			"properties": object{"n": json.Number(e.N), "who": e.Who}})
	}
	if _, err := r.post(ctx, "/v1/ingest", object{"events": events}); err != nil {
		return err
	}
	for _, e := range s.Events {
		r.w.events[e.Key] = &event{customer: e.Customer, at: when(nil, e.At), n: rat(e.N), who: e.Who}
		r.w.keys = append(r.w.keys, e.Key)
	}
	return nil
}

func (r *run) deprecate(ctx context.Context, s step) error {
	e := r.w.events[s.Name]
	if e == nil {
		return errSkipped
	}
	if _, err := r.c.ask(ctx, http.MethodPut, "/v1/events/"+s.Name+"/deprecate", nil); err != nil {
		return err
	}
	e.deprecated = true
	return nil
}

func (r *run) amend(ctx context.Context, s step) error {
	e := r.w.events[s.Name]
	if e == nil {
		return errSkipped
	}
	_, err := r.c.ask(ctx, http.MethodPut, "/v1/events/"+s.Name, object{"event_name": "use", "external_customer_id": e.customer,
		"timestamp": e.at.Format(time.RFC3339Nano), "properties": object{"n": json.Number(s.Amount), "who": e.who}})
	if err != nil {
		return err
	}
	e.n = rat(s.Amount)
	return nil
}

func (r *run) credit(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	body := object{"entry_type": "increment", "amount": json.Number(s.Amount), "currency": s.Currency}
	today := buyer.zone.day(r.w.now)
	b := &block{name: s.Name, from: today, initial: rat(s.Amount), basis: new(big.Rat)}
	if s.At != "" {
		body["effective_date"], b.from = s.At, parseDay(s.At)
	}
	if s.Until != "" {
		body["expiry_date"], b.to = s.Until, parseDay(s.Until)
	}
	if s.Basis != "" {
		body["per_unit_cost_basis"], b.basis = s.Basis, rat(s.Basis)
	}
	if s.Item != "" {
		item, err := r.item(ctx, s.Item)
		if err != nil {
			return err
		}
		body["filters"], b.item = []object{{"field": "item_id", "operator": "includes", "values": []string{item}}}, s.Item
	}
	made, err := r.post(ctx, "/v1/customers/"+buyer.id+"/credits/ledger_entry", body)
	if err != nil {
		return err
	}
	b.id = made.at("credit_block").str("id")
	l := buyer.ledger(s.Currency)
	if len(l.blocks) == 0 {
		r.w.settleIn(buyer, s.Currency)
	}
	l.blocks = append(l.blocks, b)
	r.cover(l)
	return nil
}

func (r *run) decrement(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	l := buyer.ledger(s.Currency)
	today := buyer.zone.day(r.w.now)
	if l.balance(today).Cmp(rat(s.Amount)) < 0 {
		return errSkipped // the model knows no overdraw
	}
	if _, err := r.post(ctx, "/v1/customers/"+buyer.id+"/credits/ledger_entry",
		object{"entry_type": "decrement", "amount": json.Number(s.Amount), "currency": s.Currency}); err != nil {
		return err
	}
	l.byHand(today, rat(s.Amount))
	return nil
}
