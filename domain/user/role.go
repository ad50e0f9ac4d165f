package user

import (
	"slices"
	"strings"

	"tollkeeper/domain/account"
	"tollkeeper/store/fault"
)

// Role is what a person may do in an account.
type Role string

// Roles.
const (
	RoleOwner    Role = "owner"    // everything, the team and the settings included
	RoleFinance  Role = "finance"  // what Support may, and what concerns invoices and subscriptions
	RoleEngineer Role = "engineer" // the catalog, events, keys, webhooks and the test clock
	RoleSupport  Role = "support"  // customers, their credits and alerts
	RoleReader   Role = "reader"   // sees all but keys
)

// Roles are all roles, the one that may most first.
var Roles = []Role{RoleOwner, RoleFinance, RoleEngineer, RoleSupport, RoleReader}

// writes are the resources that a role may change (semantics 21.1.1).
var writes = map[Role][]string{
	RoleReader:  {},
	RoleSupport: {"alerts", "credits", "customers"},
	RoleFinance: {"alerts", "coupons", "credit_notes", "credits", "customers", "invoices", "licenses", "subscriptions"},
	RoleEngineer: {"api_keys", "backfills", "dimensional_price_groups", "events", "items", "license_types", "metrics",
		"plans", "prices", "test_clock", "webhooks"},
}

// Rights are those of the scopes of the role.
func (r Role) Rights() account.Rights { return r.Scopes() }

// Scopes are those of the role, as an API key has them.
func (r Role) Scopes() []account.Scope {
	changed, known := writes[r]
	switch {
	case r == RoleOwner:
		return []account.Scope{account.ScopeAll}
	case !known:
		return nil
	}
	var scopes []account.Scope
	for _, resource := range account.Resources {
		switch {
		case slices.Contains(changed, resource):
			scopes = append(scopes, account.Scope(resource+":write"))
		case resource != "api_keys":
			scopes = append(scopes, account.Scope(resource+":read"))
		}
	}
	if r == RoleEngineer {
		scopes = append(scopes, account.ScopeIngest)
	}
	return scopes
}

// ManagesAccount reports whether the role is to see and change the team and the settings, which no
// key can (semantics 21.1.2).
func (r Role) ManagesAccount() bool { return r == RoleOwner }

// Title is the role as people read it.
func (r Role) Title() string {
	if r == "" {
		return ""
	}
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// check refuses what is no role.
func (r Role) check() error {
	if slices.Contains(Roles, r) {
		return nil
	}
	names := make([]string, len(Roles))
	for i, role := range Roles {
		names[i] = string(role)
	}
	return fault.Bad("role", "must be one of %s", strings.Join(names, ", "))
}
