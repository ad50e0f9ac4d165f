package account

import (
	"slices"

	"tollkeeper/store/fault"
)

// Rights are the scopes that a key, or a person by their role, has.
type Rights []Scope

// May reports whether a right is among them.
func (all Rights) May(r Right) bool {
	return slices.ContainsFunc(all, func(s Scope) bool { return s.includes(r) })
}

// checkGrant refuses to give scopes with rights that are not among these: nobody makes a key that
// may do more than they may.
func (all Rights) checkGrant(scopes []Scope) error {
	for i, s := range scopes {
		for _, r := range s.rights() {
			if !all.May(r) {
				return fault.Refused("scopes[%d] would give the right %s, which the key of this request does not have", i, r)
			}
		}
	}
	return nil
}
