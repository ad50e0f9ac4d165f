package crash_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// year is an account that lives through 2025, all by requests: usage, payments that fail,
// changes of plans and quantities, a coupon, credits, a cancellation, corrections.
type year struct {
	client
	pace func() int // days by which its clock is moved at once
	day  time.Time  // of its clock
	keys int        // of requests
	sent int        // events
	item string
	sum  string // the metric
}

// openYear makes the account, whose clock moves so many days at once.
func (m *machine) openYear(name string, pace func() int) *year {
	GinkgoHelper()
	made := m.testAccount(name)
	m.execute("UPDATE accounts SET payment_gateway = 'test', future_bound_seconds = 366 * 86400 WHERE id = '" + made.ID + "'")
	y := &year{client: m.client(made.Key), pace: pace, day: time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC)}
	y.must(http.MethodPost, "/v1/test_clock/advance", object{"now": y.day.Format(time.RFC3339)}, "")
	return y
}

// Paces of a clock.
var (
	byDay    = func() int { return 1 }
	byLeaps  = func() int { return 1 + rand.IntN(40) }
	withOnce = func() int { return 366 }
)

// until moves the clock on to a day.
func (y *year) until(month time.Month, day int) {
	GinkgoHelper()
	for to := time.Date(2025, month, day, 9, 0, 0, 0, time.UTC); y.day.Before(to); {
		y.day = y.day.AddDate(0, 0, y.pace())
		if y.day.After(to) {
			y.day = to
		}
		y.must(http.MethodPost, "/v1/test_clock/advance", object{"now": y.day.Format(time.RFC3339)}, "")
	}
}

// post makes something, once however often it has to be asked for, and returns its id.
func (y *year) post(path string, body object) string {
	GinkgoHelper()
	y.keys++
	return y.must(http.MethodPost, path, body, fmt.Sprint("request ", y.keys))
}

// get reads something into a value.
func (y *year) get(path string, into any) {
	GinkgoHelper()
	status, answer := y.ask(http.MethodGet, path, nil, "")
	Expect(status).To(Equal(http.StatusOK), "%s: %s", path, answer)
	Expect(json.Unmarshal(answer, into)).To(Succeed(), path)
}

// fee is a price in advance, and usage one in arrears.
func (y *year) fee(name, cadence, amount string) object {
	return object{"name": name, "item_id": y.item, "cadence": cadence, "model_type": "unit", "unit_config": object{"unit_amount": amount}}
}

func (y *year) usage(name string, model object) object {
	return with(object{"name": name, "item_id": y.item, "cadence": "monthly", "billable_metric_id": y.sum}, model)
}

// with is a body with members changed.
func with(body, change object) object {
	all := object{}
	for _, o := range []object{body, change} {
		for name, value := range o {
			all[name] = value
		}
	}
	return all
}

func (y *year) plan(name string, prices ...object) string {
	GinkgoHelper()
	var wanted []object
	for _, price := range prices {
		wanted = append(wanted, object{"price": price})
	}
	return y.post("/v1/plans", object{"name": name, "currency": "USD", "prices": wanted})
}

func (y *year) buyer(alias, zone string, change object) string {
	GinkgoHelper()
	return y.post("/v1/customers", with(object{"name": alias, "email": alias + "@example.test", "external_customer_id": alias, "timezone": zone, "currency": "USD"}, change))
}

