package crash_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	. "github.com/onsi/gomega"
)

// The past that clients change all the time, of an account whose clock is after it.
var (
	pastStart = time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC)
	pastEnd   = time.Date(2025, 1, 19, 0, 0, 0, 0, time.UTC)
)

// buyersOfPast are the aliases of those who used something then.
var buyersOfPast = []string{"early", "late"}

// pastEvent is the nth event that is sent, the same whoever sends it.
func pastEvent(n int) object {
	at := pastStart.Add(pastEnd.Sub(pastStart) / 1009 * time.Duration(n*331%1009))
	return eventOf(buyersOfPast[n%2], fmt.Sprintf("past-%08d", n), at, n)
}

func eventOf(who, key string, at time.Time, n int) object {
	return object{
		"idempotency_key": key, "event_name": "call", "external_customer_id": who, "timestamp": at.Format(time.RFC3339Nano),
		"properties": object{"n": fmt.Sprintf("%d.%02d", n%7, n%100), "user": fmt.Sprint("user ", n%13), "region": []string{"eu", "us"}[n/3%2]},
	}
}

// lot is how many events are sent in one order before the next ones are.
const lot = 40

// resend sends events that others send too, each lot in an order of its own.
func (c client) resend(h *history, home <-chan struct{}) {
	for first := 0; ; first += lot {
		for part := range slices.Chunk(rand.Perm(lot), 1+rand.IntN(6)) {
			select {
			case <-home:
				return
			default:
			}
			var keys []string
			var events []object
			for _, k := range part {
				e := pastEvent(first + k)
				keys, events = append(keys, e["idempotency_key"].(string)), append(events, e)
			}
			if status, answer := c.ask(http.MethodPost, "/v1/ingest", object{"events": events}, ""); status != http.StatusOK {
				Expect(string(answer)).To(ContainSubstring("belongs to a deprecated event"))
			}
			h.tell(func(h *history) { h.past, h.sent = append(h.past, keys...), max(h.sent, first) })
		}
	}
}

// correct amends events that were sent, and takes some out of the count.
func (c client) correct(h *history, home <-chan struct{}) {
	for {
		select {
		case <-home:
			return
		case <-time.After(patience):
		}
		sent := h.soFar().sent
		if sent == 0 {
			continue
		}
		e := pastEvent(rand.IntN(sent)) // all of the lots before were
		path, body := "/v1/events/"+e["idempotency_key"].(string), object(nil)
		if rand.IntN(4) == 0 {
			path += "/deprecate"
		} else {
			delete(e, "idempotency_key")
			e["properties"] = object{"n": fmt.Sprint(rand.IntN(1000)), "user": "amended", "region": "eu"}
			body = e
		}
		if status, answer := c.ask(http.MethodPut, path, body, ""); status != http.StatusOK {
			Expect(string(answer)).To(ContainSubstring("a deprecated event cannot be amended"))
		}
		h.tell(func(h *history) { h.corrections++ })
	}
}

// standing is how many backfills are in effect at most.
const standing = 20

// rewrite opens one backfill after the other and sends events into it. Some are taken back
// while they are open, some as they close, others later, in no order.
func (c client) rewrite(h *history, home <-chan struct{}) {
	var closed []string
	for n := 0; ; n++ {
		select {
		case <-home:
			return
		case <-time.After(15 * patience):
		}
		const longest = 3000 // minutes
		start := pastStart.Add(time.Duration(rand.IntN(int(pastEnd.Sub(pastStart)/time.Minute)-longest)) * time.Minute)
		end := start.Add(time.Duration(1+rand.IntN(longest)) * time.Minute)
		who := rand.IntN(len(buyersOfPast) + 1)
		about := object{"timeframe_start": start, "timeframe_end": end, "replace_existing_events": rand.IntN(2) == 0}
		if who < len(buyersOfPast) {
			about["external_customer_id"] = buyersOfPast[who]
		}
		if about["replace_existing_events"] == true && rand.IntN(2) == 0 {
			about["deprecation_filter"] = "region = 'eu'"
		}
		id := c.must(http.MethodPost, "/v1/events/backfills", about, fmt.Sprint("backfill ", n))
		var keys []string
		var events []object
		for k := range 1 + rand.IntN(9) {
			e := eventOf(buyersOfPast[who%len(buyersOfPast)], fmt.Sprintf("rewritten-%d-%d", n, k), start.Add(end.Sub(start)/10*time.Duration(k)), n+k)
			keys, events = append(keys, e["idempotency_key"].(string)), append(events, e)
		}
		c.must(http.MethodPost, "/v1/ingest?backfill_id="+id, object{"events": events}, "")
		h.tell(func(h *history) { h.past = append(h.past, keys...) })
		early := rand.IntN(4)
		if early > 0 {
			c.must(http.MethodPost, "/v1/events/backfills/"+id+"/close", nil, "close "+id)
		}
		if early > 1 {
			if !c.await(id, "reflected", home) {
				return // it is still at work, so another one of its time is not taken back
			}
			closed = append(closed, id)
		} else if !c.takeBack(id, home) {
			return
		}
		for len(closed) > rand.IntN(standing) {
			k := rand.IntN(len(closed))
			if !c.takeBack(closed[k], home) {
				return
			}
			closed = slices.Delete(closed, k, k+1)
		}
		h.tell(func(h *history) { h.rewritten++ })
	}
}

func (c client) takeBack(backfill string, home <-chan struct{}) bool {
	c.must(http.MethodPost, "/v1/events/backfills/"+backfill+"/revert", nil, "revert "+backfill)
	return c.await(backfill, "reverted", home)
}

// await waits until a backfill has that status. It is false if the crowd goes home before.
func (c client) await(backfill, status string, home <-chan struct{}) bool {
	for {
		if _, answer := c.ask(http.MethodGet, "/v1/events/backfills/"+backfill, nil, ""); bytes.Contains(answer, []byte(`"status":"`+status+`"`)) {
			return true
		}
		select {
		case <-home:
			return false
		case <-time.After(patience):
		}
	}
}
