package server_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// usageFixture is a fixture with one buyer, acme, who pays 1.00 for each unit of the sum of n,
// and used 33 in June, 10 on 5 July, 4 in the eu on the 6th and 6 in the us on the 7th. It is the
// 20th (semantics 3.2).
type usageFixture struct {
	fixture
	acme, subscription string
}

func newUsageFixture() usageFixture {
	GinkgoHelper()
	return start().newUsageFixture(object{"start_date": "2025-06-01"})
}

func (a *api) newUsageFixture(subscription object) usageFixture {
	GinkgoHelper()
	s := a.newFixture("2025-06-01T00:00:00Z")
	d := usageFixture{fixture: s, acme: s.buyer(object{"external_customer_id": "acme"})}
	d.subscription = s.subscribe(d.acme, subscription, s.calls("1.00")).text("id")
	for _, e := range []string{"2025-06-10 33", "2025-07-05 10", "2025-07-06 4 eu", "2025-07-07 6 us"} {
		s.clock(e[:10] + "T12:00:00Z")
		d.send("", d.event(e)).expect(200)
	}
	s.clock("2025-07-20T00:00:00Z")
	return d
}

// event is one of acme, written as "2025-07-05 10 eu": the day or instant, n, and
// perhaps a region.
func (d usageFixture) event(text string) string {
	*d.sent++
	return d.eventUnder(fmt.Sprintf("u%04d", *d.sent), text)
}

func (d usageFixture) eventUnder(key, text string) string {
	words := append(strings.Fields(text), "none")
	at := words[0]
	if len(at) == len("2025-07-05") {
		at += "T12:00:00Z"
	}
	return fmt.Sprintf(`{"idempotency_key":%q,"event_name":"call","external_customer_id":"acme","timestamp":%q,"properties":{"n":%s,"region":%q}}`,
		key, at, words[1], words[2])
}

// send ingests events, into a backfill unless that is "".
func (d usageFixture) send(backfill string, events ...string) *answer {
	GinkgoHelper()
	path := "/v1/ingest?debug=true"
	if backfill != "" {
		path += "&backfill_id=" + backfill
	}
	return d.post(path, `{"events":[`+strings.Join(events, ",")+`]}`)
}

// july is the body of one that adds to the first nine days of July.
func july(change object) object {
	return with(object{
		"timeframe_start": "2025-07-01T00:00:00Z", "timeframe_end": "2025-07-10T00:00:00Z", "replace_existing_events": false,
	}, change)
}

const backfills = "/v1/events/backfills"

func (d usageFixture) open(change object) string {
	GinkgoHelper()
	return d.post(backfills, july(change)).expect(200).text("id")
}

func (d usageFixture) fetch(id string) value {
	GinkgoHelper()
	return d.get(backfills + "/" + id).expect(200)
}

func (d usageFixture) close(id string) *answer {
	GinkgoHelper()
	return d.post(backfills+"/"+id+"/close", nil)
}

func (d usageFixture) revert(id string) *answer {
	GinkgoHelper()
	return d.post(backfills+"/"+id+"/revert", nil)
}

// reaches waits until a backfill has that status. Nobody touches the clock meanwhile.
func (d usageFixture) reaches(id, status string) {
	GinkgoHelper()
	Eventually(func() any { return d.fetch(id).at("status") }, onBusyMachine, "20ms").Should(Equal(status))
}

// closed opens a backfill, sends events into it and closes it.
func (d usageFixture) closed(change object, events ...string) string {
	GinkgoHelper()
	id := d.open(change)
	for _, text := range events {
		d.send(id, d.event(text)).expect(200)
	}
	Expect(d.close(id).expect(200).at("status")).To(Equal("pending"))
	d.reaches(id, "reflected")
	return id
}

// reverted takes a closed backfill back.
func (d usageFixture) reverted(id string) {
	GinkgoHelper()
	d.revert(id).expect(200).shows(object{"status": "pending_revert", "reverted_at": nil})
	d.reaches(id, "reverted")
}

// costs are the answer about some days, byte for byte.
func (d usageFixture) costs(first, last string) string {
	GinkgoHelper()
	answer := d.get(fmt.Sprintf("/v1/subscriptions/%s/costs?timeframe_start=%s&timeframe_end=%s", d.subscription, first, last))
	answer.expect(200)
	return string(answer.text)
}

// total is what a month such as 2025-07 costs so far.
func (d usageFixture) total(month string) string {
	GinkgoHelper()
	next := instant(month+"-01T00:00:00Z").AddDate(0, 1, 0)
	return lastTotal(d.costs(month+"-01", next.Format(time.DateOnly)))
}

// lastTotal is what costs come to in the end.
func lastTotal(costs string) string {
	GinkgoHelper()
	days := (&answer{asked: "costs", text: []byte(costs)}).body()
	return days.entry("data", len(days.list("data"))-1).text("total")
}
