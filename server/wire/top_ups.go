package wire

import (
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/topup"
	"tollkeeper/gen"
)

// ReadTopUp reads an automatic top-up. A bare date of active_from is midnight in loc.
func ReadTopUp(in gen.TopUpCreate, loc *time.Location) (topup.NewTopUp, error) {
	from, err := ReadInstant("active_from", in.ActiveFrom, loc)
	settings := in.InvoiceSettings
	return topup.NewTopUp{
		Currency: money.Currency(in.Currency), Threshold: in.Threshold, Amount: in.Amount, PerUnitCostBasis: in.PerUnitCostBasis,
		ExpiresAfter: in.ExpiresAfter, ExpiresAfterUnit: (*topup.Unit)(in.ExpiresAfterUnit), ActiveFrom: from,
		AutoCollection: settings.AutoCollection, NetTermsDays: settings.NetTerms, Memo: settings.Memo,
		RequiresPayment: settings.RequireSuccessfulPayment != nil && *settings.RequireSuccessfulPayment,
	}, err
}

// TopUp returns an automatic top-up.
func TopUp(t topup.TopUp) gen.TopUp {
	return gen.TopUp{
		ID: t.ID, Currency: string(t.Currency), Threshold: t.Threshold, Amount: t.Amount, PerUnitCostBasis: t.PerUnitCostBasis,
		ExpiresAfter: t.ExpiresAfter, ExpiresAfterUnit: (*gen.TopUpExpiryUnit)(t.ExpiresAfterUnit),
		InvoiceSettings: gen.TopUpInvoiceSettings{
			AutoCollection: t.AutoCollection, NetTerms: t.NetTermsDays, Memo: t.Memo, RequireSuccessfulPayment: t.RequiresPayment,
		},
	}
}
