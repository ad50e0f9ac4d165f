package event

import (
	"context"
	"errors"
	"time"

	"tollkeeper/store/fault"
)

// largestList bounds what the answer to a request of many events lists, in bytes.
const largestList = 8 << 20

var (
	errUnlistable = fault.TooLarge("More of the events fail than one answer can list: send them again in smaller requests. " +
		"Those that are stored already count once")
	errTooManyKeys = fault.TooLarge("The request has more keys than one answer can list: leave debug out, or send smaller requests")
)

// RecordBody is Record for what a request brought. Of many events the keys are in
// the outcome only if listKeys is set. What has more to tell of them than an answer can
// hold is a fault; events that are stored by then stay.
func (r *Recorder) RecordBody(ctx context.Context, received *Body, listKeys bool) (Outcome, error) {
	s := received.many
	switch {
	case s == nil:
		return r.Record(ctx, received.few)
	case listKeys && s.keyText > largestList:
		return Outcome{}, errTooManyKeys
	case s.failureText > largestList:
		r.counts.refused.Add(s.events)
		return Outcome{}, errUnlistable
	}
	failed, err := s.conflicts()
	if err != nil {
		return Outcome{}, err
	}
	if failed != nil {
		r.counts.refused.Add(s.events)
		return Outcome{Failed: failed}, nil
	}
	var all Outcome
	text := 0
	wait := false // the first portion may be refused; later ones have been let in
	for portion, err := range s.portions() {
		if err != nil {
			return Outcome{}, err
		}
		part, err := r.recordPortion(ctx, portion, wait)
		if err != nil {
			return Outcome{}, err
		}
		for _, f := range part.Failed {
			text += f.text()
		}
		if text > largestList {
			return Outcome{}, errUnlistable
		}
		all.Failed = append(all.Failed, part.Failed...)
		if listKeys {
			all.Ingested = append(all.Ingested, part.Ingested...)
			all.Duplicate = append(all.Duplicate, part.Duplicate...)
		}
		wait = true
	}
	return all, nil
}

// askAgain is how long a portion waits before it asks for room again.
const askAgain = 20 * time.Millisecond

func (r *Recorder) recordPortion(ctx context.Context, portion []Event, wait bool) (Outcome, error) {
	for {
		outcome, err := r.record(ctx, portion)
		if !wait || !errors.Is(err, ErrBusy) {
			return outcome, err
		}
		timer := time.NewTimer(askAgain)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return Outcome{}, ctx.Err()
		}
	}
}
