package server

import (
	"context"

	"tollkeeper/server/background"
	"tollkeeper/server/worker"
)

// KeptAsPending names the operations whose requests can wait as pending changes, as
// changes are typed.
func KeptAsPending() (types []string) {
	for kind := range changes {
		types = append(types, kind)
	}
	return types
}

// ChangeType names the kind of change that an operation makes.
var ChangeType = changeType

// KeyedLock returns the function that locks one key of a new lock.
func KeyedLock() (lock func(ctx context.Context) (unlock func(), err error)) {
	l := newKeyedLock()
	return func(ctx context.Context) (func(), error) { return l.lock(ctx, "it") }
}

// RunUnit runs a unit of background work.
func (s *Server) RunUnit(work, of string, do func() error) bool {
	return s.runner.Run(context.Background(), background.Unit{Work: work, Of: of}, do)
}

// ShowAllMetrics lets /metrics have those too that are there only once something happened.
func (s *Server) ShowAllMetrics() {
	s.metrics.panicked("request")
	s.metrics.dueFailed("issue invoices")
	s.metrics.verified(worker.Verification{})
}
