package event

import "sync/atomic"

// Counts are the events that a recorder was sent since it was made, by what became of them.
type Counts struct {
	Stored, Duplicate int64
	Refused           int64 // as invalid; not those of requests that may be sent again as they are
}

type counts struct{ stored, duplicate, refused atomic.Int64 }

// recorded counts the events of requests that were recorded.
func (c *counts) recorded(group []*request) {
	for _, req := range group {
		c.stored.Add(int64(len(req.outcome.Ingested)))
		c.duplicate.Add(int64(len(req.outcome.Duplicate)))
		c.refused.Add(int64(len(req.outcome.Failed)))
	}
}

// Counts returns what was counted.
func (r *Recorder) Counts() Counts {
	return Counts{Stored: r.counts.stored.Load(), Duplicate: r.counts.duplicate.Load(), Refused: r.counts.refused.Load()}
}

// Waiting returns how many requests and events wait to be stored. Those that are being stored do not.
func (r *Recorder) Waiting() (requests, events int) {
	r.queues.mu.Lock()
	defer r.queues.mu.Unlock()
	for _, q := range r.queues.open {
		requests += len(q.requests)
		events += q.events
	}
	return requests, events
}
