package server_test

import (
	"encoding/json"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A rise of usage that comes after a day is closed is charged with the first day still pending, also
// where no credits could pay for the closed day, and whether the ledger was read meanwhile or not
// (semantics 10.2.7).
var _ = DescribeTable("CR-15: a local day closes for credits also where none could pay for it",
	func(zone, first, day string) {
		loc, err := time.LoadLocation(zone)
		Expect(err).NotTo(HaveOccurred())
		midnight := func(text string) time.Time {
			at, err := time.ParseInLocation(time.DateOnly, text, loc)
			Expect(err).NotTo(HaveOccurred())
			return at
		}
		at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
		start, used := midnight(first), midnight(day).Add(9*time.Hour)
		closes := midnight(day).AddDate(0, 0, 1).Add(12 * time.Hour)

		var ledgers [][]string
		for _, read := range []bool{false, true} {
			s := newFixture(at(start))
			buyer := s.buyer(object{"timezone": zone})
			s.subscribe(buyer, object{"align_billing_with_subscription_start_date": true}, s.callsInCredits()["price"].(object))
			s.credits(buyer, object{"amount": 5})
			s.use(buyer, at(start), "5")
			s.clock(at(used.Add(time.Hour)))
			s.use(buyer, at(used), "10")
			s.clock(at(closes.Add(time.Minute)))
			if read {
				s.ledger(buyer, "credits")
			}
			s.clock(at(closes.Add(30 * time.Minute)))
			s.put("/v1/events/e000002", object{"event_name": "call", "customer_id": buyer, "timestamp": at(used), "properties": object{"n": json.Number("14")}}).expect(200)
			s.clock(at(closes.Add(time.Hour)))
			s.credits(buyer, nil)
			s.clock(at(closes.Add(72 * time.Hour)))
			ledgers = append(ledgers, s.ledger(buyer, "credits"))
		}
		Expect(ledgers[0]).To(Equal([]string{
			"increment 5 committed: 5", "decrement 5 committed: 0", "increment 100 committed: 100", "decrement 4 committed: 96",
		}))
		Expect(ledgers[1]).To(Equal(ledgers[0]))
	},
	Entry("in the middle of a month", "UTC", "2025-06-01", "2025-06-08"),
	Entry("on the last day of a month", "UTC", "2025-02-10", "2025-02-28"),
	Entry("of 23 hours", "America/New_York", "2025-03-02", "2025-03-09"),
	Entry("of 25 hours", "America/New_York", "2025-10-20", "2025-11-02"),
)
