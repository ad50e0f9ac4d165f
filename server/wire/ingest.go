package wire

import (
	"tollkeeper/domain/event"
	"tollkeeper/gen"
)

// Failures returns the failures as responses show it.
func Failures(failed []event.Failure) []gen.EventFailure {
	wire := make([]gen.EventFailure, len(failed))
	for i, f := range failed {
		wire[i] = gen.EventFailure{IdempotencyKey: f.Key, ValidationErrors: f.Reasons}
	}
	return wire
}
