package alerting

import (
	"tollkeeper/domain/alert"
	"tollkeeper/domain/license"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// evaluateLicenses compares the share of their own credits that licenses have used, up to the end
// of a billing period, with the thresholds of an alert. A threshold fires once in the period of
// the grant, which may be longer than the billing period. All thresholds that one evaluation
// reaches are in one notification (semantics 17.1.5).
func evaluateLicenses(tx *store.Tx, t subscription.Terms, in period.Period, a alert.Alert) error {
	balances, err := license.Balances(tx, t, *a.LicenseTypeID, in)
	if err != nil {
		return err
	}
	for len(balances) > 0 {
		granted := balances[0].Allowance.Period
		var readings []alert.Reading
		var rest []license.Balance
		for _, b := range balances {
			if !b.Allowance.Period.Equal(granted) {
				rest = append(rest, b)
				continue
			}
			readings = append(readings, alert.Reading{
				Group: []string{b.License.ExternalID, b.License.ID, string(b.Allowance.Unit)}, Value: b.Share(),
			})
		}
		if err := a.Fire(tx, t.ID, granted, readings); err != nil {
			return err
		}
		balances = rest
	}
	return nil
}
