package main

import (
	"fmt"
	"strings"
	"time"
)

// row is one event, as COPY and as HTTP send it.
type row struct {
	key, alias string
	at         time.Time
	n          int
}

var (
	regions = []string{"eu-central", "us-east", "us-west", "ap-south"}
	models  = []string{"large", "small", "tiny"}
)

// users is how many different ones a customer has.
const users = 100

func (r row) properties() string {
	return fmt.Sprintf(`{"tokens":%d,"seconds":0.%03d,"region":%q,"model":%q,"user":"user-%d"}`,
		r.n, r.n%1000, regions[r.n%len(regions)], models[r.n%len(models)], r.n%users)
}

func (r row) json() string {
	return fmt.Sprintf(`{"idempotency_key":%q,"event_name":"request","external_customer_id":%q,"timestamp":%q,"properties":%s}`,
		r.key, r.alias, r.at.Format("2006-01-02T15:04:05.000000Z"), r.properties())
}

// customers is how many use something.
const customers = 1000

func alias(n int) string { return fmt.Sprint("customer-", n) }

// source makes events one after another: keys in the order of time, with a tail
// that tells clients apart, as SDKs make them. It begins with a number that was never
// reached before.
type source struct{ made int64 }

func (s *source) take(n int, at time.Time) []row {
	rows := make([]row, n)
	for i := range rows {
		s.made++
		mixed := uint32(s.made) * 2654435761 // Knuth's: a tail without order
		rows[i] = row{
			key:   fmt.Sprintf("evt_%d_%08x", s.made, mixed),
			alias: alias(int(mixed % customers)),
			at:    at.Add(time.Duration(i) * time.Microsecond),
			n:     int(mixed % 10_000),
		}
	}
	return rows
}

// bodies puts events into requests of so many each.
func bodies(rows []row, size int) (requests []string) {
	for len(rows) > 0 {
		part := rows[:min(size, len(rows))]
		rows = rows[len(part):]
		texts := make([]string, len(part))
		for i, r := range part {
			texts[i] = r.json()
		}
		requests = append(requests, `{"events":[`+strings.Join(texts, ",")+`]}`)
	}
	return requests
}
