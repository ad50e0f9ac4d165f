package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// The demo begins on its first day and has this many days of usage. Its clock then stands at noon of the
// day after, which has the usage of its morning, so that current costs are not all zero.
const (
	firstDay = "2025-01-01T00:00:00Z"
	days     = 90
)

// story fills an account day by day.
type story struct {
	catalog
	random        *rand.Rand
	subscriptions map[string]string // by alias of the customer
	sent          int               // events
}

// Fill makes all that the demo has in the test account of a key. The handler is that of a server.
func Fill(ctx context.Context, api http.Handler, key string) error {
	s := &story{catalog: catalog{client: client{api, key}}, random: rand.New(rand.NewPCG(1, 25)), subscriptions: map[string]string{}} //nolint:gosec // the same each time
	if err := s.clock(ctx, firstDay); err != nil {
		return err
	}
	if err := s.catalog.make(ctx); err != nil {
		return err
	}
	// There is no such host, so deliveries fail. It is sent alerts only: hundreds of failures would hide all else.
	endpoint := object{"url": "https://hooks.demo.invalid/tollkeeper", "event_types": list{"customer.credit_balance_dropped", "customer.credit_balance_depleted", "subscription.cost_exceeded"}}
	if _, err := s.post(ctx, "/webhook_endpoints", endpoint); err != nil {
		return err
	}
	first, err := time.Parse(time.RFC3339, firstDay)
	if err != nil {
		return err
	}
	for day := range days + 1 {
		at := first.AddDate(0, 0, day).Add(12 * time.Hour)
		if err := s.clock(ctx, at.Format(time.RFC3339)); err != nil {
			return err
		}
		if err := s.begin(ctx, at); err != nil {
			return err
		}
		if err := s.use(ctx, at); err != nil {
			return err
		}
		if event := events[at.Format(time.DateOnly)]; event != nil {
			if err := event(s, ctx); err != nil {
				return fmt.Errorf("%s: %w", at.Format(time.DateOnly), err)
			}
		}
	}
	return nil
}

func (s *story) clock(ctx context.Context, to string) error {
	_, err := s.post(ctx, "/test_clock/advance", object{"now": to})
	return err
}

// begin makes the customers who come on a day, with their subscriptions.
func (s *story) begin(ctx context.Context, at time.Time) error {
	for _, c := range customers {
		if c.start != at.Format(time.DateOnly) {
			continue
		}
		plan := c.plan
		if c.currency != "USD" {
			plan += "-eur"
		}
		_, err := s.post(ctx, "/customers", object{
			"name": c.name, "email": "billing@" + c.alias + ".example", "external_customer_id": c.alias, "currency": c.currency, "timezone": c.zone,
		})
		if err != nil {
			return err
		}
		body := object{"external_customer_id": c.alias, "external_plan_id": plan, "start_date": c.start}
		if c.alias == "delta" {
			body["coupon_redemption_code"] = "SPRING25"
		}
		made, err := s.post(ctx, "/subscriptions", body)
		if err != nil {
			return err
		}
		s.subscriptions[c.alias], _ = made["id"].(string)
		if c.seats > 1 {
			if err := s.setSeats(ctx, c.alias, c.seats, c.start); err != nil {
				return err
			}
		}
	}
	return nil
}

// setSeats changes how many seats a customer pays for.
func (s *story) setSeats(ctx context.Context, alias string, seats int, from string) error {
	subscription, err := s.get(ctx, "/subscriptions/"+s.subscriptions[alias])
	if err != nil {
		return err
	}
	intervals, _ := subscription["price_intervals"].([]any)
	for _, each := range intervals {
		price, _ := each.(object)["price"].(object)
		if price["name"] == "Seats" {
			_, err := s.post(ctx, "/subscriptions/"+s.subscriptions[alias]+"/update_fixed_fee_quantity",
				object{"price_id": price["id"], "quantity": seats, "effective_date": from})
			return err
		}
	}
	return fmt.Errorf("the subscription of %s has no seats", alias)
}
