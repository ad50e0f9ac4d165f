package topup

import (
	"time"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewTopUp is what a client asks for.
type NewTopUp struct {
	Currency         money.Currency
	Threshold        string
	Amount           string
	PerUnitCostBasis string
	ExpiresAfter     *int
	ExpiresAfterUnit *Unit
	ActiveFrom       *time.Time // at most ten days ago; nil: now

	AutoCollection  bool
	NetTermsDays    int
	Memo            *string
	RequiresPayment bool
}

// longestBack is how long ago a top-up may have become active (semantics 11.1.1).
const longestBack = 10 * 24 * time.Hour

// Create makes a customer buy credits by itself from then on. It locks the ledger. A
// top-up that the customer has in the unit is replaced.
func Create(tx *store.Tx, customerID string, in NewTopUp) (TopUp, error) {
	if err := in.check(tx.Now); err != nil {
		return TopUp{}, err
	}
	if _, err := credit.Lock(tx, customerID, in.Currency); err != nil {
		return TopUp{}, err
	}
	buyer, err := customer.Find(tx, customerID)
	if err != nil {
		return TopUp{}, err
	}
	if err := credit.CheckCurrency(buyer, in.Currency); err != nil {
		return TopUp{}, err
	}
	made := TopUp{
		Record: tx.Record("topup"), CustomerID: buyer.ID, Currency: in.Currency,
		Threshold: in.Threshold, Amount: in.Amount, PerUnitCostBasis: in.PerUnitCostBasis,
		ExpiresAfter: in.ExpiresAfter, ExpiresAfterUnit: in.ExpiresAfterUnit, ActiveFrom: tx.Now,
		AutoCollection: in.AutoCollection, NetTermsDays: in.NetTermsDays, Memo: in.Memo, RequiresPayment: in.RequiresPayment,
	}
	if in.ActiveFrom != nil {
		made.ActiveFrom = *in.ActiveFrom
	}
	if made.Sells() && buyer.Currency == nil {
		return TopUp{}, fault.Refused("credits are sold in the customer's currency, and it has none")
	}
	err = tx.Model(&TopUp{}).Where("customer_id = ? AND currency = ? AND deactivated_at IS NULL", buyer.ID, in.Currency).
		Update("deactivated_at", tx.Now).Error
	if err != nil {
		return TopUp{}, err
	}
	if err := tx.Create(&made).Error; err != nil {
		return TopUp{}, err
	}
	return made, alert.TrackAllBalances(tx, buyer.ID)
}

func (in NewTopUp) check(now time.Time) error {
	var faults []error
	refuse := func(field, reason string, args ...any) { faults = append(faults, fault.Bad(field, reason, args...)) }
	if !in.Currency.Valid() && in.Currency != money.Credits {
		refuse("currency", "must be an ISO 4217 code or %s", money.Credits)
	}
	read := func(field, text string, least int) {
		switch amount, err := money.Parse(text); {
		case err != nil:
			refuse(field, "%v", err)
		case amount.Sign() < 0:
			refuse(field, "must not be negative")
		case amount.Sign() < least:
			refuse(field, "must be more than 0")
		case field == "amount" && !in.Currency.Fits(amount):
			refuse(field, "must have at most %d decimal places in this currency", in.Currency.MinorUnits())
		}
	}
	read("threshold", in.Threshold, 0)
	read("amount", in.Amount, 1)
	read("per_unit_cost_basis", in.PerUnitCostBasis, 0)
	if (in.ExpiresAfter == nil) != (in.ExpiresAfterUnit == nil) {
		refuse("expires_after, expires_after_unit", "must be given together")
	}
	if in.ActiveFrom != nil && in.ActiveFrom.Before(now.Add(-longestBack)) {
		refuse("active_from", "must be at most 10 days ago")
	}
	return fault.Join(faults...)
}
