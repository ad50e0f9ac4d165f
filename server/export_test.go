package server

import (
	"context"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/server/background"
)

// What specs look at directly.
var (
	ReasonOf  = reasonOf
	ReadJSON  = readJSON
	PlacesOf  = placesOf
	Transient = transient
)

// UnknownMembers names the members of value, at every depth, that the schema
// does not know.
func UnknownMembers(schema *openapi3.Schema, value any) []string {
	var found findings
	found.unknown(schema, value, "")
	names := make([]string, len(found.list))
	for i, f := range found.list {
		names[i] = f.Field
	}
	return names
}

// KeptAsPending names the operations whose requests can wait as pending changes, as
// changes are typed.
func KeptAsPending() (types []string) {
	for kind := range mutations {
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
