package account

import (
	"fmt"
	"slices"
	"strings"

	"tollkeeper/store/fault"
)

// Scope is a right that a key has: [ScopeAll], [ScopeRead], [ScopeIngest], or a resource of
// the API with the access to it, such as "invoices:read" or "invoices:write". Writing
// includes reading.
type Scope string

// Scopes that are about more than one resource.
const (
	ScopeAll    Scope = "all"
	ScopeRead   Scope = "read"   // every operation that changes nothing
	ScopeIngest Scope = "ingest" // sending usage events, nothing else
)

// Resources are those of the API, by the tags of the contract. A key may have rights to some.
var Resources = []string{
	"alerts", "api_keys", "audit_log", "backfills", "coupons", "credit_notes", "credits", "customers", "dimensional_price_groups",
	"events", "invoices", "items", "letterhead", "license_types", "licenses", "metrics", "plans", "prices", "subscriptions", "test_clock", "webhooks",
}

// Access is what an operation does to a resource.
type Access string

// Kinds of access.
const (
	AccessRead   Access = "read"
	AccessWrite  Access = "write"
	AccessIngest Access = "ingest" // of events alone
)

// Right is what an operation needs a key to have.
type Right struct {
	Resource string // one of [Resources]
	Access   Access
}

// ParseRight reads a right as the contract writes it: "invoices:write".
func ParseRight(text string) (Right, error) {
	resource, access, _ := strings.Cut(text, ":")
	r := Right{resource, Access(access)}
	if !slices.Contains(Resources, resource) {
		return r, fmt.Errorf("%q is not a right: there is no resource %q", text, resource)
	}
	if r.Access != AccessRead && r.Access != AccessWrite && (r != Right{"events", AccessIngest}) {
		return r, fmt.Errorf("%q is not a right: there is no access %q", text, access)
	}
	return r, nil
}

// String writes the right as the contract does.
func (r Right) String() string { return r.Resource + ":" + string(r.Access) }

// includes reports whether the scope gives a right.
func (s Scope) includes(r Right) bool {
	switch s {
	case ScopeAll:
		return true
	case ScopeRead:
		return r.Access == AccessRead
	case ScopeIngest:
		return r.Access == AccessIngest
	}
	resource, access, _ := strings.Cut(string(s), ":")
	return resource == r.Resource && (Access(access) == AccessWrite || Access(access) == r.Access)
}

// rights are all that a scope gives.
func (s Scope) rights() (all []Right) {
	for _, resource := range Resources {
		for _, access := range []Access{AccessRead, AccessWrite, AccessIngest} {
			if r := (Right{resource, access}); (access != AccessIngest || resource == "events") && s.includes(r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// checkScopes refuses scopes that do not exist, and a list of none.
func checkScopes(scopes []Scope) error {
	if len(scopes) == 0 {
		return fault.Bad("scopes", "must have at least one scope")
	}
	for i, s := range scopes {
		switch s {
		case ScopeAll, ScopeRead, ScopeIngest:
			continue
		}
		if r, err := ParseRight(string(s)); err != nil || r.Access == AccessIngest {
			return fault.Bad(fmt.Sprintf("scopes[%d]", i),
				"must be all, read, ingest, or a resource with its access, such as invoices:read or invoices:write")
		}
	}
	return nil
}

// Scopes are the rights of the key.
func (k Key) Scopes() []Scope {
	var all []Scope
	for _, s := range strings.Fields(k.ScopeList) {
		all = append(all, Scope(s))
	}
	return all
}

// Rights are the scopes of the key.
func (k Key) Rights() Rights { return k.Scopes() }

// May reports whether the key has a right.
func (k Key) May(r Right) bool { return k.Rights().May(r) }

func joinScopes(scopes []Scope) string {
	var names []string
	for _, s := range scopes {
		if !slices.Contains(names, string(s)) {
			names = append(names, string(s))
		}
	}
	return strings.Join(names, " ")
}
