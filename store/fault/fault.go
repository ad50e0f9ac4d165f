// Package fault names the failures that a caller can act on.
//
// Every other error is a bug or an outage. A fault says what is wrong, never
// with which value: messages repeat neither what the client sent nor what a
// library or the database said.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind tells failures apart by what the caller can do about them.
type Kind int

const (
	KindInvalid     Kind = iota + 1 // the request is wrong by itself
	KindRefused                     // well-formed, but not in the present state
	KindTaken                       // an alias that must be unique is in use
	KindMissing                     // the thing named does not exist in this account
	KindClash                       // concurrent change, or an idempotency key used twice
	KindUnavailable                 // a feature that this account or server does not offer
	KindTooLarge                    // right by itself, and more than is taken at once
)

// Violation is one wrong place of a request.
type Violation struct {
	Field  string // path in the body, or name of the parameter: prices[0].price.name
	Reason string // what is wrong there, without the value
}

func (v Violation) String() string { return v.Field + ": " + v.Reason }

// Fault is a failure with its kind. Violations are the places that are wrong, of
// KindInvalid always and of KindRefused where Foreign made it.
type Fault struct {
	Kind       Kind
	Detail     string
	Violations []Violation
}

func (f *Fault) Error() string { return f.Detail }

// Bad reports a field that is wrong by itself, for any stored state.
func Bad(field, reason string, args ...any) error {
	return Invalid(Violation{Field: field, Reason: fmt.Sprintf(reason, args...)})
}

// Invalid reports several wrong fields at once, in the order of the text.
func Invalid(violations ...Violation) error {
	return &Fault{Kind: KindInvalid, Detail: violations[0].String(), Violations: violations}
}

// Refused reports a request that the present state forbids.
func Refused(reason string, args ...any) error {
	return &Fault{Kind: KindRefused, Detail: fmt.Sprintf(reason, args...)}
}

// NotPartOf reports a field that names what is not part of the thing addressed, such as
// a price that its plan does not have: the present state forbids it (semantics 14.1.4).
func NotPartOf(field, reason string, args ...any) error {
	v := Violation{Field: field, Reason: fmt.Sprintf(reason, args...)}
	return &Fault{Kind: KindRefused, Detail: v.String(), Violations: []Violation{v}}
}

// Taken reports that the field of another thing of that type has this value.
func Taken(noun, field string) error {
	return &Fault{Kind: KindTaken, Detail: fmt.Sprintf("Another %s already has this %s", noun, field)}
}

// Missing reports that no thing of that type has this identifier. The type is
// written as clients know it: Plan, Customer, Subscription.
func Missing(noun, identifier string) error {
	return &Fault{
		Kind:   KindMissing,
		Detail: fmt.Sprintf("Could not find a resource of type %s with identifier: %s", noun, identifier),
	}
}

// Conflict reports a concurrent change, or an idempotency key used for something else.
func Conflict(reason string, args ...any) error {
	return &Fault{Kind: KindClash, Detail: fmt.Sprintf(reason, args...)}
}

// Unavailable reports a feature that is off.
func Unavailable(reason string, args ...any) error {
	return &Fault{Kind: KindUnavailable, Detail: fmt.Sprintf(reason, args...)}
}

// TooLarge reports a request that has to be cut into smaller ones.
func TooLarge(reason string, args ...any) error {
	return &Fault{Kind: KindTooLarge, Detail: fmt.Sprintf(reason, args...)}
}

// In puts prefix before the fields of a fault that has some, so that a part can be
// checked without knowing its place in the request: In("prices[0].price", err). Other
// errors, and nil, pass unchanged.
func In(prefix string, err error) error {
	return Moved(err, func(field string) string { return join(prefix, field) })
}

// Moved renames the fields of a fault, where a part was judged in
// another form than the client gave it. What then reads the same is told once. Other
// errors, and nil, pass unchanged.
func Moved(err error, name func(field string) string) error {
	var f *Fault
	if !errors.As(err, &f) || len(f.Violations) == 0 {
		return err
	}
	moved := make([]Violation, 0, len(f.Violations))
	known := make(map[Violation]bool, len(f.Violations))
	for _, v := range f.Violations {
		v.Field = name(v.Field)
		if !known[v] {
			known[v] = true
			moved = append(moved, v)
		}
	}
	return &Fault{Kind: f.Kind, Detail: moved[0].String(), Violations: moved}
}

func join(prefix, field string) string {
	if prefix == "" || field == "" || strings.HasPrefix(field, "[") {
		return prefix + field
	}
	return prefix + "." + field
}

// Join makes one fault of the violations of several. Nil entries are left out. What is
// wrong by itself goes before what is foreign, of which the first is returned;
// the first error of any other kind is returned alone, and without any error the result
// is nil.
func Join(errs ...error) error {
	var all []Violation
	var foreign error
	for _, err := range errs {
		if err == nil {
			continue
		}
		var f *Fault
		switch {
		case !errors.As(err, &f) || len(f.Violations) == 0:
			return err
		case f.Kind == KindInvalid:
			all = append(all, f.Violations...)
		case foreign == nil:
			foreign = err
		}
	}
	if all == nil {
		return foreign
	}
	return Invalid(all...)
}

// Is reports whether err is a fault of that kind.
func Is(err error, kind Kind) bool {
	var f *Fault
	return errors.As(err, &f) && f.Kind == kind
}

// Doing says in an error what was being done when it happened. A fault stays as it is: it is for the
// client, and says all that the client can act on. An exported operation defers it, so that a log tells
// which operation failed and for what:
//
//	func Issue(tx *store.Tx, id string) (err error) {
//		defer fault.Doing(&err, "issue invoice %s", id)
func Doing(err *error, what string, args ...any) {
	var f *Fault
	if *err == nil || errors.As(*err, &f) {
		return
	}
	*err = fmt.Errorf("%s: %w", fmt.Sprintf(what, args...), *err)
}
