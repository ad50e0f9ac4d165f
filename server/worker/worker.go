// Package worker does what no request waits for: due work of all accounts, alerts, buckets of
// usage, partitions of events, seals of final documents, and the continuous verification of the books.
//
// Due work is found, not queued (see jobs.go). The result does not depend on when a worker
// runs or how often, or on how many servers run one. Alerts, buckets and partitions follow
// real time; due work follows the clock of each account.
//
// What accounts send wakes the worker of the same process: see [Worker.MarkDirty] and the
// event recorder. A worker also looks at all accounts in turn, since the server that was
// told of a change may have ended.
package worker

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// Worker does the background work of one process.
type Worker struct {
	Config
	dirty *accountQueue // whose alerts are to be evaluated
	used  *accountQueue // whose usage is to be aggregated
	turns *accountQueue // whose due work is to be done
	due   *dueStates
	lag   *usageLag
	books atomic.Pointer[Verification] // the last; nil before the first
	alone bool                         // does all units one by one; for specs

	places int                             // turns that are given at once
	turned func(account string, more bool) // is called as a turn ends; for specs
}

// Config is what a worker needs from outside. All fields but EventsOnly and Failed are required.
type Config struct {
	Store    *store.Store
	Log      *slog.Logger
	Runner   *background.Runner
	Recorder *event.Recorder // tells which accounts stored events

	// EventsOnly reads usage from events instead of buckets, and keeps no buckets.
	EventsOnly bool

	// Workers is how many units of due work of one account run at once, 1 or more.
	Workers int

	// Failed, where it is given, is called with the kind of each unit of due work that fails.
	Failed func(kind string)

	// Verified is called with the result of each verification of all books.
	Verified func(Verification)
}

// New makes a worker. It does nothing until one of its methods is called.
func New(cfg Config) *Worker {
	return &Worker{Config: cfg, dirty: newAccountQueue(), used: newAccountQueue(), turns: newAccountQueue(), due: newDueStates(), lag: newUsageLag(),
		places: accountsAtOnce}
}

// Books returns the result of the last verification of all books, nil before the first.
func (w *Worker) Books() *Verification { return w.books.Load() }

// reading returns a context of background work, in which usage is read from where the configuration says.
func (w *Worker) reading(ctx context.Context) context.Context {
	ctx = store.For(ctx, store.Background)
	if w.EventsOnly {
		return usage.ReadEvents(ctx)
	}
	return ctx
}

// pollEvery is how often the accounts are looked through, in real time.
const pollEvery = time.Second
