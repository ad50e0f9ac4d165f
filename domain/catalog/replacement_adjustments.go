package catalog

import (
	"slices"

	"tollkeeper/store"
)

// Succession tells how a version of a plan differs from another: of each price and
// adjustment that it has and the other has not, which of the other it stands for, "" for
// none.
type Succession struct {
	Prices, Adjustments map[string]string
}

// Succeed lines versions of a plan up by what replaced what, through the versions
// between them (semantics 5.2.3). Either may be the newer.
func Succeed(tx *store.Tx, from, to PlanVersion) (s Succession, err error) {
	s.Prices, err = lineUp(from.Prices, to.Prices,
		func(p Price) (string, *string) { return p.ID, p.ReplacesPriceID },
		func(ids []string) (map[string]Price, error) { return FindPrices(tx, ids) })
	if err != nil {
		return s, err
	}
	s.Adjustments, err = lineUp(from.Adjustments, to.Adjustments,
		func(a Adjustment) (string, *string) { return a.ID, a.ReplacesAdjustmentID },
		func(ids []string) (map[string]Adjustment, error) { return FindAdjustments(tx, ids) })
	return s, err
}

func lineUp[T any](from, to []T, id func(T) (string, *string), find func([]string) (map[string]T, error)) (map[string]string, error) {
	known := map[string]*string{} // what each replaced
	for _, member := range slices.Concat(from, to) {
		name, replaced := id(member)
		known[name] = replaced
	}
	// line is what a member replaced, from the nearest on.
	line := func(member T) (names []string, err error) {
		for _, next := id(member); next != nil; next = known[names[len(names)-1]] {
			names = append(names, *next)
			if _, seen := known[*next]; seen {
				continue
			}
			found, err := find([]string{*next})
			if err != nil {
				return nil, err
			}
			_, known[*next] = id(found[*next])
		}
		return names, nil
	}
	standsFor := map[string]string{}
	for _, later := range to {
		name, _ := id(later)
		if named(from, name, id) {
			continue
		}
		standsFor[name] = ""
		behind, err := line(later)
		if err != nil {
			return nil, err
		}
		for _, earlier := range from {
			old, _ := id(earlier)
			ahead, err := line(earlier)
			if err != nil {
				return nil, err
			}
			if !named(to, old, id) && (slices.Contains(behind, old) || slices.Contains(ahead, name)) {
				standsFor[name] = old
			}
		}
	}
	return standsFor, nil
}

func named[T any](members []T, name string, id func(T) (string, *string)) bool {
	return slices.ContainsFunc(members, func(m T) bool {
		is, _ := id(m)
		return is == name
	})
}
