package catalog

import "tollkeeper/store"

// TryVersion returns the version that a difference would make of the highest one, checked as
// [CreateVersion] does. It is not saved, nor are its new prices and adjustments.
func TryVersion(tx *store.Tx, planID string, in Difference) (version PlanVersion, err error) {
	err = tx.Rehearse(func(tx *store.Tx) error {
		base, err := highestVersion(tx, planID)
		if err != nil {
			return err
		}
		version, err = CreateVersion(tx, planID, NewVersion{Version: base.Version + 1, Difference: in})
		return err
	})
	return version, err
}