func (y *year) subscribe(buyer, plan string, change object) string {
	GinkgoHelper()
	return y.post("/v1/subscriptions", with(object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01"}, change))
}

// use sends an event of each customer for every so many hours between two instants.
func (y *year) use(from, until time.Time, every time.Duration, buyers ...string) {
	GinkgoHelper()
	var events []object
	for at := from; at.Before(until); at = at.Add(every) {
		for k, alias := range buyers {
			y.sent++
			events = append(events, object{
				"idempotency_key": fmt.Sprint("event ", y.sent), "event_name": "call", "external_customer_id": alias, "timestamp": at.Format(time.RFC3339),
				"properties": object{"n": y.sent%17 + k, "region": []string{"eu", "us", "asia"}[y.sent%3]},
			})
		}
	}
	for len(events) > 0 {
		part := min(len(events), 400)
		y.must(http.MethodPost, "/v1/ingest", object{"events": events[:part]}, "")
		events = events[part:]
	}
}

// play lives through the year.
func (y *year) play() {
	GinkgoHelper()
	y.item = y.post("/v1/items", object{"name": "Calls"})
	y.sum = y.post("/v1/metrics", object{"name": "Calls", "description": nil, "item_id": y.item, "sql": "SELECT SUM(n) FROM events WHERE event_name = 'call'"})
	tiered := object{"model_type": "tiered", "tiered_config": object{"tiers": []object{
		{"first_unit": 0, "last_unit": 500, "unit_amount": "0.031"}, {"first_unit": 500, "last_unit": nil, "unit_amount": "0.017"}}}}
	matrix := object{"model_type": "matrix", "matrix_config": object{"default_unit_amount": "0.01", "dimensions": []string{"region"},
		"matrix_values": []object{{"dimension_values": []string{"eu"}, "unit_amount": "0.025"}}}}
	basic := y.plan("Basic", y.fee("Platform", "monthly", "31.00"), y.usage("Calls", tiered), y.usage("Regions", matrix))
	dear := y.plan("Dear", y.fee("Platform", "quarterly", "99.99"), y.usage("Calls", with(tiered, object{"invoice_grouping_key": "region"})))
	weekly := y.plan("Weekly", with(y.fee("Desk", "custom", "7.10"), object{"billing_cycle_configuration": object{"duration": 7, "duration_unit": "day"}}))
	seats := y.plan("Seats", with(y.fee("Seats", "monthly", "19.90"), object{"fixed_price_quantity": 5}), y.usage("Calls", tiered))
	y.post("/v1/coupons", object{"redemption_code": "SPRING", "duration_in_months": 3, "discount": object{"discount_type": "percentage", "percentage_discount": 0.15}})

	acme := y.buyer("acme", "UTC", object{"payment_provider": "stripe_charge", "payment_provider_id": "decline", "auto_collection": true})
	cairo := y.buyer("cairo", "Africa/Cairo", object{"payment_provider": "stripe_charge", "payment_provider_id": "card", "auto_collection": true})
	coast := y.buyer("coast", "America/Los_Angeles", nil)
	delhi := y.buyer("delhi", "Asia/Kolkata", nil)
	ofAcme := y.subscribe(acme, basic, nil)
	ofCairo := y.subscribe(cairo, seats, nil)
	ofCoast := y.subscribe(coast, dear, object{"coupon_redemption_code": "SPRING"})
	y.subscribe(delhi, weekly, nil)
	y.subscribe(delhi, basic, object{"start_date": "2025-01-15"})
	y.post("/v1/customers/"+delhi+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 400, "currency": "USD", "expiry_date": "2025-07-01"})
	y.post("/v1/customers/"+coast+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 25, "currency": "USD"})
	y.post("/v1/customers/"+cairo+"/balance_transactions", object{"type": "increment", "amount": "50"})
	y.use(y.day, y.day.AddDate(0, 12, -2), 37*time.Hour, "acme", "cairo", "coast", "delhi")

	// Planned ahead: the clock alone brings it about.
	y.post("/v1/subscriptions/"+ofAcme+"/schedule_plan_change", object{"plan_id": dear, "change_option": "requested_date", "change_date": "2025-04-15"})
	price := y.priceOf(ofCairo, "Seats")
	y.post("/v1/subscriptions/"+ofCairo+"/update_fixed_fee_quantity", object{"price_id": price, "quantity": 8, "change_option": "effective_date", "effective_date": "2025-03-12"})
	y.post("/v1/subscriptions/"+ofCairo+"/update_fixed_fee_quantity", object{"price_id": price, "quantity": 3, "change_option": "effective_date", "effective_date": "2025-10-20"})
	y.post("/v1/subscriptions/"+ofCoast+"/cancel", object{"cancel_option": "requested_date", "cancellation_date": "2025-11-17"})

	// What is late, and what somebody does on a day.
	y.until(time.July, 1)
	y.use(y.day.Add(-11*time.Hour), y.day, time.Hour, "acme", "cairo", "delhi")
	first := y.firstInvoice(ofAcme)
	y.post("/v1/credit_notes", object{"line_items": []object{{"invoice_line_item_id": first.Lines[0].ID, "amount": "10.00"}}})
	y.post("/v1/invoices/"+first.ID+"/mark_paid", object{"payment_received_date": "2025-07-01"})
	y.until(time.September, 9)
	y.post("/v1/subscriptions/"+ofCairo+"/cancel", object{"cancel_option": "end_of_subscription_term"})
	y.post("/v1/subscriptions/"+ofCairo+"/unschedule_cancellation", object{})
	y.post("/v1/subscriptions/"+ofAcme+"/cancel", object{"cancel_option": "immediate"})
	y.until(time.December, 31)
}

func (y *year) priceOf(subscription, name string) string {
	GinkgoHelper()
	var s struct {
		Intervals []struct {
			Price struct{ ID, Name string }
		} `json:"price_intervals"`
	}
	y.get("/v1/subscriptions/"+subscription, &s)
	for _, i := range s.Intervals {
		if i.Price.Name == name {
			return i.Price.ID
		}
	}
	Fail("no price " + name)
	return ""
}

type billed struct {
	ID    string
	Lines []struct{ ID string } `json:"line_items"`
}

func (y *year) firstInvoice(subscription string) billed {
	GinkgoHelper()
	var page struct{ Data []billed }
	y.get("/v1/invoices?limit=100&subscription_id="+subscription, &page)
	return page.Data[len(page.Data)-1]
}
