package server

import (
	"context"
	"net/netip"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/domain/billing"
	"tollkeeper/store"
)

// What specs look at directly.
var (
	ReasonOf  = reasonOf
	ReadJSON  = readJSON
	PlacesOf  = placesOf
	Transient = transient
	Signature = signature
)

// Reaches reports whether webhooks may call an address where no networks are listed.
func Reaches(address netip.Addr) bool { return reach{}.allows(address) }

// Forget deletes messages that are old.
func (d *Deliveries) Forget() { d.forget(context.Background(), d.now()) }

// VerifyBooks is what happens nightly.
func (s *Server) VerifyBooks(ctx context.Context) (done bool, err error) {
	return s.verifyBooks(ctx, billing.Sample{})
}

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

// Meet does due work of the context's account that fails with err.
func (s *Server) Meet(ctx context.Context, err error) error {
	return s.catchUp(ctx, []job{{
		name: "fail",
		next: func(_ *store.Tx, by time.Time) (time.Time, bool, error) { return by, true, nil },
		do:   func(*store.Tx) (bool, error) { return false, err },
	}}, time.Time{})
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

// Turns are those of one thing: take waits for one, and end is called when it is over.
func Turns() (take func(ctx context.Context) (end func(), err error)) {
	t := newTurns()
	return func(ctx context.Context) (func(), error) { return t.take(ctx, "it") }
}

// Background runs a unit of background work.
func (s *Server) Background(work, of string, do func() error) bool {
	return s.background(context.Background(), unit{work, of}, do)
}
