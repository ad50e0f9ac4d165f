package demo

import (
	"context"
	"fmt"
	"time"
)

// Events of a customer and day, and of a request.
const (
	calls     = 6 // of tiles
	perIngest = 500
)

var regions = []string{"eu-west", "us-east", "ap-south"}

// use sends the events of the half day before an instant.
func (s *story) use(ctx context.Context, at time.Time) error {
	var batch list
	for _, c := range customers {
		if s.subscriptions[c.alias] == "" || c.daily == 0 {
			continue
		}
		quiet := at.Weekday() == time.Saturday || at.Weekday() == time.Sunday
		for k := range calls {
			tiles := c.daily * 1000 / calls * (60 + s.random.IntN(80)) / 100
			if quiet {
				tiles /= 3
			}
			batch = append(batch, s.event("tiles", c.alias, at, k, object{"tiles": tiles, "region": regions[s.random.IntN(len(regions))]}))
		}
		if c.plan == "starter" {
			continue
		}
		for k := range 2 + s.random.IntN(1+c.daily/4) {
			status := 200
			if s.random.IntN(50) == 0 {
				status = 503
			}
			batch = append(batch, s.event("route", c.alias, at, k, object{"status": status, "region": regions[s.random.IntN(len(regions))]}))
		}
	}
	for len(batch) > 0 {
		part := batch[:min(perIngest, len(batch))]
		batch = batch[len(part):]
		if _, err := s.post(ctx, "/ingest", object{"events": part}); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) event(name, customer string, at time.Time, k int, properties object) object {
	s.sent++
	return object{
		"idempotency_key": fmt.Sprintf("demo-%06d", s.sent), "event_name": name, "external_customer_id": customer,
		"timestamp": at.Add(-time.Duration(1+k*7%600) * time.Minute).Format(time.RFC3339), "properties": properties,
	}
}
